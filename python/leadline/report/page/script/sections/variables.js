// The MPI library's performance variables (MPI_T), and its settings in the environment.

import { h } from "../dom.js";
import { count, fixed } from "../format.js";
import { table } from "../table.js";

export const drawing = {
  remark: () =>
    "MPI_T performance variables with nonzero values before MPI_Finalize, and environment settings.",
  render: (report) => [
    report.variables?.length ? variablesTable(report.variables) : null,
    report.settings?.length ? settings(report.settings) : null,
  ],
};

function number(value) {
  if (value === null || value === undefined) return "";
  return Number.isInteger(value) ? count(value) : fixed(value, Math.abs(value) < 1 ? 6 : 2);
}

function variablesTable(rows) {
  const columns = [
    {
      id: "variable",
      head: true,
      text: true,
      value: (e) => e.name,
      cell: (e) => h("span", { class: "site" }, h("code", null, e.name), h("span", { class: "path" }, e.description)),
    },
    { id: "kind", text: true, value: (e) => e.class, cell: (e) => [e.class, e.unit].filter(Boolean).join(", ") },
    { id: "least", value: (e) => e.min, cell: (e) => number(e.min) },
    { id: "median", value: (e) => e.median, cell: (e) => number(e.median) },
    { id: "most", value: (e) => e.max, cell: (e) => [number(e.max), h("small", null, ` rank ${e.max_rank}`)] },
  ];
  return table({
    of: "variables",
    label: "Performance variables",
    columns,
    rows,
    one: "variable",
    words: (e) => `${e.name} ${e.description} ${e.class}`,
    detail: rows.some((e) => e.values?.length) ? values : null,
  });
}

function values(variable) {
  const columns = [
    { id: "rank", head: true, value: (e) => e.rank, cell: (e) => String(e.rank) },
    { id: "value", value: (e) => e.value, cell: (e) => number(e.value) },
  ];
  return table({
    of: "variable_values",
    label: variable.name,
    columns,
    rows: variable.values ?? [],
    one: "rank",
    first: 16,
    words: (e) => String(e.rank),
  });
}

function settings(rows) {
  const columns = [
    { id: "setting", head: true, text: true, value: (e) => e.name, cell: (e) => h("code", null, e.name) },
    { id: "value", text: true, value: (e) => e.value, cell: (e) => e.value },
    {
      id: "ranks",
      text: true,
      cell: (e) => (e.ranks ? (Array.isArray(e.ranks) ? e.ranks.join(", ") : String(e.ranks)) : "all"),
    },
  ];
  return [
    h("h3", null, "Settings in the environment"),
    table({ of: "settings", label: "Settings", columns, rows, one: "setting", words: (e) => `${e.name} ${e.value}` }),
  ];
}
