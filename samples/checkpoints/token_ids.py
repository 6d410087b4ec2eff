"""Which ids the tokens have that no text teaches."""

from dataclasses import dataclass

OTSL = ("<fcel>", "<ecel>", "<lcel>", "<ucel>", "<xcel>", "<nl>")


@dataclass(frozen=True, slots=True)
class TokenIds:
    """Where the tokens stand that are not learned; `<unk>`, `<s>` and `</s>` are 0, 1 and 2.

    There are 256 tokens for bytes, six for OTSL (in the order of OTSL), and `locations` from `<|LOC_0|>` on.
    """

    begin_of_sentence: int
    end_of_sentence: int
    image: int
    video: int
    image_start: int
    image_end: int
    first_otsl: int
    first_location: int
    locations: int
    first_byte: int

    def fixed(self) -> dict[int, str]:
        """Each id and its token."""
        tokens = {0: "<unk>", 1: "<s>", 2: "</s>"} | self.special()
        tokens |= {self.first_otsl + index: token for index, token in enumerate(OTSL)}
        return tokens | {self.first_byte + value: f"<0x{value:02X}>" for value in range(256)}

    def special(self) -> dict[int, str]:
        """Those that are no text, after the first three."""
        tokens = {
            self.begin_of_sentence: "<|begin_of_sentence|>",
            self.end_of_sentence: "<|end_of_sentence|>",
            self.image: "<|IMAGE_PLACEHOLDER|>",
            self.video: "<|video_pad|>",
            self.image_start: "<|IMAGE_START|>",
            self.image_end: "<|IMAGE_END|>",
        }
        return tokens | {
            self.first_location + number: f"<|LOC_{number}|>" for number in range(self.locations)
        }


PUBLISHED_IDS = TokenIds(100_273, 100_272, 100_295, 100_296, 101_305, 101_306, 101_310, 100_297, 1001, 3)
"""Image, video, start and end as `config.json` publishes them; the places of the others matter to nobody."""

TOY_IDS = TokenIds(3, 4, 5, 6, 7, 8, 9, 15, 11, 26)
PUBLISHED_VOCABULARY = 103_424
