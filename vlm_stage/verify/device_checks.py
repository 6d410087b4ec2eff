"""All that is checked on a device."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arcscribe.models.verification import VerifyCheck
from vlm_stage.engines.paddleocr_vl.inputs.crop_preparer import PreparedCrop
from vlm_stage.engines.paddleocr_vl.manifest import Manifest
from vlm_stage.engines.paddleocr_vl.networks.device_plan import DevicePlan
from vlm_stage.engines.paddleocr_vl.networks.load_networks import Networks, load_networks
from vlm_stage.engines.paddleocr_vl.verification.activations import decoder_peak, vision_peak
from vlm_stage.progress import Report
from vlm_stage.verify.checks import decoder_checks, peak_check, speed_rows, vision_checks
from vlm_stage.verify.decoder_run import SIDE_BY_SIDE, SLACK, DecoderFindings, run_decoder
from vlm_stage.verify.decoding import Text
from vlm_stage.verify.limits import CLEAR, Limits
from vlm_stage.verify.prompted import prompted
from vlm_stage.verify.reading import Reading
from vlm_stage.verify.request import Request
from vlm_stage.verify.stepper import Stepper, kv_megabytes
from vlm_stage.verify.vision_run import VisionFindings, run_vision


@dataclass(frozen=True, slots=True)
class DeviceChecks:
    """A converted model on a device, and pictures that the reference has read."""

    request: Request
    manifest: Manifest
    plan: DevicePlan
    crops: Sequence[PreparedCrop]
    readings: Sequence[Reading]

    def run(self, limits: Limits, report: Report) -> Iterator[VerifyCheck]:
        """Raises InvalidConfig where OpenVINO cannot compile for the device."""
        report("load", 0.0)
        networks = self._load()
        vision = self._run_vision(networks, report)
        texts = self._texts(networks, vision)
        decoder = self._run_decoder(networks, texts, limits, report)
        del networks  # two are loaded anew to look into them
        yield from vision_checks(vision, limits)
        yield from decoder_checks(decoder, limits)
        yield from self._peak_checks(texts, report)
        yield from speed_rows(vision, decoder)

    def _load(self) -> Networks:
        config = self.manifest.config
        longest = max(
            len(crop.prompt.ids) + len(reading.tokens)
            for crop, reading in zip(self.crops, self.readings, strict=True)
        )
        memory = kv_megabytes(config.text, SIDE_BY_SIDE, longest + SLACK)
        return load_networks(self.request.folder, config.vision, self.plan, memory)

    def _run_vision(self, networks: Networks, report: Report) -> VisionFindings:
        crops = [crop.patches for crop in self.crops]
        expected = [reading.image_tokens for reading in self.readings]
        return run_vision(networks.vision, self.plan.row_patches, crops, expected, report)

    def _texts(self, networks: Networks, vision: VisionFindings) -> list[Text]:
        """With the device's own image tokens, as it would serve."""
        return [
            Text(prompted(crop, image_tokens, networks.embedder), reading.tokens)
            for crop, image_tokens, reading in zip(
                self.crops, vision.image_tokens, self.readings, strict=True
            )
        ]

    def _run_decoder(
        self, networks: Networks, texts: Sequence[Text], limits: Limits, report: Report
    ) -> DecoderFindings:
        stepper = Stepper(networks.decoder, networks.embedder, self.manifest.config.text, SIDE_BY_SIDE)
        expected = [reading.logits for reading in self.readings]
        return run_decoder(stepper, texts, expected, CLEAR * limits.logits, report)

    def _peak_checks(self, texts: Sequence[Text], report: Report) -> Iterator[VerifyCheck]:
        folder, plan, config = self.request.folder, self.plan, self.manifest.config
        report("find the largest activations", 0.0)
        peak = vision_peak(folder, plan, config.vision, [crop.patches for crop in self.crops])
        yield peak_check("largest activation of the vision encoder", peak, plan.vision_precision)
        report("find the largest activations", 0.5)
        peak = decoder_peak(folder, plan, [(text.prompt.embeds, text.prompt.positions) for text in texts])
        yield peak_check("largest activation of the decoder", peak, plan.inference_precision)
