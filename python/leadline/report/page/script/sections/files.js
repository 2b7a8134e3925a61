// The ranks' file I/O: by file and rank, by function and call site, and MPI-IO with the library's file calls for it.

import { ENTRY_COLUMNS, entryDetail } from "../cells.js";
import { place } from "../data.js";
import { h } from "../dom.js";
import { count, percentColumn, plural, seconds, size } from "../format.js";
import { breakable } from "../names.js";
import { table } from "../table.js";

export const drawing = {
  remark: (report) => about(report.io),
  render: (report) => {
    const io = report.io;
    return [
      io.files.length ? fileTable(io.files) : h("p", null, "No files were read or written during the recording."),
      io.mpi_io ? beneath(io.mpi_io) : null,
      io.by_rank?.length > 1 ? h("details", null, h("summary", null, "By rank"), byRank(io.by_rank)) : null,
      io.functions?.length
        ? h(
            "details",
            null,
            h("summary", null, `By function of libc (${io.functions.length})`),
            entries("file_functions", "File functions", "function", io.functions, functionName, (e) => e.function, entryDetail),
          )
        : null,
      io.sites?.length
        ? h(
            "details",
            null,
            h("summary", null, `By call site (${io.sites.length})`),
            entries(
              "file_sites",
              "Call sites of file I/O",
              "call site",
              io.sites,
              siteName,
              (e) => [e.function, e.file, ...e.path].join(" "),
              (e) => [
                h(
                  "ol",
                  { class: "frames" },
                  e.path.map((frame) => h("li", null, frame)),
                ),
                entryDetail(e),
              ],
            ),
          )
        : null,
      io.not_seen?.length
        ? [
            h("h3", null, "Not included"),
            h(
              "ul",
              { class: "plain" },
              io.not_seen.map((each) => h("li", null, each)),
            ),
          ]
        : null,
    ];
  },
};

function about(io) {
  const outside = io.outside?.calls ? ` Includes ${amounts(io.outside)} before MPI_Init, after MPI_Finalize or in threads without MPI calls.` : "";
  return `Regular files only: ${amounts(io)}. The MPI library's own file calls are not counted twice.${outside}`;
}

function amounts(each) {
  return `${plural(each.calls, "call")}, ${size(each.bytes_read)} read, ${size(each.bytes_written)} written, ${seconds(each.time_s)}`;
}

/** The end of a path distinguishes files. */
function fileName(path) {
  const cut = path.lastIndexOf("/") + 1;
  return h(
    "span",
    { class: "file", title: path },
    h("span", { class: "at" }, breakable(path.slice(0, cut))),
    h("b", null, breakable(path.slice(cut))),
  );
}

