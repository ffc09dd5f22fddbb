"""Plain-text tables: columns aligned, numbers to the right."""

from collections.abc import Sequence


def format_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows under headings, two spaces between columns; a column is aligned right when all its entries look like numbers."""
    texts = [[cell(value) for value in row] for row in rows]
    widths = [max([len(name), *(len(row[i]) for row in texts)]) for i, name in enumerate(columns)]
    right = [all(_is_number(value) for value in column) and bool(rows) for column in zip(*rows, strict=True)]
    right = right or [False] * len(columns)

    def line(cells: Sequence[str]) -> str:
        padded = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, right, strict=True))
        return "  ".join(padded).rstrip()

    return "\n".join([line(list(columns)), line(["-" * w for w in widths]), *(line(row) for row in texts)])


def format_pairs(pairs: Sequence[tuple[str, object]]) -> str:
    """One `name  value` a line, names aligned."""
    width = max((len(name) for name, _ in pairs), default=0)
    return "\n".join(f"{name.ljust(width)}  {cell(value)}".rstrip() for name, value in pairs)


def cell(value: object) -> str:
    """Text of one entry: floats to four significant digits, None as a dash."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
