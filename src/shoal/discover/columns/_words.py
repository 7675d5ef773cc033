"""Words that column names are made of, in English, German, French, Spanish, Italian, Dutch,
Portuguese and Polish.

Words are written small and without accents; `_` joins the words of a phrase, `*` stands for any
further letters, for languages that write words together.
"""

from __future__ import annotations

IDENTIFIERS: dict[str, str] = {
    "a person's name": """
        name names fullname full_name firstname first_name lastname last_name middle_name surname
        forename given_name family_name maiden_name nickname patient_name username *nachname
        *vorname familienname geburtsname rufname zuname madchenname maedchenname birth_name nom
        noms prenom prenoms nom_de_famille patronyme nombre nombres apellido apellidos nome nomi
        cognome cognomi naam *voornaam *achternaam geslachtsnaam roepnaam meisjesnaam sobrenome
        apelido apelidos imie imiona nazwisko nazwiska imie_i_nazwisko contact_person
        ansprechpartner kontaktperson next_of_kin notfallkontakt""",
    "a postal address": """
        address addresses street streets house_number house_no address_line adresse adressen
        *anschrift *strasse str hausnummer hausnr *adresse rue voie direccion calle domicilio
        indirizzo via civico adres straat *straatnaam *huisnummer endereco morada rua logradouro
        ulica nr_domu numer_domu adres_zamieszkania ul""",
    "an e-mail address": """
        email e_mail mail mails emails mail_address *mailadresse mailadres courriel correo
        correo_electronico posta_elettronica poczta poczta_elektroniczna""",
    "a telephone number": """
        phone phones telephone tel mobile cell cellphone fax phone_number *telefon* *handy
        handynummer *rufnummer mobilnummer mobil telefax portable telephone_portable telefono
        movil celular cellulare *telefoon* mobiel* gsm telefone telemovel komorka nr_tel""",
    "an account on the net": """
        url urls website homepage twitter facebook instagram linkedin whatsapp skype user_name
        username login loginname handle screen_name benutzername *nutzername benutzer nutzer
        gebruikersnaam pseudo usuario identifiant_utilisateur nome_utente utilizador uzytkownik
        web_address internetadresse""",
    "a device": """
        ip ip_address ipaddr ipaddress ip_adresse adresse_ip mac mac_address imei imsi device_id
        cookie cookie_id advertising_id idfa serial_number seriennummer numero_de_serie
        geratenummer geraetenummer numero_di_serie serienummer""",
    "a bank account or card": """
        iban account account_number account_no acct card_number credit_card credit_card_number
        creditcard debit_card pan konto kontonr kontonummer *kontonummer bankverbindung
        kreditkarte* kartennummer compte numero_de_compte carte_bancaire rib cuenta
        numero_de_cuenta tarjeta conto_corrente numero_conto rekening* bankrekening*
        conta_bancaria numero_da_conta nr_konta numer_konta rachunek numer_rachunku""",
    "a vehicle": """
        licence_plate license_plate number_plate plate plate_number vin chassis_number
        *kennzeichen fahrgestellnummer plaque immatriculation plaque_d_immatriculation targa
        kenteken numer_rejestracyjny matricula placa""",
    "a picture or body mark": """
        photo photograph portrait picture fingerprint signature face_id iris voiceprint lichtbild
        passfoto fingerabdruck unterschrift empreinte firma huella foto zdjecie podpis""",
    "an official number": """
        ssn social_security social_security_number social_insurance passport passport_number
        licen[cs]e licen[cs]e_number licen[cs]e_no drivers_licen[cs]e national_id national_number
        national_insurance nino nhs nhs_number medicare medicare_number tax_id tax_number taxid
        tin sin mrn medical_record medical_record_number record_number health_number
        hospital_number *ausweis* *passnummer reisepass* *fuhrerschein* *fuehrerschein*
        versicherten* versichertennr *versicherungsnummer *versicherungsnr sozialversicherung*
        svnr ahv ahvnr ahv_nummer rentenversicherung* steuernummer steuer_id
        steueridentifikationsnummer idnr steuernr personalnummer personalnr matrikel*
        krankenkassennummer kvnr egk nir numero_de_securite_sociale securite_sociale passeport
        permis permis_de_conduire matricule numero_fiscal dni nif nie nie_numero pasaporte cedula
        cedula_de_identidad numero_de_historia nhc historia_clinica expediente legajo rut rfc curp
        cuil cuit nss licencia licencia_de_conducir carne_de_identidad codice_fiscale cf codfisc
        passaporto patente tessera_sanitaria matricola carta_d_identita bsn burgerservicenummer
        sofinummer paspoort* rijbewijs* rijksregisternummer cpf rg cartao_de_cidadao
        cartao_cidadao bi numero_de_utente utente passaporte numero_de_contribuinte contribuinte
        pesel paszport nr_paszportu dowod dowod_osobisty nr_dowodu nip regon prawo_jazdy
        legitymacja numer_legitymacji personnummer cpr henkilotunnus fodselsnummer""",
    "a number of a household": """
        hid hhid hh_id hh_nr hh_no hhnr household_id household_no household_number *haushaltsnummer
        haushaltsnr haushalts?_id haushalts?_nr haushalts?_nummer menage_id id_menage hogar_id
        id_hogar""",
    "a number of a person, case or record": """
        pid ppid subjid usubjid case_concept_name
        id ids identifier identifiers identification uuid guid key pseudonym code_patient *_id
        kennung kennnummer kennziffer identifikation *nummer aktenzeichen identifiant
        numero_de_dossier numero_dossier dossier ipp no_dossier identificador identificacion
        identificativo identificatie numero_paziente numero_de_processo processo identyfikator
        record case_no file_number""",
}
"""What names people, with the words that say so."""

