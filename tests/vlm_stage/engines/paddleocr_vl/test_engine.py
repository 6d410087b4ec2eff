"""The engine on networks without weights: who is answered, with what, whatever goes wrong."""

import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs

from arcscribe.errors import InferenceFailed, QueueFull, StageUnavailable
from arcscribe.rpc.traces import span
from arcscribe.types import Crop, FinishReason, PartialText, RegionFailure, RegionKind, RegionText, TextFormat
from samples.checkpoints.tokenizer import write_tokenizer
from tests.rpc.spans import Collector
from tests.vlm_stage.engines.paddleocr_vl.fake_engine import Fakes, crop, read_all, running
from tests.vlm_stage.engines.paddleocr_vl.fake_networks import (
    DictatedDecoder,
    FakeDecoder,
    FakeVision,
    StuckVision,
)
from tests.waiting import wait_until
from vlm_stage.engines.paddleocr_vl.decoding.preemption_log import INTERVAL_SECONDS
from vlm_stage.engines.paddleocr_vl.inputs.prompts import Task
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(folder, 512)
    return folder / "tokenizer.json"


def texts(fakes: Fakes, tokenizer: Path, crops: list[Crop]) -> list[str]:
    """What is read of crops that are handed in at once."""
    with running(fakes, tokenizer) as engine:
        output = read_all(engine, crops)
    answers = [output[one.id][-1] for one in crops]
    assert all(isinstance(answer, RegionText) for answer in answers), answers
    return [answer.text for answer in answers if isinstance(answer, RegionText)]


def one_by_one(tokenizer: Path, crops: list[Crop]) -> list[str]:
    with running(Fakes(max_sequences=1), tokenizer) as engine:
        output = [read_all(engine, [one])[one.id][-1] for one in crops]
    return [answer.text for answer in output if isinstance(answer, RegionText)]


def dictated(tokenizer: Path, text: str, one: Crop) -> RegionText:
    """What becomes of that text when it is what the model writes about the crop."""
    known = TextTokenizer.from_file(tokenizer)
    decoder = DictatedDecoder(known.encode(text), known.encode("\n")[-1])
    with running(Fakes(decoder=decoder), tokenizer) as engine:
        answer = read_all(engine, [one])[one.id][-1]
    assert isinstance(answer, RegionText), answer
    return answer


@dataclass
class FixedClock:
    now: float

    def monotonic(self) -> float:
        return self.now


CROPS = [crop(number) for number in range(20)]


def test_crops_that_are_read_together_say_what_they_say_alone(tokenizer: Path) -> None:
    alone = one_by_one(tokenizer, CROPS)
    fakes = Fakes()
    assert texts(fakes, tokenizer, CROPS) == alone
    assert fakes.decoder.most_sequences > 1
    assert len(set(alone)) > 10


def test_crops_say_the_same_when_the_cache_is_too_small_for_all(tokenizer: Path) -> None:
    fakes = Fakes(decoder=FakeDecoder(block_count=40), max_sequences=8)
    assert texts(fakes, tokenizer, CROPS) == one_by_one(tokenizer, CROPS)
    assert fakes.scheduler
    assert fakes.scheduler.preemptions


