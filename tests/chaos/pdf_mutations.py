"""PDFs whose objects are wrong, while their bytes are in order."""

import re
import zlib
from collections.abc import Callable
from random import Random

from tests.orchestrator.pdf_files import assemble

Objects = dict[int, bytes]

_OBJECT = re.compile(rb"(\d+) 0 obj\s(.*?)\sendobj", re.DOTALL)
_NUMBER = re.compile(rb"(?<=[ \[])-?\d+(\.\d+)?(?=[ \]/>])")
_NAME = re.compile(rb"/[A-Za-z]+")
_REFERENCE = re.compile(rb"\d+ 0 R")
_STREAM = re.compile(rb"stream\r?\n")
_ODD_NUMBERS = (b"0", b"-1", b"1", b"3.5e9", b"65536", b"2147483647", b"-2147483648", b"99999999999999999999")
_FILTERS = (
    *(b"/FlateDecode", b"/LZWDecode", b"/RunLengthDecode", b"/ASCII85Decode", b"/ASCIIHexDecode"),
    *(b"/DCTDecode", b"/JPXDecode", b"/JBIG2Decode", b"/CCITTFaxDecode", b"/Crypt", b"/NoSuchFilter"),
)
_COLOURS = (
    b"/DeviceCMYK",
    b"/Pattern",
    b"[/Indexed /DeviceRGB 255 <00>]",
    b"[/Indexed [/Indexed /DeviceGray 1 <00ff>] 1 <0001>]",
    b"[/ICCBased 1 0 R]",
    b"[/Separation /Red /DeviceRGB << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [1] /N -9 >>]",
    b"[/DeviceN [/A /B /C /D /E /F /G /H] /DeviceCMYK << /FunctionType 4 /Domain [0 1] /Length 0 >>]",
    b"[/Lab << /WhitePoint [0 0 0] >>]",
    b"[/CalRGB << /WhitePoint [1 1 1] /Gamma [-1 0 1e9] >>]",
    b"/NoSuchSpace",
)


def objects_of(data: bytes) -> Objects:
    """The objects of a file that has no object streams, by number."""
    return {int(number): body for number, body in _OBJECT.findall(data)}


def _by_objects(
    change: Callable[[Objects, Random], object],
) -> Callable[[bytes, Random], bytes]:
    """The mutation of a file that changes its objects, and then numbers and counts them rightly."""

    def mutate(data: bytes, random: Random) -> bytes:
        objects = objects_of(data)
        if not objects:
            return data
        change(objects, random)
        return assemble(objects)

    mutate.__name__ = change.__name__
    return mutate


def _some(objects: Objects, random: Random, part: bytes = b"") -> int:
    """The number of an object that has such a part, or else of any."""
    return random.choice([number for number, body in objects.items() if part in body] or list(objects))


def _replaced(pattern: re.Pattern[bytes], body: bytes, new: bytes, random: Random) -> bytes:
    """With one match of the pattern, before any stream, made new."""
    end = found.start() if (found := _STREAM.search(body)) else len(body)
    matches = list(pattern.finditer(body, 0, end))
    if not matches:
        return body
    match = random.choice(matches)
    return body[: match.start()] + new + body[match.end() :]


def object_deleted(objects: Objects, random: Random) -> None:
    if len(objects) > 1:
        del objects[_some(objects, random)]


def objects_swapped(objects: Objects, random: Random) -> None:
    one, other = _some(objects, random), _some(objects, random)
    objects[one], objects[other] = objects[other], objects[one]


def number_odd(objects: Objects, random: Random) -> None:
    number = _some(objects, random)
    objects[number] = _replaced(_NUMBER, objects[number], random.choice(_ODD_NUMBERS), random)


def name_wrong(objects: Objects, random: Random) -> None:
    number = _some(objects, random)
    objects[number] = _replaced(_NAME, objects[number], random.choice((b"/", b"/X", b"null", b"<<")), random)


def reference_wrong(objects: Objects, random: Random) -> None:
    number = _some(objects, random, b" 0 R")
    wrong = b"%d 0 R" % random.choice((*objects, 999_999))
    objects[number] = _replaced(_REFERENCE, objects[number], wrong, random)


