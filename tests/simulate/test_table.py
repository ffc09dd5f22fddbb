"""Tables in CSV files: no row is lost."""

import pytest

from dojo_py.simulate.table import read_table

ROWS = "1,2,3\n4,5,6\n"


@pytest.mark.parametrize(
    "before",
    ["", "\ufeff", "a,b,c\n", '"q 1", "q 2", "q 3"\n', "\ufeffa,b,c\n", "# made by hand\n", "# 1, 2, b\n", "\n"],
)
def test_headings_and_marks(tmp_path, before):
    """A byte order mark, as Excel writes it, once cost the first row."""
    file = tmp_path / "table.csv"
    file.write_text(before + ROWS, encoding="utf-8")
    assert read_table(file).tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2,3O\n4,5,6\n", "line 1, column 3: '3O' is not a number"),
        ("1,,3\n4,5,6\n", "column 2: ''"),
        ("1,2\n3,x\n", "^line 2, column 2: 'x' is not a number$"),
        ("t,q\n\n1,2\n# note\n3,\n", "^line 5, column 2: '' is not a number$"),
        ("t,q\n1,2\n3,4,5\n", "^line 3 has 3 columns, line 2 has 2$"),
        ("0.1O\n0.2\n", "line 1, column 1: '0.1O' is not a number"),
        ("-0.1x,O.2\n0.2,0.3\n", "line 1, column 1: '-0.1x' is not a number"),
        ('"0.1","0.2"\n', "line 1, column 1: '\"0.1\"' is not a number"),
        ("time,2nd\n", "line 1, column 2: '2nd' is not a number \\(a heading has words only\\)"),
        ("0.1;0.2\n", "line 1, column 1: '0.1;0.2' is not a number: columns are separated by ',', not by ';'"),
        ("0,1;0,2\n", "line 1, column 2: '1;0' is not a number: columns are separated by ',', not by ';'"),
        ("a;b\n0.1;0.2\n", "^line 2, column 1: '0.1;0.2' is not a number: columns are separated by ',', not by ';'$"),
        ("0.1 0.2\n", "not by blanks"),
        ("0.1\t0.2\n", "not by tabs"),
    ],
)
def test_slips_are_named(tmp_path, text, said):
    """A first row with a slip, or with other separators, was taken for a heading; rows were counted without it."""
    file = tmp_path / "table.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        read_table(file)


def test_notes_behind_rows_stay_out(tmp_path):
    """Such a first row of one column was taken for a heading, of several refused."""
    for text in ("1 # one\n2\n", "1,2 # one\n"):
        (tmp_path / "table.csv").write_text(text, encoding="utf-8")
        assert read_table(tmp_path / "table.csv").ravel().tolist() == [1, 2]


def test_other_files(tmp_path):
    file = tmp_path / "table.csv"
    file.write_bytes(b"\xff\xfe1\x00")
    with pytest.raises(ValueError, match="not a text file"):
        read_table(file)
    file.write_text("")
    assert read_table(file).size == 0
