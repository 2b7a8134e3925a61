// The top: the verdict in words, what was run, where the time went in one strip, what to change, and what to look at.

import { adviceCards } from "./advice.js";
import { stack } from "./cells.js";
import { programName, sum } from "./data.js";
import { h, unbroken } from "./dom.js";
import { count, percent, plural, seconds, size } from "./format.js";
import { PART_COLORS } from "./kinds.js";

/** titles: of the sections that this page has, by id.   advice: null: nothing is known of what changes gain. */
export function head(report, titles, advice) {
  return h(
    "header",
    null,
    h("h1", null, verdict(report.verdict_sentences)),
    h("p", { class: "about" }, about(report)),
    warning(report),
    report.ended_at_start?.all_ranks ? null : strip(report),
    keyFigures(report),
    advice ? adviceCards(advice) : null,
    lookAt(report, titles, new Set(advice?.answered)),
  );
}

/** The findings that the verdict does not begin with, each with a link to its section. answered: the texts of those
 * whose remedy is among the advice. */
function lookAt(report, titles, answered) {
  const others = report.findings.filter((each) => !each.in_verdict && !answered.has(each.text));
  if (!others.length) return null;
  const texts = new Set(others.map((each) => each.text));
  const leaders = others.filter((each) => !texts.has(each.part_of));
  const parts = ({ text }) => {
    const own = others.filter((each) => each.part_of === text);
    return own.length ? h("ul", null, own.map((each) => h("li", null, unbroken(each.text), help(each)))) : null;
  };
  const link = ({ section }) => (titles.has(section) ? [" ", h("a", { href: `#${section}` }, titles.get(section))] : []);
  return h(
    "div",
    { class: "look" },
    h("h2", null, "Findings"),
    report.findings_caveat ? h("p", null, report.findings_caveat) : null,
    h(
      "ul",
      null,
      leaders.map((each) =>
        h("li", { "data-severity": each.severity, title: bounds(each) }, unbroken(each.text), help(each), link(each), parts(each)),
      ),
    ),
  );
}

function help({ help }) {
  return help ? [" ", h("em", null, help)] : null;
}

/** For example "share: 0.344, at least 0.01": why it is worth a look. */
function bounds({ evidence, threshold }) {
  return Object.entries(threshold)
    .flatMap(([name, bound]) =>
      Object.entries(bound).map(
        ([relation, limit]) =>
          `${words(name)}: ${Number.isFinite(evidence[name]) ? Number(evidence[name].toPrecision(3)) : "no bound"}, ` +
          `${words(relation)} ${limit}`,
      ),
    )
    .join("; ");
}

function words(name) {
  return name.replaceAll("_", " ");
}

/** The first statement stands out; together they are the verdict to the letter. */
function verdict([first, ...rest]) {
  return rest.length ? [h("strong", null, unbroken(first)), " ", unbroken(rest.join(" "))] : unbroken(first);
}

function about(report) {
  const where =
    report.hosts.length === 1
      ? ` on ${report.hosts[0]}`
      : report.hosts.length
        ? ` on ${plural(report.hosts.length, "host")}`
        : "";
  const parts = [
    programName(report),
    plural(report.ranks, "rank") + where,
    report.library.split(",")[0].replace(/Version:\s*/, " ").replace(/\s+/g, " "),
    startOf(report.start),
    report.exit_code ? `exit code ${report.exit_code}` : null,
  ];
  return parts.filter(Boolean).flatMap((part, i) => [i ? " · " : "", h("span", null, part)]);
}

/** "2026-11-21T22:31:25+0000" -> "2026-11-21 22:31:25 UTC". */
function startOf(text) {
  return text ? text.replace("T", " ").replace(/\+00:?00$/, " UTC") : null;
}

function warning(report) {
  if (report.complete && !report.losses.length) return null;
  const kinds = new Set(report.losses.map((loss) => loss.code)).size;
  const text = report.complete ? "Some data is missing" : "This run is incomplete";
  return h(
    "p",
    { class: "warning", role: "note" },
    `${text}: ${kinds ? `${plural(kinds, "kind")} of loss` : "a truncated trace, or a rank that did not finish"}. `,
    h("a", { href: "#missing" }, "What is missing"),
  );
}

/** The time of all ranks together, in the parts that the terminal shows, too. */
function strip(report) {
  const parts = report.time_parts.map((part) => {
    const figure = part.share === null ? seconds(part.time_s) : percent(part.share);
    const text = part.share === null ? figure : `${seconds(part.time_s)}, ${figure}`;
    return { name: part.name, color: PART_COLORS[part.kind], value: part.time_s, figure, text };
  });
  const whole = sum(parts, (part) => part.value);
  const keys = parts.map((part) =>
    h(
      "li",
      null,
      h("i", { class: "swatch", style: { background: `var(${part.color})` } }),
      part.name,
      " ",
      h("b", null, part.figure),
    ),
  );
  return h(
    "div",
    { class: "strip" },
    stack(parts, whole, "Time summed over ranks; figures below"),
    h("ul", { class: "legend" }, keys),
  );
}

function keyFigures(report) {
  const t = report.totals;
  const figures = [
    ...(report.ended_at_start?.all_ranks
      ? []
      : [
          [seconds(report.duration_s), "MPI_Init to MPI_Finalize"],
          [percent(report.mpi_share), `of the ${report.time_of}' time is MPI`],
        ]),
    [count(t.calls), "MPI calls"],
    [count(t.messages), `messages, ${size(t.message_bytes)}`],
    ...(t.one_sided_operations
      ? [[count(t.one_sided_operations), `one-sided operations, ${size(t.bytes_put)} by puts, ${size(t.bytes_got)} by gets`]]
      : []),
    [count(t.collective_calls), `collective calls, ${size(t.collective_bytes)}`],
  ];
  return h(
    "dl",
    { class: "figures" },
    figures.map(([value, name]) => h("div", null, h("dt", null, name), h("dd", null, value))),
  );
}
