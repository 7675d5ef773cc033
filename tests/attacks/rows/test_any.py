from shoal.attacks.rows._any import attack_any
from tests.attacks.rows.people import draw


def test_all_attacks_run_and_control_rows_decide_about_the_closest_record():
    people, others = draw(60, 0), draw(60, 1)
    with_control = attack_any(people, people, others, None, secrets=["ill", "pay"], n_attacks=50)
    assert [r.attack.split(",")[0] for r in with_control] == [
        "singling out", "linkability", "inference", "inference", "closest record",
    ]  # fmt: skip
    assert len(attack_any(people, people, None, None, n_attacks=50)) == 3
    assert len(attack_any({"age": [1, 2]}, {"age": [1, 2]}, None, None)) == 1
