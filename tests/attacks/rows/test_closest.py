from shoal.attacks import closest_attack
from tests.attacks.rows.people import draw


def example_closest():
    return (draw(80, 0), draw(80, 0), draw(80, 1)), {}


def test_a_copy_is_nearest_to_its_own_people_and_other_rows_to_nobody():
    people, others = draw(300, 0), draw(300, 1)
    copied = closest_attack(people, people, others)
    assert copied.risk > 0.95
    assert copied.details["people_median"] == 0 < copied.details["control_median"]
    fresh = closest_attack(draw(300, 2), people, others)
    assert fresh.low < 0.5 < fresh.high
