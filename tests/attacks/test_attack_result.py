from shoal.attacks._attack_result import AttackResult


def test_a_result_prints_its_interval_and_baseline():
    result = AttackResult("guess", "share found", 0.5, 0.4, 0.6, 0.1, 20, {"rows": 3})
    assert str(result) == "guess: share found 0.500 [0.400, 0.600], by guessing 0.100"
    assert result.to_dict()["interval"] == [0.4, 0.6]
