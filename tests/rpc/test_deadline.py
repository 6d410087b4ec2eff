"""The time that a caller gives."""

from arcscribe.rpc.deadline import bind_deadline, time_left


def test_time_left_is_what_was_given_less_what_has_gone() -> None:
    assert time_left(3) == 3
    bind_deadline(0.5)
    assert 0.3 < time_left(3) <= 0.5
    assert time_left(0.1) == 0.1
    bind_deadline(-1)
    assert time_left(3) == 0
    bind_deadline(None)