def length_wrong(objects: Objects, random: Random) -> None:
    number = _some(objects, random, b"/Length")
    wrong = b"/Length %b" % random.choice((*_ODD_NUMBERS, b"1 0 R", b"(ten)"))
    objects[number] = re.sub(rb"/Length \d+", lambda _: wrong, objects[number], count=1)


def stream_corrupt(objects: Objects, random: Random) -> None:
    number = _some(objects, random, b"stream")
    head, middle, stream = objects[number].partition(b"stream\n")
    if stream:
        at = random.randrange(len(stream))
        stream = stream[:at] + random.randbytes(min(50, len(stream) - at)) + stream[at + 50 :]
    objects[number] = head + middle + stream


def page_huge(objects: Objects, random: Random) -> None:
    box = random.choice(
        (
            b"0 0 1e9 1e9",
            b"0 0 14400 14400",
            b"0 0 0 0",
            b"9 9 1 1",
            b"0 0 1e-9 1e9",
            b"-1e30 0 1e30 1",
            b"a b",
        )
    )
    number = _some(objects, random, b"/MediaBox")
    box = b"/MediaBox [%b] /UserUnit %b" % (box, random.choice((b"1", b"75000", b"-1")))
    objects[number] = re.sub(rb"/MediaBox ?\[[^\]]*\]", lambda _: box, objects[number], count=1)


def page_tree_looped(objects: Objects, random: Random) -> None:
    kids = random.choice((b"2 0 R", b"2 0 R 2 0 R 5 0 R", b"1 0 R", b"5 0 R " * 50))
    objects[2] = b"<< /Type /Pages /Kids [%b] /Count %d /Parent 2 0 R >>" % (kids, random.choice((-1, 1, 30)))


def page_tree_deep(objects: Objects, random: Random) -> None:
    depth, first = random.choice((20, 2000)), max(objects) + 1
    leaf = objects.get(2, b"<< >>")
    for number in range(first, first + depth):
        objects[number] = b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (number + 1)
    objects[first + depth] = leaf
    objects[1] = b"<< /Type /Catalog /Pages %d 0 R >>" % first


def pages_many(objects: Objects, random: Random) -> None:
    kids = _REFERENCE.findall(objects.get(2, b"")) or [b"3 0 R"]
    count, claimed = random.choice(((40, 40), (30, 1000_000_000), (6000, 6000), (30, 1)))
    objects[2] = b"<< /Type /Pages /Kids [%b] /Count %d >>" % (b" ".join(kids[:1] * count), claimed)


def nested_deeply(objects: Objects, random: Random) -> None:
    depth = random.choice((50, 600, 100_000))
    opening, closing = random.choice(((b"[", b"]"), (b"<< /A ", b">>"), (b"(", b")")))
    number = _some(objects, random)
    objects[number] = _replaced(_NAME, objects[number], b"/A " + opening * depth + closing * depth, random)


def content_nested_deeply(objects: Objects, random: Random) -> None:
    operators = random.choice((b"q ", b"BT ", b"[ ", b"<< ", b"/P BMC ", b"1e9 0 0 1e9 0 0 cm ", b"BI ID "))
    _set_content(objects, random, operators * random.choice((100, 100_000)))


def content_of_loops(objects: Objects, random: Random) -> None:
    """A form that draws itself, and others twice each, ten deep."""
    first, deep = max(objects) + 1, random.choice((3, 10))
    form = (
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 10"
        b" /Resources << /XObject << /F %d 0 R >> >> >>\nstream\n/F Do /F Do\nendstream"
    )
    for number in range(first, first + deep):
        follower = number + 1 if number + 1 < first + deep else random.choice((first, number))
        objects[number] = form % follower
    for number, body in tuple(objects.items()):
        if b"/XObject <<" in body and number < first:
            objects[number] = body.replace(b"/XObject <<", b"/XObject << /F %d 0 R" % first, 1)
    _set_content(objects, random, b"/F Do " * 10)


def filters_chained(objects: Objects, random: Random) -> None:
    chain = b" ".join(random.choices(_FILTERS, k=random.choice((1, 2, 5, 100))))
    number = _some(objects, random, b"stream")
    head, middle, stream = objects[number].partition(b"stream\n")
    head = re.sub(rb"/Filter ?(\[[^\]]*\]|/\w+)", b"", head).replace(b"<<", b"<< /Filter [%b] " % chain, 1)
    objects[number] = head + middle + stream


