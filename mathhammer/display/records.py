"""Records as comma-separated values that a spreadsheet opens as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.errors import escaped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["csv_text"]

#: A spreadsheet takes a cell that begins so for a formula: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def csv_text(records: Sequence[Mapping[str, Any]]) -> str:
    r"""Return records with a header; what is unknown is empty.

    A text that a spreadsheet would take for a formula has an apostrophe before it, as OWASP advises; numbers have
    none. Tabs, line ends and other control characters are escaped.

    Parameters
    ----------
    records
        The fields of each by name, the same in all of them.

    Examples
    --------
    >>> csv_text([{"unit": "=1+2", "mean": -0.5}, {"unit": "Squad, veteran", "mean": None}])
    'unit,mean\n\'=1+2,-0.5\n"Squad, veteran",\n'
    """
    import csv
    import io

    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _defused(value) for name, value in record.items()} for record in records)
    return stream.getvalue()


def _defused(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = escaped(value)
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text
