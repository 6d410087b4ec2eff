import numpy as np

from vlm_stage.engines.paddleocr_vl.networks.flat_batch import to_flat_batch
from vlm_stage.engines.paddleocr_vl.scheduling.sequence import Sequence
from vlm_stage.engines.paddleocr_vl.scheduling.step import Chunk, Step


def sequence_of(blocks: list[int]) -> Sequence:
    return Sequence(0, "a", 100, 9, blocks=blocks)


def test_chunks_lie_one_after_another_with_the_blocks_that_each_needs() -> None:
    part_of_a_prompt = Chunk(sequence_of([5, 0, 3, 8]), 3, 5, (), wants_logits=False)
    decode = Chunk(sequence_of([7, 2]), 4, 1, (), wants_logits=True)
    end_of_a_prompt = Chunk(sequence_of([1, 4, 6]), 5, 4, (11, 12), wants_logits=True)
    batch = to_flat_batch(Step((part_of_a_prompt, decode, end_of_a_prompt)), block_size=4)
    assert batch.past_lens.tolist() == [3, 4, 5]
    assert batch.subsequence_begins.tolist() == [0, 5, 6, 10]
    assert batch.block_indices.tolist() == [5, 0, 7, 2, 1, 4, 6]
    assert batch.block_indices_begins.tolist() == [0, 2, 4, 7]
    assert batch.max_context_len == 9
    assert batch.logits_rows.tolist() == [5, 7, 8, 9]


def test_types_are_those_that_the_graph_takes_even_when_no_logits_are_wanted() -> None:
    batch = to_flat_batch(Step((Chunk(sequence_of([0]), 0, 2, (), wants_logits=False),)), block_size=4)
    assert batch.past_lens.dtype == batch.subsequence_begins.dtype == np.int32
    assert batch.block_indices.dtype == batch.block_indices_begins.dtype == np.int32
    assert batch.logits_rows.dtype == np.int64
    assert batch.logits_rows.shape == (0,)
