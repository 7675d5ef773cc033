"""Countries and areas by the regions of the United Nations' geoscheme (M49), with ISO 3166 codes.

Taiwan, which M49 does not list, stands with Eastern Asia.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_AREAS = """
Antarctica (region) / Antarctica (region)
  AQ ATA 010 Antarctica;
Asia / Eastern Asia
  CN CHN 156 China; HK HKG 344 Hong Kong; JP JPN 392 Japan; KP PRK 408 North Korea;
  KR KOR 410 South Korea; MN MNG 496 Mongolia; MO MAC 446 Macao; TW TWN 158 Taiwan;
Africa / Northern Africa
  DZ DZA 012 Algeria; EG EGY 818 Egypt; EH ESH 732 Western Sahara; LY LBY 434 Libya;
  MA MAR 504 Morocco; SD SDN 729 Sudan; TN TUN 788 Tunisia;
Africa / Sub-Saharan Africa / Eastern Africa
  BI BDI 108 Burundi; DJ DJI 262 Djibouti; ER ERI 232 Eritrea; ET ETH 231 Ethiopia;
  IO IOT 086 British Indian Ocean Territory; KE KEN 404 Kenya; KM COM 174 Comoros;
  MG MDG 450 Madagascar; MU MUS 480 Mauritius; MW MWI 454 Malawi; MZ MOZ 508 Mozambique;
  RE REU 638 Réunion; RW RWA 646 Rwanda; SC SYC 690 Seychelles; SO SOM 706 Somalia;
  SS SSD 728 South Sudan; TF ATF 260 French Southern Territories; TZ TZA 834 Tanzania;
  UG UGA 800 Uganda; YT MYT 175 Mayotte; ZM ZMB 894 Zambia; ZW ZWE 716 Zimbabwe;
Africa / Sub-Saharan Africa / Middle Africa
  AO AGO 024 Angola; CD COD 180 DR Congo; CF CAF 140 Central African Republic; CG COG 178 Congo;
  CM CMR 120 Cameroon; GA GAB 266 Gabon; GQ GNQ 226 Equatorial Guinea;
  ST STP 678 Sao Tome and Principe; TD TCD 148 Chad;
Africa / Sub-Saharan Africa / Southern Africa
  BW BWA 072 Botswana; LS LSO 426 Lesotho; NA NAM 516 Namibia; SZ SWZ 748 Eswatini;
  ZA ZAF 710 South Africa;
Africa / Sub-Saharan Africa / Western Africa
  BF BFA 854 Burkina Faso; BJ BEN 204 Benin; CI CIV 384 Ivory Coast; CV CPV 132 Cape Verde;
  GH GHA 288 Ghana; GM GMB 270 Gambia; GN GIN 324 Guinea; GW GNB 624 Guinea-Bissau;
  LR LBR 430 Liberia; ML MLI 466 Mali; MR MRT 478 Mauritania; NE NER 562 Niger;
  NG NGA 566 Nigeria; SH SHN 654 Saint Helena; SL SLE 694 Sierra Leone; SN SEN 686 Senegal;
  TG TGO 768 Togo;
Americas / Latin America and the Caribbean / Caribbean
  AG ATG 028 Antigua and Barbuda; AI AIA 660 Anguilla; AW ABW 533 Aruba; BB BRB 052 Barbados;
  BL BLM 652 Saint Barthélemy; BQ BES 535 Bonaire; BS BHS 044 Bahamas; CU CUB 192 Cuba;
  CW CUW 531 Curaçao; DM DMA 212 Dominica; DO DOM 214 Dominican Republic; GD GRD 308 Grenada;
  GP GLP 312 Guadeloupe; HT HTI 332 Haiti; JM JAM 388 Jamaica; KN KNA 659 Saint Kitts and Nevis;
  KY CYM 136 Cayman Islands; LC LCA 662 Saint Lucia; MF MAF 663 Saint Martin;
  MQ MTQ 474 Martinique; MS MSR 500 Montserrat; PR PRI 630 Puerto Rico; SX SXM 534 Sint Maarten;
  TC TCA 796 Turks and Caicos Islands; TT TTO 780 Trinidad and Tobago;
  VC VCT 670 Saint Vincent and the Grenadines; VG VGB 092 British Virgin Islands;
  VI VIR 850 US Virgin Islands;
