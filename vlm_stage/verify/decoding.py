"""The same texts through the paged decoder in several ways, which must all say the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise

import numpy as np

from vlm_stage.verify.prompted import Prompted
from vlm_stage.verify.stepper import Logits, Part, Stepper

CHUNK = 512
"""Tokens of a prompt in one step, as many as the engine's default."""
_ODD_CHUNK = 129
"""Tokens of a prompt in one step where chunks are to end in the middle of KV blocks."""
_DRAFTS = (2, 3, 17, 1, 5, 16)
"""Tokens of steps that verify drafts, the last token known included."""
_REJECTED = 3
"""Tokens of each such draft that are wrong, and are run over in the next step."""


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A prompt and the N tokens that the reference wrote after it; the last of them is never run."""

    prompt: Prompted
    tokens: Sequence[int]

    @property
    def end(self) -> int:
        """How many positions are run."""
        return len(self.prompt) + len(self.tokens) - 1

    def part(self, place: int, start: int, end: int) -> Part:
        """Its positions from `start` to `end` - 1, with the logits of those that a token follows."""
        wanted = max(0, end - max(start, len(self.prompt) - 1))
        return Part(place, self.prompt, self.tokens, start, end, wanted)


def alone(stepper: Stepper, text: Text) -> Logits:
    """Float32 (N, vocabulary): token by token, with nothing else in the step."""
    edges = [0, *_chunks(len(text.prompt), CHUNK), *range(len(text.prompt) + 1, text.end + 1)]
    parts = [text.part(0, start, end) for start, end in pairwise(edges)]
    return np.concatenate([stepper.run([part])[0] for part in parts])


def together(stepper: Stepper, texts: Sequence[Text]) -> list[Logits]:
    """The same of each text, all side by side: one more joins at each step, and each leaves at its end."""
    done = [0] * len(texts)
    rows: list[list[Logits]] = [[] for _ in texts]
    joined = 0
    while any(place_done < text.end for place_done, text in zip(done, texts, strict=True)):
        joined = min(joined + 1, len(texts))
        parts = list(_step(texts[:joined], done))
        for part, logits in zip(parts, stepper.run(parts), strict=True):
            done[part.place] = part.end
            rows[part.place].append(logits)
    return [np.concatenate(own) for own in rows]


def in_drafts(stepper: Stepper, text: Text, place: int) -> Logits:
    """The same in steps of several tokens, of which some are rejected; nothing ends where KV blocks do.

    At a `place` that held this text before, what should have been written anew may be right by chance.
    """
    edges = [0, *_chunks(len(text.prompt), _ODD_CHUNK)]
    rows = [stepper.run([text.part(place, start, end)])[0] for start, end in pairwise(edges)]
    done = len(text.prompt)
    lengths = cycle(_DRAFTS)
    while done < text.end:
        end = min(text.end, done + next(lengths))
        (logits,) = stepper.run([_with_wrong_draft(text, place, done, end)])
        rows.append(logits[: end - done])
        done = end
    return np.concatenate(rows)


def _step(texts: Sequence[Text], done: Sequence[int]) -> Iterator[Part]:
    """A token of each text that is being written, and of the prompts what there is room for."""
    room = CHUNK
    for place, text in enumerate(texts):
        start, length = done[place], len(text.prompt)
        end = min(start + 1, text.end) if start >= length else min(start + room, length)
        if start < length:
            room -= end - start
        if end > start:
            yield text.part(place, start, end)


def _with_wrong_draft(text: Text, place: int, start: int, end: int) -> Part:
    """Its positions from `start` to `end` - 1, and behind them a draft that is wrong from its first token."""
    known = end - len(text.prompt)
    wrong = [token - 1 if token else 1 for token in text.tokens[known : known + 1]] * _REJECTED
    tokens = [*text.tokens[:known], *wrong]
    last = end + len(wrong)
    return Part(place, text.prompt, tokens, start, last, last - start)


def _chunks(length: int, chunk: int) -> list[int]:
    """Where the chunks of a prompt end; none has a single token, as the engine runs none."""
    ends = [*range(chunk, length, chunk), length]
    if len(ends) > 1 and ends[-1] - ends[-2] == 1:
        ends[-2] -= 1
    return ends
