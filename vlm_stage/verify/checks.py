"""From what was found out to the rows of the report."""

import math
from collections.abc import Iterator, Mapping

from arcscribe.models import FileState
from arcscribe.models.verification import VerifyCheck
from vlm_stage.convert.tensors import parameter_count
from vlm_stage.convert.validate import LARGEST_FLOAT16
from vlm_stage.engines.paddleocr_vl.manifest import DECODER, EMBEDDINGS, VISION, Manifest, Precisions
from vlm_stage.engines.paddleocr_vl.verification.activations import Peak
from vlm_stage.verify.compare import Agreement, Difference
from vlm_stage.verify.decoder_run import SIDE_BY_SIDE, DecoderFindings
from vlm_stage.verify.limits import STORED, Limits
from vlm_stage.verify.vision_run import VisionFindings
from vlm_stage.verify.weights import WeightError


def whole_checks(manifest: Manifest, states: Mapping[str, FileState], counted: int) -> Iterator[VerifyCheck]:
    """Whether the model is whole: the states of its files, and the parameters counted in its networks."""
    bad = [f"{name} {state}" for name, state in states.items() if state is not FileState.PRESENT]
    yield VerifyCheck(
        "files", ", ".join(bad) or f"{len(states)} whole, by their hashes", "all whole", not bad
    )
    expected = parameter_count(manifest.config)
    yield VerifyCheck("parameters", f"{counted:,}", f"{expected:,}", counted == expected)


def weight_checks(errors: Mapping[str, WeightError], stored: Precisions) -> Iterator[VerifyCheck]:
    """How well each network's weights are those of the checkpoint."""
    precisions = {VISION: stored.vision, EMBEDDINGS: stored.embeddings, DECODER: stored.decoder}
    for network, precision in precisions.items():
        error, limit = errors[network], STORED[precision]
        found = f"{error.worst:.2%} in {error.where}"
        yield VerifyCheck(f"weights of {network} in {precision}", found, f"{limit:.1%}", error.worst <= limit)


def conversion_checks(
    vision: Difference, logits: Difference, agree: Agreement, limits: Limits
) -> Iterator[VerifyCheck]:
    """Of the converted model, computed exactly, against its checkpoint in transformers."""
    against = "against transformers"
    yield _difference(f"image tokens {against}", vision, limits.vision_against_checkpoint)
    yield _difference(f"logits {against}", logits, limits.logits_against_checkpoint)
    has_limit = limits.logits_against_checkpoint is not None
    yield _agreement("greedy agreement with transformers", agree, has_limit=has_limit)


def vision_checks(found: VisionFindings, limits: Limits) -> Iterator[VerifyCheck]:
    """Of a device's vision encoder."""
    yield _difference("image tokens", found.reference, limits.vision)
    if found.row:
        yield _difference(
            f"image tokens, {found.pictures_in_row} pictures in a row", found.row, limits.vision
        )


def decoder_checks(found: DecoderFindings, limits: Limits) -> Iterator[VerifyCheck]:
    """Of a device's decoder."""
    yield _difference("logits", found.reference, limits.logits)
    yield _agreement("greedy agreement", found.agreement)
    yield _difference(
        f"logits, {SIDE_BY_SIDE} texts side by side against alone", found.batch, limits.own_logits
    )
    yield _difference("logits, draft steps against single ones", found.drafts, limits.own_logits)


def peak_check(name: str, peak: Peak, precision: str) -> VerifyCheck:
    """Whether what is largest inside a network still is a number in the precision it is computed in."""
    found = f"{peak.value:,.0f} in {peak.where}"
    if precision == "f16":
        return VerifyCheck(name, found, f"under {LARGEST_FLOAT16:,.0f}", peak.value < LARGEST_FLOAT16)
    more = "" if peak.value < LARGEST_FLOAT16 else f"; more than float16 holds, {LARGEST_FLOAT16:,.0f}"
    return VerifyCheck(name, found + more, "a number", math.isfinite(peak.value))


def speed_rows(vision: VisionFindings, decoder: DecoderFindings) -> Iterator[VerifyCheck]:
    """Figures that nothing hangs on."""
    yield VerifyCheck("vision", f"{vision.patches_per_second:,.0f} patches/s")
    yield VerifyCheck("decoder, one text", f"{decoder.tokens_per_second:,.1f} tokens/s")
    yield VerifyCheck(
        f"decoder, {SIDE_BY_SIDE} side by side", f"{decoder.tokens_per_second_of_many:,.1f} tokens/s"
    )


def _difference(name: str, found: Difference, limit: float | None) -> VerifyCheck:
    text = (
        f"{found.worst:.2%} (largest {found.largest:.2g}, mean {found.mean:.2g}, spread {found.spread:.2g})"
    )
    if limit is None:
        return VerifyCheck(name, text)
    return VerifyCheck(name, text, f"{limit:.1%}", found.worst <= limit)


def _agreement(name: str, found: Agreement, *, has_limit: bool = True) -> VerifyCheck:
    text = f"{found.same} of {found.steps} steps, the first token leading by {found.median_lead:.2f} spreads"
    if not (has_limit and found.clear):
        return VerifyCheck(name, text)
    text = f"{text}; {found.clear_same} of {found.clear} clear ones"
    rule = f"all with a lead over {found.lead:.2f}"
    return VerifyCheck(name, text, rule, found.clear_same == found.clear)