Americas / Latin America and the Caribbean / Central America
  BZ BLZ 084 Belize; CR CRI 188 Costa Rica; GT GTM 320 Guatemala; HN HND 340 Honduras;
  MX MEX 484 Mexico; NI NIC 558 Nicaragua; PA PAN 591 Panama; SV SLV 222 El Salvador;
Americas / Latin America and the Caribbean / South America
  AR ARG 032 Argentina; BO BOL 068 Bolivia; BR BRA 076 Brazil; BV BVT 074 Bouvet Island;
  CL CHL 152 Chile; CO COL 170 Colombia; EC ECU 218 Ecuador; FK FLK 238 Falkland Islands;
  GF GUF 254 French Guiana; GS SGS 239 South Georgia and the South Sandwich Islands;
  GY GUY 328 Guyana; PE PER 604 Peru; PY PRY 600 Paraguay; SR SUR 740 Suriname;
  UY URY 858 Uruguay; VE VEN 862 Venezuela;
Americas / Northern America
  BM BMU 060 Bermuda; CA CAN 124 Canada; GL GRL 304 Greenland;
  PM SPM 666 Saint Pierre and Miquelon; US USA 840 United States;
Asia / Central Asia
  KG KGZ 417 Kyrgyzstan; KZ KAZ 398 Kazakhstan; TJ TJK 762 Tajikistan; TM TKM 795 Turkmenistan;
  UZ UZB 860 Uzbekistan;
Asia / South-eastern Asia
  BN BRN 096 Brunei; ID IDN 360 Indonesia; KH KHM 116 Cambodia; LA LAO 418 Laos;
  MM MMR 104 Myanmar; MY MYS 458 Malaysia; PH PHL 608 Philippines; SG SGP 702 Singapore;
  TH THA 764 Thailand; TL TLS 626 East Timor; VN VNM 704 Vietnam;
Asia / Southern Asia
  AF AFG 004 Afghanistan; BD BGD 050 Bangladesh; BT BTN 064 Bhutan; IN IND 356 India;
  IR IRN 364 Iran; LK LKA 144 Sri Lanka; MV MDV 462 Maldives; NP NPL 524 Nepal;
  PK PAK 586 Pakistan;
Asia / Western Asia
  AE ARE 784 United Arab Emirates; AM ARM 051 Armenia; AZ AZE 031 Azerbaijan; BH BHR 048 Bahrain;
  CY CYP 196 Cyprus; GE GEO 268 Georgia; IL ISR 376 Israel; IQ IRQ 368 Iraq; JO JOR 400 Jordan;
  KW KWT 414 Kuwait; LB LBN 422 Lebanon; OM OMN 512 Oman; PS PSE 275 Palestine; QA QAT 634 Qatar;
  SA SAU 682 Saudi Arabia; SY SYR 760 Syria; TR TUR 792 Turkey; YE YEM 887 Yemen;
Europe / Eastern Europe
  BG BGR 100 Bulgaria; BY BLR 112 Belarus; CZ CZE 203 Czechia; HU HUN 348 Hungary;
  MD MDA 498 Moldova; PL POL 616 Poland; RO ROU 642 Romania; RU RUS 643 Russia;
  SK SVK 703 Slovakia; UA UKR 804 Ukraine;