PERSONS = """
    case_concept
    patient* patiente* person persons subject participant* customer* client* member* user student*
    pupil employee* insured proband* respondent* resident donor applicant worker kunde* kunden*
    versicherte* mitarbeiter* teilnehmer* schuler* schueler* mitglied* personal* studierende*
    bewerber* einwohner* burger* buerger* klient* personne assure* usager adherent salarie*
    employe* eleve* etudiant* sujet paciente* cliente* empleado* alumno* persona usuario socio
    asegurado* trabajador* paziente* dipendente* studente* utente assistito klant* medewerker*
    leerling* deelnemer* persoon* patienten* utente* aluno* funcionario* pessoa trabalhador*
    pacjent* klient* pracownik* uczen ucznia student* osoba osoby uczestnik*"""
"""Words for people, before a number of theirs."""

NUMBERING = """
    id ids no nr num number code key uuid guid identifier pseudonym nummer kennung
    numero identifiant identificador codice codigo kod numer code_number"""
"""Words that make a number of a person of the word before."""

THINGS = """
    concept
    city town village place country state province region district county municipality area site
    hospital clinic ward department dept unit room bed station school class university company
    firm employer organi[sz]ation store shop branch product item drug medication medicine
    substance disease illness diagnosis test study variable column file table event category group
    brand model event_type species color colour course project team language currency job
    occupation device_type region_code sector industry procedure therapy lab stadt* ort* gemeinde*
    land* kreis* bezirk* klinik* krankenhaus* station* abteilung* schul* firma firmen* filial*
    produkt* artikel* medikament* diagnose* studie* gruppe* kategorie* zimmer* bett* fach*
    wirkstoff* ville commune pays departement hopital service unite ecole entreprise societe
    produit medicament maladie categorie groupe etablissement ciudad pais provincia municipio
    centro servicio empresa escuela producto medicamento categoria citta comune regione ospedale
    reparto scuola azienda prodotto farmaco plaats gemeente ziekenhuis* afdeling* bedrijf* winkel*
    geneesmiddel* cidade distrito concelho escola produto hospitalar miasto gmina powiat
    wojewodztwo szpital* oddzial* szkola* firmy produkt* lek leku"""
"""Words for things and places: their names and numbers name nobody."""