def stream_bomb(objects: Objects, random: Random) -> None:
    """A content or a picture of hundreds of megabytes, in kilobytes; the filter twice makes it bytes."""
    packer = zlib.compressobj(9)
    space = random.choice((b" ", b"\0", b"1 0 0 rg 0 0 9 9 re f "))
    megabyte = (space * 1_000_000)[:1_000_000]
    packed = b"".join(packer.compress(megabyte) for _ in range(random.choice((20, 300)))) + packer.flush()
    twice = random.random() < 0.5
    stream = zlib.compress(packed, 9) if twice else packed
    filters = b"[/FlateDecode /FlateDecode]" if twice else b"/FlateDecode"
    number = _some(objects, random, b"stream")
    head = objects[number].partition(b"stream\n")[0]
    head = re.sub(rb"/Filter ?(\[[^\]]*\]|/\w+)|/Length \d+", b"", head)
    head = head.replace(b"<<", b"<< /Filter %b /Length %d " % (filters, len(stream)), 1)
    objects[number] = head + b"stream\n" + stream + b"\nendstream"


def picture_huge(objects: Objects, random: Random) -> None:
    number = _some(objects, random, b"/Image")
    size = b"/%b %d" % (random.choice((b"Width", b"Height")), random.choice((0, -5, 30_000, 2**31 - 1)))
    objects[number] = re.sub(rb"/(Width|Height) \d+", lambda _: size, objects[number], count=1)


def colours_odd(objects: Objects, random: Random) -> None:
    number = _some(objects, random, b"/ColorSpace")
    colours = b"/ColorSpace %b" % random.choice(_COLOURS)
    objects[number] = re.sub(
        rb"/ColorSpace ?(\[.*?>\]|/\w+)", lambda _: colours, objects[number], count=1, flags=re.DOTALL
    )


def depth_odd(objects: Objects, random: Random) -> None:
    number = _some(objects, random, b"/BitsPerComponent")
    depth = b"/BitsPerComponent %d" % random.choice((0, 1, 3, 16, 255, -8))
    objects[number] = re.sub(rb"/BitsPerComponent \d+", lambda _: depth, objects[number], count=1)


def content_garbled(objects: Objects, random: Random) -> None:
    _set_content(objects, random, random.randbytes(random.choice((10, 5000))))


def _set_content(objects: Objects, random: Random, content: bytes) -> None:
    pages = [body for body in objects.values() if b"/Contents" in body]
    found = re.search(rb"/Contents (\d+) 0 R", random.choice(pages)) if pages else None
    number = int(found[1]) if found else max(objects)
    objects[number] = b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content)


def xref_broken(data: bytes, random: Random) -> bytes:
    start = data.rfind(b"xref\n0")
    offsets = [match.start() for match in re.finditer(rb"\d{10} \d{5} n", data[start:])]
    if start < 0 or not offsets:
        return data
    at = start + random.choice(offsets)
    return data[:at] + b"%010d" % random.randrange(10**10) + data[at + 10 :]


def startxref_wrong(data: bytes, random: Random) -> bytes:
    wrong = b"startxref\n%d" % random.choice((0, 9, len(data), 10**12, -1))
    return re.sub(rb"startxref\s+\d+", lambda _: wrong, data)


def trailer_wrong(data: bytes, random: Random) -> bytes:
    wrong = random.choice(
        (b"/Root 2 0 R", b"/Root 99 0 R", b"/Prev 9", b"/Encrypt 1 0 R /Root 1 0 R", b"/Root null")
    )
    return re.sub(rb"/Root \d+ 0 R", lambda _: wrong, data)


PDF_MUTATIONS: tuple[Callable[[bytes, Random], bytes], ...] = (
    *map(
        _by_objects,
        (
            *(object_deleted, objects_swapped, number_odd, name_wrong, reference_wrong, length_wrong),
            *(stream_corrupt, page_huge, page_tree_looped, page_tree_deep, pages_many, nested_deeply),
            *(content_nested_deeply, content_of_loops, content_garbled, filters_chained, stream_bomb),
            *(picture_huge, colours_odd, depth_odd),
        ),
    ),
    xref_broken,
    startxref_wrong,
    trailer_wrong,
)