Europe / Northern Europe
  AX ALA 248 Åland Islands; DK DNK 208 Denmark; EE EST 233 Estonia; FI FIN 246 Finland;
  FO FRO 234 Faroe Islands; GB GBR 826 United Kingdom; GG GGY 831 Guernsey; IE IRL 372 Ireland;
  IM IMN 833 Isle of Man; IS ISL 352 Iceland; JE JEY 832 Jersey; LT LTU 440 Lithuania;
  LV LVA 428 Latvia; NO NOR 578 Norway; SE SWE 752 Sweden; SJ SJM 744 Svalbard and Jan Mayen;
Europe / Southern Europe
  AD AND 020 Andorra; AL ALB 008 Albania; BA BIH 070 Bosnia and Herzegovina; ES ESP 724 Spain;
  GI GIB 292 Gibraltar; GR GRC 300 Greece; HR HRV 191 Croatia; IT ITA 380 Italy;
  ME MNE 499 Montenegro; MK MKD 807 North Macedonia; MT MLT 470 Malta; PT PRT 620 Portugal;
  RS SRB 688 Serbia; SI SVN 705 Slovenia; SM SMR 674 San Marino; VA VAT 336 Holy See;
Europe / Western Europe
  AT AUT 040 Austria; BE BEL 056 Belgium; CH CHE 756 Switzerland; DE DEU 276 Germany;
  FR FRA 250 France; LI LIE 438 Liechtenstein; LU LUX 442 Luxembourg; MC MCO 492 Monaco;
  NL NLD 528 Netherlands;
Oceania / Australia and New Zealand
  AU AUS 036 Australia; CC CCK 166 Cocos Islands; CX CXR 162 Christmas Island;
  HM HMD 334 Heard Island and McDonald Islands; NF NFK 574 Norfolk Island; NZ NZL 554 New Zealand;
Oceania / Melanesia
  FJ FJI 242 Fiji; NC NCL 540 New Caledonia; PG PNG 598 Papua New Guinea;
  SB SLB 090 Solomon Islands; VU VUT 548 Vanuatu;
Oceania / Micronesia (region)
  FM FSM 583 Micronesia; GU GUM 316 Guam; KI KIR 296 Kiribati; MH MHL 584 Marshall Islands;
  MP MNP 580 Northern Mariana Islands; NR NRU 520 Nauru; PW PLW 585 Palau;
  UM UMI 581 United States Minor Outlying Islands;
Oceania / Polynesia
  AS ASM 016 American Samoa; CK COK 184 Cook Islands; NU NIU 570 Niue;
  PF PYF 258 French Polynesia; PN PCN 612 Pitcairn; TK TKL 772 Tokelau; TO TON 776 Tonga;
  TV TUV 798 Tuvalu; WF WLF 876 Wallis and Futuna; WS WSM 882 Samoa;