const FILE_COLUMNS = [
  { id: "ranks", value: (e) => e.ranks, cell: (e) => count(e.ranks) },
  { id: "opens", value: (e) => e.opens, cell: (e) => count(e.opens) },
  { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
  { id: "reads", value: (e) => e.reads, cell: (e) => (e.reads ? count(e.reads) : "") },
  { id: "read", value: (e) => e.bytes_read, cell: (e) => (e.bytes_read ? size(e.bytes_read) : "") },
  { id: "writes", value: (e) => e.writes, cell: (e) => (e.writes ? count(e.writes) : "") },
  { id: "written", value: (e) => e.bytes_written, cell: (e) => (e.bytes_written ? size(e.bytes_written) : "") },
  { id: "access", text: true, value: (e) => e.access, cell: (e) => (e.access === "none" ? "–" : e.access) },
  {
    id: "size",
    value: (e) => e.size_bytes,
    cell: (e) => (e.size_bytes === null ? "unknown" : size(e.size_bytes)),
  },
];

function fileTable(rows) {
  const name = {
    id: "file",
    head: true,
    text: true,
    value: (e) => e.file,
    cell: (e) => [fileName(e.file), e.mpi_io ? h("small", null, " MPI-IO") : null],
  };
  return table({
    of: "files",
    label: "Files",
    columns: [name, ...FILE_COLUMNS],
    rows,
    one: "file",
    words: (e) => `${e.file} ${e.access}`,
    detail: (e) => (e.by_rank?.length ? ofRanks(e.by_rank) : h("p", null, e.file)),
  });
}

function ofRanks(rows) {
  const columns = [
    ...RANK_COLUMNS.slice(0, -1),
    { id: "access", text: true, value: (e) => e.access, cell: (e) => (e.access === "none" ? "–" : e.access) },
    {
      id: "fraction_read",
      value: (e) => e.fraction_read,
      cell: (e) => (e.fraction_read === null || e.fraction_read === undefined ? "unknown" : percentColumn(e.fraction_read)),
    },
  ];
  return table({
    of: "files_of_rank",
    label: "Ranks that used the file",
    columns,
    rows,
    one: "rank",
    first: 16,
    words: (e) => String(e.rank),
  });
}

const RANK_COLUMNS = [
  { id: "rank", head: true, value: (e) => e.rank, cell: (e) => String(e.rank) },
  { id: "calls", value: (e) => e.calls, cell: (e) => count(e.calls) },
  { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
  { id: "read", value: (e) => e.bytes_read, cell: (e) => size(e.bytes_read) },
  { id: "written", value: (e) => e.bytes_written, cell: (e) => size(e.bytes_written) },
  { id: "files", value: (e) => e.files, cell: (e) => (e.files === undefined ? "" : count(e.files)) },
];

function byRank(rows) {
  return table({ of: "files_of_rank", label: "File I/O by rank", columns: RANK_COLUMNS, rows, one: "rank", words: (e) => String(e.rank) });
}

function entries(of, label, one, rows, name, words, detail) {
  return table({
    of,
    label,
    columns: [name, ...ENTRY_COLUMNS.filter((column) => column.id !== "messages")],
    rows,
    one,
    words,
    detail,
  });
}

const functionName = {
  id: "function",
  head: true,
  text: true,
  value: (e) => e.function,
  cell: (e) => h("code", null, e.function),
};
const siteName = {
  id: "where",
  head: true,
  text: true,
  value: (e) => `${e.function} ${e.file ?? ""}`,
  cell: (e) => [h("code", null, e.function), " ", h("span", { class: "at" }, `${e.routine} ${place(e)}`)],
};

/** What the program asked of MPI_File_*, and what the library did with files for it. */
function beneath(io) {
  const rows = io.files ?? [];
  const columns = [
    {
      id: "file",
      head: true,
      text: true,
      value: (e) => e.file,
      cell: (e) => [fileName(e.file), e.view ? h("small", null, " with a view") : null],
    },
    { id: "calls", value: (e) => e.calls, cell: (e) => count(e.calls) },
    { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
    { id: "read", value: (e) => e.bytes_read, cell: (e) => size(e.bytes_read) },
    { id: "written", value: (e) => e.bytes_written, cell: (e) => size(e.bytes_written) },
    {
      id: "beneath_ranks",
      value: (e) => e.beneath?.ranks,
      cell: (e) => count(e.beneath?.ranks),
    },
    { id: "beneath_calls", value: (e) => e.beneath?.calls, cell: (e) => count(e.beneath?.calls) },
    { id: "beneath_time", value: (e) => e.beneath?.time_s, cell: (e) => seconds(e.beneath?.time_s) },
    { id: "beneath_read", value: (e) => e.beneath?.bytes_read, cell: (e) => size(e.beneath?.bytes_read) },
    { id: "beneath_written", value: (e) => e.beneath?.bytes_written, cell: (e) => size(e.beneath?.bytes_written) },
    { id: "beneath_access", text: true, value: (e) => e.beneath?.access, cell: (e) => e.beneath?.access ?? "" },
  ];
  return [
    h("h3", null, "MPI-IO and the library's file calls"),
    h(
      "p",
      { class: "remark" },
      `MPI_File_* calls: ${amounts(io)}. File calls of the MPI library for them: ${io.beneath ? amounts(io.beneath) : "not seen"}.`,
    ),
    rows.length
      ? table({ of: "mpi_io", label: "MPI-IO by file", columns, rows, one: "file", words: (e) => e.file })
      : null,
  ];
}
