"""Verifying a converted model, from top to bottom."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from arcscribe.models import FileState
from arcscribe.models.converted import converted_states, read_converted
from arcscribe.models.verification import Verification, VerifyCheck
from vlm_stage.engines.paddleocr_vl.manifest import Manifest, read_manifest
from vlm_stage.engines.paddleocr_vl.networks.device_plan import DevicePlan
from vlm_stage.engines.paddleocr_vl.networks.load_networks import plan_for
from vlm_stage.progress import Report
from vlm_stage.verify.checks import conversion_checks, weight_checks, whole_checks
from vlm_stage.verify.compare import agreement, difference, worst_of
from vlm_stage.verify.device_checks import DeviceChecks
from vlm_stage.verify.limits import CLEAR, Limits, limits_of
from vlm_stage.verify.openvino_reference import OpenVinoReference
from vlm_stage.verify.prompted import crop_preparer
from vlm_stage.verify.reading import Reading, crop_of
from vlm_stage.verify.request import Request
from vlm_stage.verify.source import find_source
from vlm_stage.verify.transformers_reference import INSTALL, TransformersReference, is_installed
from vlm_stage.verify.weights import count_parameters, weight_errors


def verify(request: Request, report: Report) -> Verification:
    """Compares the converted model with its checkpoint, where that is here, and the device with the model.

    A model that is not whole is not run.

    Raises:
        ModelMissing: the folder is no converted model, or the checkpoint that was given is another one, or
            cannot be read.
        DeviceMissing: OpenVINO does not see the device.
        InvalidConfig: it cannot compile with these settings.
        InvalidDocument: a picture has no pixels, or is too long for its width.
    """
    manifest = read_manifest(request.folder)
    plan = plan_for(request.settings, request.device)
    report("check the files", 0.0)
    source = find_source(request.folder, manifest, request.checkpoint)
    counted = count_parameters(request.folder, manifest.config)
    checks = list(whole_checks(manifest, _file_states(request.folder), counted))
    if all(check.passed for check in checks):
        checks += _run(request, manifest, plan, source, report)
    return Verification(
        request.folder.name, request.device, _facts(request, manifest, plan, source), tuple(checks)
    )


def _run(
    request: Request, manifest: Manifest, plan: DevicePlan, source: Path | None, report: Report
) -> Iterator[VerifyCheck]:
    limits = limits_of(plan, manifest.precisions)
    theirs: Sequence[Reading] = ()
    if source:
        errors = weight_errors(request.folder, manifest.config, source, report)
        yield from weight_checks(errors, manifest.precisions)
        theirs = _read_with_transformers(request, source, report)
    exact = _read_exactly(request, manifest, theirs, report)
    if theirs:
        yield from _conversion_checks(exact, theirs, limits)
    preparer = crop_preparer(request.folder, manifest)
    crops = [preparer.prepare(crop_of(picture), picture.prompt) for picture in request.pictures]
    yield from DeviceChecks(request, manifest, plan, crops, exact).run(limits, report)


def _file_states(folder: Path) -> Mapping[str, FileState]:
    model = read_converted(folder)
    assert model is not None, "its manifest was just read"
    return converted_states(folder, model, thorough=True)


def _read_with_transformers(request: Request, source: Path, report: Report) -> list[Reading]:
    if not is_installed():
        return []
    report("load the checkpoint into transformers", 0.0)
    reference = TransformersReference(source)
    readings = []
    for number, picture in enumerate(request.pictures):
        report("read with transformers", number / len(request.pictures))
        readings.append(reference.read(picture, request.steps))
    return readings


def _read_exactly(
    request: Request, manifest: Manifest, theirs: Sequence[Reading], report: Report
) -> list[Reading]:
    """The texts are those of transformers, where it has read the pictures."""
    reference = OpenVinoReference(request.folder, manifest)
    readings = []
    for number, picture in enumerate(request.pictures):
        report("read with OpenVINO on the CPU, in float32", number / len(request.pictures))
        readings.append(reference.read(picture, request.steps, theirs[number].tokens if theirs else ()))
    return readings


def _conversion_checks(
    exact: Sequence[Reading], theirs: Sequence[Reading], limits: Limits
) -> Iterator[VerifyCheck]:
    pairs = list(zip(exact, theirs, strict=True))
    return conversion_checks(
        worst_of(difference(own.image_tokens, true.image_tokens) for own, true in pairs),
        worst_of(difference(own.logits, true.logits) for own, true in pairs),
        agreement(
            (own.logits for own in exact),
            (true.logits for true in theirs),
            CLEAR * (limits.logits_against_checkpoint or 0.0),
        ),
        limits,
    )


def _facts(request: Request, manifest: Manifest, plan: DevicePlan, source: Path | None) -> dict[str, str]:
    stored, names = manifest.precisions, ", ".join(picture.name for picture in request.pictures)
    return {
        "model": manifest.name,
        "stored": f"vision {stored.vision}, embeddings {stored.embeddings}, decoder {stored.decoder}",
        "computed": f"vision {plan.vision_precision}, decoder {plan.inference_precision}, "
        f"KV cache {plan.kv_precision}",
        "reference": "the same weights in OpenVINO on the CPU, in float32, without paged attention",
        "checkpoint": _checkpoint(source),
        "pictures": f"{names}; up to {request.steps} tokens of each",
    }


def _checkpoint(source: Path | None) -> str:
    if source is None:
        return "not here; --checkpoint FOLDER compares with it"
    if is_installed():
        return f"{source}, in transformers on the CPU, in float32"
    return f"{source}; weights only: transformers is not installed (in the clone: {INSTALL})"