"""
_OTHER_NAMES = """
AT Austria; Osterreich; Autriche; Oostenrijk
AU Australien; Australie
BA Bosnia; Bosnien; Bosnien und Herzegowina; Bosnie; Bosnia and Herzegovina
BE Belgien; Belgique; Belgica; Belgio; Belgie; Belgia
BG Bulgarien; Bulgarie; Bulgarije; Bulgaria
BR Brasilien; Bresil; Brasil; Brasile; Brazilie; Brazylia
CA Kanada; Canada
CH Schweiz; Suisse; Suiza; Svizzera; Zwitserland; Suica; Szwajcaria
CI Cote d'Ivoire; Elfenbeinkuste
CN VR China; Chine; Cina; Chiny; Volksrepublik China
CZ Tschechien; Czech Republic; Tschechische Republik; Tchequie; Chequia; Cechia; Tsjechie; Czechy
DE Deutschland; Allemagne; Alemania; Alemanha; Duitsland; Niemcy; Germania
DK Danemark; Dinamarca; Danimarca; Denemarken; Dania
DZ Algerien; Algerie; Argelia
EG Agypten; Egypte; Egipto; Egitto; Egipt
ES Spanien; Espagne; Espana; Spagna; Spanje; Espanha; Hiszpania
FI Finnland; Finlande; Finlandia; Suomi
FR Frankreich; Francia; Frankrijk; Franca; Francja
GB Great Britain; Britain; England; Scotland; Wales; Grossbritannien; Vereinigtes Konigreich;
GB Royaume-Uni; Reino Unido; Regno Unito; Verenigd Koninkrijk; Wielka Brytania; UK; U.K.
GR Griechenland; Grece; Grecia; Griekenland; Grecja; Hellas
HR Kroatien; Croatie; Croacia; Croazia; Kroatie; Chorwacja; Hrvatska
HU Ungarn; Hongrie; Hungria; Ungheria; Hongarije; Wegry
IE Irland; Irlande; Irlanda; Ierland; Irlandia
IN Indien; Inde; Indie
IQ Irak
IR Iran
IT Italien; Italie; Italia; Wlochy
JP Japon; Giappone; Japao; Japonia
KR Korea; Sudkorea; Coree du Sud; Republic of Korea
LU Luxemburg; Lussemburgo
MA Marokko; Maroc; Marruecos; Marocco; Marrocos; Maroko
MK Macedonia; Nordmazedonien; North Macedonia
MX Mexiko; Mexique; Messico; Meksyk
NG Nigeria; Nigerien
NL Niederlande; Pays-Bas; Paises Bajos; Paesi Bassi; Nederland; Holland; Holandia; Paises Baixos
NO Norwegen; Norvege; Noruega; Norvegia; Noorwegen; Norwegia
PL Polen; Pologne; Polonia; Polska
PT Portugal; Portogallo; Portugalia
RO Rumanien; Roumanie; Rumania; Roemenie; Rumunia; Romenia
RS Serbien; Serbie; Serbia; Servie
RU Russland; Russie; Rusia; Rusland; Rosja; Russian Federation; Russische Foderation
SE Schweden; Suede; Suecia; Svezia; Zweden; Szwecja; Sverige
SK Slowakei; Slovaquie; Eslovaquia; Slovacchia; Slowakije; Slowacja
SI Slowenien; Slovenie; Eslovenia
SY Syrien; Syrie; Siria; Syria; Syrian Arab Republic
TN Tunesien; Tunisie; Tunez
TR Turkei; Turquie; Turquia; Turchia; Turkije; Turcja; Turkiye
UA Ukraine; Ucrania; Ucraina; Oekraine; Ukraina
US USA; U.S.A.; U.S.; United States of America; Vereinigte Staaten; Etats-Unis; Estados Unidos;
US Stati Uniti; Verenigde Staten; Stany Zjednoczone
VN Viet Nam
"""


def country_regions(value: str) -> tuple[str, ...] | None:
    """Sub-region and region of a country's code or name; None for what is no country.

    Examples
    --------
    >>> country_regions("DE"), country_regions("bra"), country_regions("Frankreich")
    (('Western Europe', 'Europe'), ('South America', 'Americas'), ('Western Europe', 'Europe'))
    """
    return _known().get(_plain(value))


@cache
def _known() -> dict[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {}
    area: tuple[str, ...] = ()
    for line in _AREAS.strip().splitlines():
        if not line.startswith(" "):
            parts = line.split(" / ")
            # the finest area and the region; a level that only some regions have is left out
            area = (parts[-1], parts[0])
            continue
        for entry in filter(None, map(str.strip, line.split(";"))):
            two, three, number, name = entry.split(" ", 3)
            for key in (two, three, number, name):
                known[_plain(key)] = area
    for line in _OTHER_NAMES.strip().splitlines():
        code, names = line.split(" ", 1)
        for name in filter(None, map(str.strip, names.split(";"))):
            known.setdefault(_plain(name), known[_plain(code)])
    return known


def _plain(text: str) -> str:
    """Small letters without accents and signs."""
    base = unicodedata.normalize("NFKD", text.casefold())
    return re.sub(r"[^a-z0-9]+", " ", "".join(c for c in base if not unicodedata.combining(c)))
