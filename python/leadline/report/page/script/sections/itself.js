// What Leadline itself cost.

import { h } from "../dom.js";
import { count, fixed, percent, seconds, size } from "../format.js";

export const itself = {
  id: "itself",
  title: "Leadline itself",
  present: () => true,
  render: (report) => {
    const calls = report.totals.calls;
    const rows = [
      [
        "Its own measured time",
        report.overhead.fraction === null
          ? seconds(report.overhead.own_s)
          : `${seconds(report.overhead.own_s)} of the ${report.time_of}' time (${percent(report.overhead.fraction)})`,
      ],
      ["Per call, with its start and end", calls ? seconds(report.overhead.per_call_ns * 1e-9) : "–"],
      [
        "Traces",
        `${size(report.trace.bytes)}, ${fixed(report.trace.bytes_per_call, 2)} bytes per call; ${size(report.trace.shared_bytes)} in files several ranks share`,
      ],
      ["Version", `${report.leadline}, ${report.schema}`],
      ["Recording", report.run],
      ["Command", report.command ? report.command.join(" ") : null],
      ["Program", report.program],
      ["MPI library", report.library],
      [
        "Hosts",
        report.hosts.length > 8
          ? `${report.hosts.slice(0, 8).join(", ")} and ${count(report.hosts.length - 8)} more`
          : report.hosts.join(", "),
      ],
      ["Whole command", report.command_duration_s === null ? null : seconds(report.command_duration_s)],
    ];
    return [
      h(
        "dl",
        { class: "reasons" },
        rows.filter(([, text]) => text).map(([name, text]) => h("div", null, h("dt", null, name), h("dd", null, text))),
      ),
    ];
  },
};
