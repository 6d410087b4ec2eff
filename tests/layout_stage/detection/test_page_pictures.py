import pytest

from layout_stage.detection.page_pictures import without_page_pictures
from layout_stage.parts import PageSize
from tests.layout_stage.detection.values import seen

TEXT = seen("text", (0, 0, 10, 10))
UPRIGHT, LYING = PageSize(100, 200), PageSize(200, 100)


@pytest.mark.parametrize(("page", "stays", "goes"), [(UPRIGHT, 0.92, 0.94), (LYING, 0.81, 0.83)])
def test_a_picture_of_the_page_goes(page: PageSize, stays: float, goes: float) -> None:
    small = seen("image", (0, 0, page.width, page.height * stays))
    large = seen("image", (0, 0, page.width, page.height * goes))
    assert without_page_pictures([TEXT, small, large], page) == [TEXT, small]


def test_what_lies_over_the_edge_covers_nothing() -> None:
    picture = seen("image", (-500, 0, 50, 200))
    assert without_page_pictures([TEXT, picture], UPRIGHT) == [TEXT, picture]


def test_a_page_that_is_a_picture_stays_one() -> None:
    picture = seen("image", (0, 0, 100, 200))
    assert without_page_pictures([picture], UPRIGHT) == [picture]
    assert without_page_pictures([picture, picture], UPRIGHT) == [picture, picture]


def test_a_table_of_the_page_stays() -> None:
    table = seen("table", (0, 0, 100, 200))
    assert without_page_pictures([TEXT, table], UPRIGHT) == [TEXT, table]


def test_a_square_page_is_upright() -> None:
    picture = seen("image", (0, 0, 100, 90))
    assert without_page_pictures([TEXT, picture], PageSize(100, 100)) == [TEXT, picture]
