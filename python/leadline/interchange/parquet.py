"""A table with a row for each call, as Parquet: a row group for each batch, so memory does not grow with the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from leadline import _core
from leadline.errors import MissingPrerequisite, UsageError
from leadline.interchange.calls import site_texts
from leadline.interchange.missing import kept_iterations, nothing
from leadline.interchange.selection import Selection, Written

ROWS = 1 << 17
COLUMNS = {
    "process": ("int32", "the rank's row in `ranks()`, counted from 0"),
    "rank": ("int32", "its rank in its MPI_COMM_WORLD; null: unknown"),
    "thread": ("int32", "the rank's thread, counted from 0"),
    "iteration": ("int64", "iteration of the main loop, from 0; null: outside it"),
    "function": ("string", "MPI or file function"),
    "call_site": ("string", "routine and line; null: unknown"),
    "begin_s": ("float64", "seconds since the run began; null: not kept"),
    "end_s": ("float64", "seconds since the run began; null: not kept"),
    "calls": ("int64", "1; for failed polls in a row, their number rounded to a power of two"),
    "polls": ("bool", "whether the row stands for failed polls"),
    "messages_sent": ("int64", "messages that the call starts to send"),
    "messages_received": ("int64", "messages whose receive completes in the call"),
    "bytes_sent": ("int64", "bytes sent, contributed to a collective, put or written; null: unknown"),
    "bytes_received": ("int64", "bytes received, also from collectives, gets and reads; null: unknown"),
    "partner": ("int32", "partner's rank in the communicator, if the call has one message"),
    "tag": ("int32", "tag, if the call has one message"),
}


def export(selection: Selection, path: Path) -> Written:
    try:
        import pyarrow
        from pyarrow import compute, parquet
    except ImportError as error:
        raise MissingPrerequisite("Parquet export needs pyarrow", hint="pip install 'leadline[parquet]'") from error
    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())  # each name is stored once
    schema = pyarrow.schema(
        [
            pyarrow.field(name, text if kind == "string" else kind, metadata={"meaning": meaning})
            for name, (kind, meaning) in COLUMNS.items()
        ],
        metadata={"leadline": selection.mark} if selection.mark else None,
    )
    calls = untimed = 0
    # pyarrow takes no path that is not text.
    with path.open("xb") as file, parquet.ParquetWriter(file, schema) as out:
        batches = _Batches(pyarrow, selection)
        for index, trace in selection.traces():

            def write(columns: dict[str, Any], index: int = index) -> None:
                nonlocal calls, untimed
                table = batches.table(columns, index, schema)
                calls += compute.sum(table["calls"]).as_py()
                untimed += table["begin_s"].null_count
                out.write_table(table)

            _core.visit_rows(selection.run.profile, trace, index, selection.loop, selection.iterations, ROWS, write)
    if not calls:
        raise UsageError(nothing(selection, 0))
    written = Written({"call": calls})
    if untimed:
        written.notes.append(f"{untimed:,} rows have no times: not kept ({kept_iterations(selection)})")
    return written


class _Batches:
    """Makes Arrow tables of the core's columns."""

    def __init__(self, pyarrow: Any, selection: Selection) -> None:
        self.pyarrow_ = pyarrow
        self.run_ = selection.run
        self.row_ = {process: row for row, process in enumerate(self.run_.order)}
        functions = self.run_.profile.functions
        self.functions_ = self._names(functions[function].name for function, _, _ in self.run_.profile.sites())
        self.places_ = self._names(text or None for text in site_texts(selection))

    def _names(self, by_site: Any) -> tuple[Any, Any]:
        """(for each site of the profile the number of its text, the texts)"""
        numbers: dict[str, int] = {}
        codes = [None if text is None else numbers.setdefault(text, len(numbers)) for text in by_site]
        return self.pyarrow_.array(codes, "int32"), self.pyarrow_.array(list(numbers), "string")

    def table(self, columns: dict[str, Any], process: int, schema: Any) -> Any:
        from pyarrow import compute

        arrays = {name: self._array(values) for name, values in columns.items()}
        rows = len(arrays["site"])
        rank = self.run_.processes[process].rank

        def known(name: str, unless: Any) -> Any:
            return compute.if_else(unless, self.pyarrow_.scalar(None, arrays[name].type), arrays[name])

        site = known("site", compute.less(arrays["site"], 0))
        without = compute.equal(arrays["has_message"], 0)
        made = {
            **arrays,
            "process": self._same(self.row_[process], rows),
            "rank": self._same(rank if rank >= 0 else None, rows),
            "function": self._texts(self.functions_, site),
            "call_site": self._texts(self.places_, site),
            "polls": compute.not_equal(arrays["polls"], 0),
            "partner": known("partner", without),
            "tag": known("tag", without),
        }
        for name in ("iteration", "bytes_sent", "bytes_received"):
            made[name] = known(name, compute.less(arrays[name], 0))
        for name in ("begin_s", "end_s"):
            made[name] = known(name, compute.is_nan(arrays[name]))
        return self.pyarrow_.table([made[name] for name in COLUMNS], schema=schema)

    def _array(self, values: Any) -> Any:
        kinds = {"i": "int32", "q": "int64", "l": "int64", "d": "float64", "B": "uint8"}
        buffer = self.pyarrow_.py_buffer(values)
        kind = self.pyarrow_.type_for_alias(kinds[values.format])
        return self.pyarrow_.Array.from_buffers(kind, len(values), [None, buffer])

    def _same(self, value: int | None, rows: int) -> Any:
        return self.pyarrow_.repeat(self.pyarrow_.scalar(value, "int32"), rows)

    def _texts(self, names: tuple[Any, Any], site: Any) -> Any:
        codes, texts = names
        return self.pyarrow_.DictionaryArray.from_arrays(codes.take(site), texts)