NOT_ITSELF = """
    type kind flag has is count opt consent consents category status length valid verified known
    available present missing art typ anzahl vorhanden einwilligung tipo nombre_de tipologia soort
    nombre_d nombre_des aantal liczba quantidade rodzaj typu zgoda optin in number_of n source
    quality brand provider"""
"""Words that say that a column is about a thing, and does not hold it."""

SENSITIVE: dict[str, str] = {
    "a diagnosis": """
        diagnos[ei]s diagnosis_code dx disease diseases illness condition conditions icd cancer
        tumou?r comorbidit* symptom* cause_of_death hiv aids disorder
        *diagnose* *diagnosen krankheit* erkrankung* haupterkrankung todesursache nebendiagnose
        leiden befund diagnostic* maladie* pathologie affection cause_de_deces comorbidite*
        diagnostico* enfermedad* patologia* causa_de_muerte dolencia
        diagnosi malattia malattie causa_di_morte
        ziekte* aandoening* doodsoorzaak doenca* causa_da_morte
        rozpoznanie choroba choroby diagnoza przyczyna_zgonu schorzenie
        diabet* asthma* asma depress* hypertension hypertonie copd stroke schlaganfall epilep*
        dementia demenz hepatit* krebs kanker rak cukrzyca""",
    "a treatment or drug": """
        medication* medikation* medicacion medicazione medicatie ops
        drug drugs medicine* prescription* treatment* therapy therapies procedure*
        surgery vaccin* dose dosage atc medikament* arznei* wirkstoff* therapie* behandlung*
        eingriff* operation* impf* dosis verordnung rezept medicament* traitement* ordonnance
        intervention* posologie medicamento* tratamiento* cirugia receta terapia* vacuna* farmaco
        farmaci trattamento* prescrizione medicijn* geneesmiddel* behandeling* ingreep tratamento*
        remedio prescricao vacina* lek leki leku leczenie zabieg terapia recepta szczepion*""",
    "a test result": """
        lab_result test_result result results finding blood_pressure glucose cholesterol hba
        c_reactive psa cd creatinine h?emoglobin bmi viral_load score_depression iq genotype
        laborwert* laborergebnis* testergebnis* blutdruck blutzucker ergebnis* resultat*
        tension_arterielle glycemie resultado* presion_arterial glucosa risultato risultati esito
        pressione uitslag* bloeddruk bloedsuiker resultado_do_teste pressao_arterial wynik wyniki
        wynik_badania cisnienie""",
    "an outcome": """
        outcome outcomes survived survival died death dead deceased mortality relapse
        status_of_health class label target verstorben gestorben todesfall uberlebt ueberlebt
        deces decede survie issue fallecido muerte desenlace deceduto morte decesso overleden
        overlijden obito falecido zgon zmarl""",
    "income or wealth": """
        income salary wage wages earnings pay net_worth wealth debt debts credit credit_score rent
        pension benefits tax_paid einkommen* *einkommen gehalt* *gehalt lohn* *lohn verdienst
        vermogen vermoegen schulden* bruttolohn rente einkunfte einkuenfte kredit* revenu*
        salaire* dette* patrimoine ingreso ingresos salario* sueldo* deuda* renta reddito redditi
        stipendio debito debiti retribuzione inkomen* salaris* loon schuld* vermogen rendimento*
        ordenado divida* dochod dochody wynagrodzenie pensja zarobki zadluzenie""",
    "belief, politics or union membership": """
        religion religious denomination faith church politic* party vote voting union
        union_member* trade_union konfession* religions* glaube* partei* gewerkschaft*
        wahlverhalten confession croyance parti syndicat* politique religion_declaree creencia*
        partido sindicato* politica religione fede partito sindacato geloof* kerk* vakbond*
        politiek* religie religiao crenca partido_politico wyznanie religia partia
        zwiazek_zawodowy poglady""",
    "sexual life": """
        orientation sexual_orientation sexuality sexual sexuelle_orientierung sexualitat
        orientation_sexuelle orientacion_sexual orientamento seksuele_geaardheid geaardheid
        orientacao_sexual orientacja orientacja_seksualna""",
    "crime": """
        crime crimes criminal* offen[cs]e* conviction* sentence arrest* vorstrafe* straftat*
        delikt* verurteilung* delit* condamnation* infraction* delito* condena* antecedentes reato
        reati condanna misdrijf* veroordeling* strafblad crime_cometido condenacao przestepstwo
        wyrok karalnosc""",
    "disability or care": """
        disabilit* disabled handicap* impairment care_level behinderung* pflegegrad pflegestufe
        schwerbehindert* invalidite* discapacidad* minusvalia disabilita invalidita beperking*
        deficiencia* incapacidade niepelnosprawnosc""",
    "genes": "genetic* gene genes genome mutation* dna gentest* genetique* genetica* genetyk*",
    "violence or addiction": """
        abuse addiction* alcohol* smoking smoker drinking drug_use substance_use sucht* alkohol*
        raucher* fumeur* tabac tabagisme alcool* adiccion* tabaquismo fumador* fumatore* verslaving*
        roken roker* fumante* tabagismo uzaleznienie palacy palenie""",
    "a mark or grade": """
        grade grades gpa exam_score marks abiturnote *schulnote zeugnisnote note_finale
        calificacion* voto_finale rapportcijfer* nota_final ocena oceny""",
}
"""What nobody may link to a person, with the words that say so."""