def test_preemptions_are_told_once_a_minute_with_what_to_raise(
    tokenizer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fakes = Fakes(decoder=FakeDecoder(block_count=40), max_sequences=8)
    with capture_logs() as logged, running(fakes, tokenizer) as engine:
        read_all(engine, CROPS)
        assert fakes.scheduler
        preemptions = fakes.scheduler.preemptions
        assert preemptions > 1
        (warning,) = [entry for entry in logged if entry["event"] == "crops preempted"]
        assert warning["times"] < preemptions
        assert warning["free_blocks"] + warning["used_blocks"] == 40
        assert "kv_memory_mb" in warning["remedy"]
        later = time.monotonic() + INTERVAL_SECONDS
        monkeypatch.setattr("vlm_stage.engines.paddleocr_vl.decoding.preemption_log.time", FixedClock(later))
        read_all(engine, CROPS[:1])
    told = [entry["times"] for entry in logged if entry["event"] == "crops preempted"]
    assert len(told) == 2
    assert sum(told) == fakes.scheduler.preemptions


def test_without_preemptions_there_is_no_warning(tokenizer: Path) -> None:
    with capture_logs() as logged, running(Fakes(), tokenizer) as engine:
        read_all(engine, CROPS)
    assert logged == []


def test_what_an_engine_logs_names_its_process_and_device(tokenizer: Path) -> None:
    found: list[dict[str, object]] = []
    with structlog.contextvars.bound_contextvars(process="vlm_stage"), running(Fakes(), tokenizer) as engine:
        engine.submit(crop(1), lambda _told: found.append(structlog.contextvars.get_contextvars()))
        engine.close(5)
    assert found == [{"process": "vlm_stage", "device": "CPU"}]


def test_what_is_logged_of_a_crop_has_the_request_id_of_its_call(tokenizer: Path) -> None:
    fakes = Fakes()
    fakes.decoder.broken = {1}
    with (
        capture_logs(processors=[structlog.contextvars.merge_contextvars]) as logged,
        running(fakes, tokenizer) as engine,
        structlog.contextvars.bound_contextvars(request_id="r-17"),
    ):
        read_all(engine, CROPS[:1])
    assert [(entry["event"], entry["request_id"]) for entry in logged] == [("crop failed", "r-17")]


def test_an_engine_tells_its_blocks_batches_and_preemptions(tokenizer: Path) -> None:
    fakes = Fakes(decoder=FakeDecoder(block_count=40), max_sequences=8)
    with running(fakes, tokenizer) as engine:
        read_all(engine, CROPS)
        (load,) = engine.loads()
        assert fakes.scheduler
        assert (load.device, load.waiting, load.in_work) == ("CPU", 0, 0)
        assert (load.kv_blocks, load.kv_blocks_used) == (40, 0)
        assert load.preemptions == fakes.scheduler.preemptions > 0
        assert 0 < max(size for size, count in enumerate(load.batches) if count) <= 8


def test_batches_have_spans_that_name_their_crops_and_end_with_them(tokenizer: Path) -> None:
    collector = Collector()
    with collector.process(), running(Fakes(), tokenizer) as engine, span("crop"):
        read_all(engine, CROPS[:3])
    assert len(collector.named("encode")) == 3
    batches, (crop,) = collector.named("decode"), collector.named("crop")
    assert 1 < len(batches) <= 8
    assert max(len(batch.links) for batch in batches) > 1
    assert all(link.context == crop.context for batch in batches for link in batch.links)


def test_crops_say_the_same_when_several_are_encoded_in_a_row_beside_the_decoder(tokenizer: Path) -> None:
    fakes = Fakes(overlaps=True, row_patches=40)
    assert texts(fakes, tokenizer, CROPS) == one_by_one(tokenizer, CROPS)
    assert max(fakes.vision.rows) > 1


@pytest.mark.parametrize("kept", [1.0, 0.9, 0.5, 0.0])
def test_a_draft_changes_the_steps_but_not_the_text(tokenizer: Path, kept: float) -> None:
    alone = one_by_one(tokenizer, CROPS)
    drafts = [text[: round(len(text) * kept)] + "zzz" * (kept < 1) for text in alone]
    drafted = [crop(number, draft=draft) for number, draft in enumerate(drafts)]
    without, with_drafts = Fakes(max_sequences=1), Fakes(max_sequences=1)
    assert texts(without, tokenizer, CROPS) == texts(with_drafts, tokenizer, drafted) == alone
    if kept == 1.0:
        assert with_drafts.decoder.steps < 0.6 * without.decoder.steps


def test_an_answer_says_how_much_its_draft_foretold(tokenizer: Path) -> None:
    text = one_by_one(tokenizer, [crop(3)])[0]
    with running(Fakes(), tokenizer) as engine:
        output = read_all(engine, [crop(3, draft=text), crop(4)])
    drafted, plain = output[3][-1], output[4][-1]
    assert isinstance(drafted, RegionText)
    assert isinstance(plain, RegionText)
    assert drafted.generated_tokens / 2 < drafted.draft_tokens <= drafted.generated_tokens
    assert plain.draft_tokens == 0


def test_partial_text_grows_into_the_text(tokenizer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vlm_stage.engines.paddleocr_vl.decoding.generation.PARTIAL_SECONDS", 0.0)
    with running(Fakes(), tokenizer) as engine:
        output = read_all(engine, [crop(1, partial_text=True), crop(2)])
    *partials, answer = output[1]
    assert isinstance(answer, RegionText)
    assert len(partials) > 1
    for partial in partials:
        assert isinstance(partial, PartialText)
        assert answer.text.startswith(partial.text[: len(answer.text)].rstrip())
    assert len(output[2]) == 1


def test_partial_texts_come_no_faster_than_one_reads(
    tokenizer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vlm_stage.engines.paddleocr_vl.decoding.generation.PARTIAL_SECONDS", 3600.0)
    fakes = Fakes()
    with running(fakes, tokenizer) as engine:
        output = read_all(engine, [crop(number, partial_text=True) for number in range(4)])
    assert fakes.decoder.steps > 10
    assert [list(map(type, all_told)) for all_told in output.values()] == [[PartialText, RegionText]] * 4


def test_text_ends_at_the_limit_of_new_tokens(tokenizer: Path) -> None:
    with running(Fakes(), tokenizer) as engine:
        output = read_all(engine, [crop(number, max_new_tokens=3) for number in range(10)])
    answers = [answers[-1] for answers in output.values()]
    cut = [a for a in answers if isinstance(a, RegionText) and a.finish_reason is FinishReason.LENGTH]
    assert len(cut) > 5
    assert {answer.generated_tokens for answer in cut} == {3}


def test_a_sampled_text_depends_on_its_seed_and_not_on_the_batch(tokenizer: Path) -> None:
    sampled = [crop(number, temperature=4.0, seed=7) for number in range(6)]
    alone = one_by_one(tokenizer, sampled)
    assert texts(Fakes(), tokenizer, sampled + CROPS[10:])[:6] == alone
    assert one_by_one(tokenizer, [crop(number, temperature=4.0, seed=8) for number in range(6)]) != alone


def test_an_answer_is_read_as_what_was_asked_for(tokenizer: Path) -> None:
    source = "<fcel>a<fcel>b<nl>"
    asked = dictated(tokenizer, source, crop(1, prompt=Task.TABLE))
    assert asked == replace(
        dictated(tokenizer, source, crop(1, kind=RegionKind.TABLE)), milliseconds=asked.milliseconds
    )
    assert asked.text == "<table><tr><td>a</td><td>b</td></tr></table>"
    text = dictated(tokenizer, "a^b", crop(1, kind=RegionKind.FORMULA, prompt=Task.OCR))
    assert (text.text, text.format) == ("a^b", TextFormat.PLAIN)


def test_spotted_lines_have_places_in_the_crop(tokenizer: Path) -> None:
    places = "".join(f"<|LOC_{number}|>" for number in (1, 0, 10, 0, 10, 5, 1, 5))
    wide = crop(1, prompt=Task.SPOTTING)
    answer = dictated(tokenizer, f"ab{places}cd", wide)
    height, width = wide.pixels.shape[:2]
    (line,) = answer.spotted
    corners = [
        (width / 1000, 0),
        (width / 100, 0),
        (width / 100, height / 200),
        (width / 1000, height / 200),
    ]
    assert (line.text, answer.text, answer.format) == ("ab", "ab\ncd", TextFormat.PLAIN)
    assert list(line.polygon) == [pytest.approx(corner) for corner in corners]


@pytest.mark.parametrize("kind", [RegionKind.TEXT, RegionKind.TABLE])
def test_what_a_model_repeats_is_said_once_and_told(tokenizer: Path, kind: RegionKind) -> None:
    answer = dictated(tokenizer, "abc" * 20, crop(1, kind=kind, prompt=Task.OCR))
    assert (answer.text, answer.finish_reason) == ("abc", FinishReason.REPETITION)
    table = dictated(tokenizer, "<fcel>a<nl>" * 12, crop(1, prompt=Task.TABLE))
    assert (table.text.count("<tr>"), table.finish_reason) == (12, FinishReason.STOP)


def test_pictures_are_answered_without_being_read(tokenizer: Path) -> None:
    fakes = Fakes()
    with running(fakes, tokenizer) as engine:
        output = read_all(engine, [crop(1, kind=RegionKind.IMAGE)])
    answer = output[1][-1]
    assert isinstance(answer, RegionText)
    assert (answer.text, answer.format) == ("", TextFormat.NONE)
    assert fakes.decoder.steps == 0


def test_a_step_that_fails_costs_the_crops_in_it_and_no_other(tokenizer: Path) -> None:
    fakes = Fakes()
    fakes.decoder.broken = {3}
    with running(fakes, tokenizer) as engine:
        output = read_all(engine, CROPS)
        later = read_all(engine, CROPS)
    failed = [number for number, answers in output.items() if isinstance(answers[-1], RegionFailure)]
    assert 1 <= len(failed) <= 4
    reasons = {output[number][-1].reason for number in failed}  # type: ignore[union-attr]  # failures all
    assert reasons == {"INFERENCE_FAILED"}
    assert [answers[-1].text for answers in later.values()] == one_by_one(tokenizer, CROPS)  # type: ignore[union-attr]


def test_outputs_that_are_no_numbers_are_a_failure_and_no_text(tokenizer: Path) -> None:
    fakes = Fakes(max_sequences=1)
    fakes.decoder.nan = {4}
    with running(fakes, tokenizer) as engine:
        output = read_all(engine, CROPS[:6])
    assert [type(answers[-1]) for answers in output.values()].count(RegionFailure) == 1


def test_an_encoder_that_fails_costs_its_row(tokenizer: Path) -> None:
    with running(Fakes(vision=FakeVision(broken=1)), tokenizer) as engine:
        output = read_all(engine, CROPS[:6])
    assert [type(answers[-1]) for answers in output.values()].count(RegionFailure) == 1


def test_a_row_that_cannot_be_begun_costs_its_crops_and_no_other(tokenizer: Path) -> None:
    with running(Fakes(vision=FakeVision(refused=1)), tokenizer) as engine:
        output = read_all(engine, CROPS[:6])
    assert [type(answers[-1]) for answers in output.values()].count(RegionFailure) == 1


def test_a_crop_whose_tokens_cannot_be_drawn_fails_alone(
    tokenizer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object) -> None:
        raise IndexError("nothing to draw from")

    monkeypatch.setattr("vlm_stage.engines.paddleocr_vl.decoding.sampler.draw", broken)
    with running(Fakes(), tokenizer) as engine:
        output = read_all(engine, [crop(1), crop(2, temperature=1.0), crop(3)])
    assert {number: type(answers[-1]) for number, answers in output.items()} == {
        1: RegionText,
        2: RegionFailure,
        3: RegionText,
    }


def test_a_caller_that_cannot_be_told_harms_no_other(tokenizer: Path) -> None:
    def gone(_told: object) -> None:
        raise RuntimeError("the caller is gone")

    with running(Fakes(), tokenizer) as engine:
        engine.submit(crop(1, partial_text=True), gone)
        output = read_all(engine, CROPS[2:6])
    assert {type(answers[-1]) for answers in output.values()} == {RegionText}


def test_an_engine_that_breaks_down_fails_what_it_has_and_takes_no_more(tokenizer: Path) -> None:
    go_on = threading.Event()
    output: list[object] = []
    with running(Fakes(vision=FakeVision(cold=True), prepare=lambda _: go_on.wait(5)), tokenizer) as engine:
        engine.submit(crop(1), output.append)
        with pytest.raises((InferenceFailed, StageUnavailable)):
            engine.warm_up()
        wait_until(lambda: len(output) == 1)
        with pytest.raises(StageUnavailable, match="broken down"):
            engine.submit(crop(2), output.append)
        assert engine.broken
        go_on.set()
    assert [type(answer) for answer in output] == [RegionFailure]


def test_a_crop_that_no_model_reads_says_why(tokenizer: Path) -> None:
    strip = crop(1)
    with running(Fakes(), tokenizer) as engine:
        output = read_all(engine, [Crop(1, strip.kind, strip.pixels[:1].repeat(400, axis=1)), crop(2)])
    failure = output[1][-1]
    assert isinstance(failure, RegionFailure)
    assert failure.reason == "TOO_LARGE"
    assert isinstance(output[2][-1], RegionText)


def test_a_prompt_that_the_cache_cannot_hold_is_refused_by_name(tokenizer: Path) -> None:
    with running(Fakes(decoder=FakeDecoder(block_count=2)), tokenizer) as engine:
        output = read_all(engine, [crop(1)])
    failure = output[1][-1]
    assert isinstance(failure, RegionFailure)
    assert "KV cache" in failure.message


def test_nothing_is_told_of_a_crop_that_was_taken_back(tokenizer: Path) -> None:
    go_on = threading.Event()
    output: list[object] = []
    with running(Fakes(prepare=lambda _: go_on.wait(5)), tokenizer) as engine:
        cancels = [engine.submit(one, output.append) for one in CROPS]
        for cancel in cancels[::2]:
            cancel()
        go_on.set()
        wait_until(lambda: len(output) == len(CROPS) // 2)
        engine.close(5)
    assert len(output) == len(CROPS) // 2


def test_a_full_engine_refuses_and_takes_again_when_there_is_room(tokenizer: Path) -> None:
    go_on = threading.Event()
    output: list[object] = []
    with running(Fakes(capacity=2, prepare=lambda _: go_on.wait(5)), tokenizer) as engine:
        engine.submit(CROPS[0], output.append)
        cancel = engine.submit(CROPS[1], output.append)
        with pytest.raises(QueueFull):
            engine.submit(CROPS[2], output.append)
        cancel()
        engine.submit(CROPS[2], output.append)
        go_on.set()
        wait_until(lambda: len(output) == 2)


def test_crops_of_too_many_pixels_are_refused_until_one_is_answered(
    tokenizer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vlm_stage.engines.engine.MOST_BYTES", CROPS[0].pixels.nbytes + 1)
    go_on = threading.Event()
    output: list[object] = []
    with running(Fakes(prepare=lambda _: go_on.wait(5)), tokenizer) as engine:
        engine.submit(CROPS[0], output.append)
        engine.submit(CROPS[1], output.append)
        with pytest.raises(QueueFull):
            engine.submit(CROPS[2], output.append)
        go_on.set()
        wait_until(lambda: len(output) == 2)
        engine.submit(CROPS[2], output.append)
        wait_until(lambda: len(output) == 3)


def test_closing_answers_all_and_takes_no_more(tokenizer: Path) -> None:
    stuck = threading.Event()
    output: list[object] = []
    with running(Fakes(prepare=lambda _: stuck.wait(3)), tokenizer) as engine:
        for one in CROPS:
            engine.submit(one, output.append)
        engine.close(0.1)
        assert len(output) == len(CROPS)
        assert {type(answer) for answer in output} == {RegionFailure}
        with pytest.raises(StageUnavailable):
            engine.submit(CROPS[0], output.append)
        stuck.set()


def test_closing_with_time_finishes_what_is_in_work(tokenizer: Path) -> None:
    output: list[object] = []
    with running(Fakes(), tokenizer) as engine:
        for one in CROPS:
            engine.submit(one, output.append)
        engine.close(20)
    assert [type(answer) for answer in output] == [RegionText] * len(CROPS)


def test_closing_takes_no_longer_than_its_grace_in_all(tokenizer: Path) -> None:
    go_on = threading.Event()
    output: list[object] = []
    with running(Fakes(vision=StuckVision(go_on)), tokenizer) as engine:
        engine.submit(crop(1), output.append)
        began = time.monotonic()
        engine.close(0.5)
        assert 0.5 <= time.monotonic() - began < 0.95
        assert [type(answer) for answer in output] == [RegionFailure]
        go_on.set()
    assert len(output) == 1


def test_an_answer_is_the_last_that_is_told_of_a_crop(tokenizer: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()
    output: list[object] = []

    def slow(told: object) -> None:
        if isinstance(told, PartialText):
            begun.set()
            go_on.wait(5)
        output.append(told)

    with running(Fakes(), tokenizer) as engine:
        engine.submit(crop(1, partial_text=True), slow)
        assert begun.wait(5)
        closing = threading.Thread(target=engine.close, args=(0.0,))
        closing.start()
        closing.join(0.2)  # by when it would have told its failure, beside the partial text
        go_on.set()
        closing.join(5)
    assert [type(told) for told in output] == [PartialText, RegionFailure]


def test_warming_up_reads_an_empty_crop(tokenizer: Path) -> None:
    fakes = Fakes()
    with running(fakes, tokenizer) as engine:
        engine.warm_up()
    assert fakes.decoder.steps > 0


def test_warming_up_asks_for_no_more_blocks_than_there_are(tokenizer: Path) -> None:
    fakes = Fakes(decoder=FakeDecoder(block_count=1))
    with running(fakes, tokenizer) as engine, pytest.raises(InferenceFailed):
        engine.warm_up()  # which reads a crop, for which there are too few, too
    assert fakes.decoder.steps == 0
