import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vlm_stage.engines.paddleocr_vl.drafted_decoding import (
    END,
    babbling,
    decode,
    decode_with_draft,
    random_output,
    saying,
)
from tests.vlm_stage.engines.paddleocr_vl.even_costs import even_costs
from vlm_stage.engines.paddleocr_vl.drafts.costs import DraftCosts
from vlm_stage.engines.paddleocr_vl.drafts.drafter import Drafter, draft_tokens

TOKENS = st.lists(st.integers(END, END + 7), max_size=80)
TEXT = list(range(100, 160))


@given(seed=st.integers(0, 999), vocabulary=st.integers(2, 8), draft=TOKENS, length=st.integers(1, 60))
def test_the_output_is_the_same_with_any_draft(
    seed: int, vocabulary: int, draft: list[int], length: int
) -> None:
    model = babbling(seed, vocabulary)
    assert decode_with_draft(model, draft, length)[0] == decode(model, length)


@given(seed=st.integers(0, 999), edits=st.lists(st.tuples(st.integers(0, 59), st.integers(END, END + 7))))
def test_the_output_is_the_same_with_a_draft_that_is_nearly_right(
    seed: int, edits: list[tuple[int, int]]
) -> None:
    model = babbling(seed, 40)
    said = decode(model, 60)
    draft = list(said)
    for place, token in edits:
        draft[place % len(draft) : place % len(draft) + token % 2] = [token]
    assert decode_with_draft(model, draft, 60)[0] == said


@given(output=TOKENS, draft=TOKENS, limit=st.integers(0, 40), beside=st.integers(0, 40))
def test_a_proposal_is_a_piece_of_the_draft_within_the_limit(
    output: list[int], draft: list[int], limit: int, beside: int
) -> None:
    drafter = Drafter(draft)
    for end in range(len(output) + 1):
        proposal = list(drafter.propose(output[:end], limit, beside))
        assert len(proposal) <= limit
        assert any(draft[place : place + len(proposal)] == proposal for place in range(len(draft) + 1))


@given(output=TOKENS, draft=TOKENS, ends=st.sets(st.integers(0, 80)))
def test_what_is_proposed_depends_on_draft_and_output_only(
    output: list[int], draft: list[int], ends: set[int]
) -> None:
    asked_often = Drafter(draft)
    for end in sorted(ends):
        asked_often.propose(output[:end], 4)
    assert asked_often.propose(output, 32) == Drafter(draft).propose(output, 32)


def test_the_start_of_the_draft_is_proposed_before_anything_is_said() -> None:
    proposal = Drafter(TEXT).propose([], 32)
    assert proposal
    assert list(proposal) == TEXT[: len(proposal)]


def test_more_is_proposed_the_longer_the_draft_has_been_right() -> None:
    drafter = Drafter(TEXT)
    lengths = [len(drafter.propose(TEXT[:end], 64)) for end in (1, 5, 20)]
    assert lengths == sorted(set(lengths))


def test_after_a_wrong_token_the_draft_is_proposed_from_behind_it() -> None:
    drafter = Drafter(TEXT)
    proposal = drafter.propose([*TEXT[:20], 7, TEXT[21], TEXT[22]], 64)
    assert list(proposal) == TEXT[23 : 23 + len(proposal)] != []


def test_a_draft_that_has_never_been_right_is_not_proposed() -> None:
    assert Drafter(TEXT).propose(range(1000, 1020), 64) == ()


def test_with_many_sequences_in_a_step_less_is_proposed() -> None:
    alone, of_many = (len(Drafter(TEXT).propose(TEXT[:20], 64, beside)) for beside in (0, 31))
    assert of_many < alone / 2


def test_where_more_tokens_cost_little_more_is_proposed() -> None:
    output = [*TEXT[:5], 7, *TEXT[6:12], 8, *TEXT[13:20]]
    on_cpu = Drafter(TEXT).propose(output, 64)
    on_gpu = Drafter(TEXT, even_costs(0.02)).propose(output, 64)
    assert len(on_gpu) > 2 * len(on_cpu)


@pytest.mark.parametrize("draft", [(), (END,)])
def test_a_draft_without_text_is_no_trouble(draft: Sequence[int]) -> None:
    drafter = Drafter(draft)
    assert drafter.propose([5, 6, 7], 64) == ()


def test_accepted_tokens_are_counted() -> None:
    drafter = Drafter(TEXT)
    drafter.observe(3)
    drafter.observe(0)
    drafter.observe(2)
    assert drafter.accepted_tokens == 5


def test_proposing_nothing_takes_microseconds() -> None:
    output, draft = random_output(1), random_output(2)
    histories = [output[:end] for end in range(len(output))]

    def seconds() -> float:
        drafter = Drafter(draft)
        start = time.thread_time()
        for history in histories:
            drafter.propose(history, 64)
        return (time.thread_time() - start) / len(histories)

    assert min(seconds() for _ in range(20)) < 20e-6


def test_the_end_is_found_in_the_step_that_verifies_the_last_words() -> None:
    said = [TEXT[0], END]
    output, cost = decode_with_draft(saying(said), said, 50)
    assert output == said
    assert cost == DraftCosts().of(3)


def _characters(text: str) -> list[int]:
    return [ord(character) for character in text]


def test_a_drafts_tokens_are_those_of_its_text_and_the_end() -> None:
    assert draft_tokens(" Total: 5\n", _characters, END) == (*_characters("Total: 5"), END)


def test_a_space_that_the_tokenizer_puts_before_a_text_is_not_in_the_draft() -> None:
    assert draft_tokens("Total", lambda text: _characters(f"▁{text}"), END) == (*_characters("Total"), END)


def test_where_the_text_grows_together_with_the_prompt_the_draft_starts_there() -> None:
    def merging(text: str) -> list[int]:
        return [-1 if pair == ": T" else ord(pair[0]) for pair in _cut(text)]

    def _cut(text: str) -> list[str]:
        head, joined, tail = text.partition(": T")
        return [*head, *([joined] if joined else []), *tail]

    assert draft_tokens("Total", merging, END, "Assistant: ") == (-1, *_characters("otal"), END)


@pytest.mark.parametrize("text", ["", " \n"])
def test_no_text_is_no_draft(text: str) -> None:
    assert draft_tokens(text, _characters, END) == ()