QUASI: dict[str, str] = {
    "an age": """
        age ages age_years alter *alter lebensalter age_ans edad eta leeftijd idade wiek
        years_old jahre_alt""",
    "a date of birth": """
        birth birthdate birth_date date_of_birth born dob birthday birth_year year_of_birth
        geburt* geb gebdat gebdatum geb_dat geb_datum naissance date_de_naissance ne_le nacimiento
        fecha_de_nacimiento fecha_nacimiento nascita data_di_nascita geboorte* nascimento
        data_de_nascimento urodzenia data_urodzenia rok_urodzenia""",
    "a sex": "sex gender geschlecht* sexe genre sexo genero sesso genere geslacht* plec m_f",
    "an ethnic group": """
        race ethnic* ethnie* raza etnia etnico etniczn* raca cor_raca razza etniciteit herkunft
        migrationshintergrund origine* afkomst pochodzenie origin""",
    "a nationality": """
        nationality national citizen* staatsangehor* staatsburger* nationalitat* nationalite
        nacionalidad ciudadania nazionalita cittadinanza nationaliteit* nacionalidade cidadania
        narodowosc obywatelstwo nation native_country country_of_birth""",
    "a country": """
        country countries land lander pays pais paese landen kraj geburtsland herkunftsland
        country_code""",
    "a postcode": """
        zip zipcode zip_code post_code postcode postal postal_code plz postleitzahl code_postal cp
        codigo_postal cod_postal cap codice_postale codice_avviamento_postale codigo_de_postal cep
        kod_pocztowy""",
    "a place": """
        city town village place state province region district county municipality residence
        location neighbou?rhood suburb community stadt* wohnort* ort ortschaft gemeinde*
        bundesland kreis* landkreis bezirk* stadtteil* kanton* ville commune departement canton
        arrondissement lieu domicile_ville quartier ciudad localidad municipio provincia
        comunidad_autonoma barrio citta comune provincia_di_residenza regione localita quartiere
        residenza plaats woonplaats gemeente provincie wijk stad cidade distrito concelho
        freguesia localidade bairro estado miasto miejscowosc gmina powiat wojewodztwo dzielnica""",
    "a position on the map": """
        lat latitude lon long lng longitude coordinates coordinate geo geolocation gps easting
        northing breitengrad langengrad laengengrad koordinate* latitud longitud latitudine
        longitudine breedtegraad lengtegraad szerokosc_geograficzna dlugosc_geograficzna""",
    "a marital status": """
        marital marital_status married civil_status familienstand zivilstand etat_civil
        situation_familiale estado_civil stato_civile burgerlijke_staat stan_cywilny verheiratet
        relationship partnership spouse*""",
    "an education": """
        education* degree schooling school_leaving qualification* diploma educational bildung*
        ausbildung* schulabschluss* abschluss* schulbildung etudes niveau_d_etudes diplome*
        formation estudios educacion nivel_de_estudios titulacion istruzione titolo_di_studio
        onderwijs* opleiding* escolaridade habilitacoes educacao wyksztalcenie edukacja""",
    "an occupation": """
        occupation* job jobs job_title profession* employer* employment work_?class workclass
        industry isco beruf* *beruf tatigkeit* taetigkeit* arbeitgeber* branche stellung metier
        emploi employeur profession_exercee categorie_socioprofessionnelle ocupacion profesion
        empleo empleador puesto occupazione professione lavoro datore_di_lavoro mestiere beroep*
        werkgever* functie baan profissao ocupacao emprego empregador zawod zatrudnienie
        pracodawca stanowisko""",
    "a household": """
        household children child_count kids family_size dependents household_size n_children
        kinder* kinderzahl haushalt* haushaltsgrosse menage enfants nombre_d_enfants hogar hijos
        numero_de_hijos nucleo_familiare figli numero_di_figli huishouden* kinderen
        agregado_familiar filhos gospodarstwo_domowe dzieci liczba_dzieci""",
    "a language": """
        language* mother_tongue sprache* muttersprache langue* idioma* lengua* lingua* taal
        moedertaal lingua_materna jezyk jezyk_ojczysty""",
    "a bodily measure": """
        height weight body_height body_weight hair_colou?r eye_colou?r blood_type blood_group
        grosse groesse gewicht korpergrosse koerpergroesse korpergewicht haarfarbe augenfarbe
        blutgruppe taille poids groupe_sanguin altura peso estatura grupo_sanguineo altezza
        statura gruppo_sanguigno lengte lichaamslengte bloedgroep tipo_sanguineo wzrost waga
        grupa_krwi""",
    "a date or time of something that others may have noticed": """
        date dates admission* discharge* year month day time timestamp visit_date arrival datum
        *datum aufnahme* entlassung* jahr monat uhrzeit zeitpunkt besuch* date_d_entree
        date_de_sortie annee mois heure admission_date fecha fechas ingreso_fecha alta anio ano
        mes hora data data_ricovero dimissione anno mese ora ricovero opname* ontslag* jaar maand
        tijd* data_de_admissao data_de_alta data_przyjecia data_wypisu rok miesiac godzina hours
        hours_per_week""",
    "an institution that others may know": """
        hospital clinic ward department school university station_id krankenhaus* klinik*
        abteilung* schule* hopital ecole service_hospitalier escuela colegio ospedale reparto
        scuola ziekenhuis* afdeling* school_naam escola szpital* oddzial* szkola""",
}
"""What others may know of a person, with the words that say so."""

AMOUNTS = """
    cost costs price amount amounts charge charges fee fees expense expenses expenditure balance
    payment payments total sum spending purchase turnover revenue capital premium claim kosten*
    *kosten betrag* *betrag preis* gebuhr* umsatz* ausgaben rechnung* pramie zahlung* cout couts
    prix montant* frais depense* paiement* solde coste costes costo costi precio* importe* gasto
    gastos pago pagos saldo prezzo importo spesa spese pagamento prijs bedrag* uitgaven betaling*
    custo custos preco montante despesa* pagamento valor valores koszt koszty cena kwota wydatki
    platnosc saldo_konta"""
"""Words for money that was paid, which whoever paid it knows."""

FREE_TEXT = """
    comment* note notes remark* description* narrative free_text freetext text message* memo
    summary report_text letter anamnesis history_of_present kommentar* bemerkung* anmerkung*
    notiz* freitext* beschreibung* anamnese* arztbrief* epikrise* befundtext verlauf* nachricht*
    commentaire* remarque* observation* compte_rendu texte comentario* observacion* notas texto
    descripcion commento commenti osservazion* testo descrizione opmerking* toelichting* notitie*
    omschrijving* tekst observacao observacoes descricao anotac* uwagi komentarz* opis notatk*
    tresc"""
"""Words for what people wrote."""
