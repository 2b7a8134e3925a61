// Leadline's own cost.

import { h } from "../dom.js";
import { count, percent, plural, seconds, size } from "../format.js";

export const drawing = {
  render: (report) => {
    const rows = [
      [
        "Leadline's overhead",
        report.overhead.fraction === null
          ? seconds(report.overhead.own_s)
          : `${seconds(report.overhead.own_s)} of the ${report.time_of}' time (${percent(report.overhead.fraction)})`,
      ],
      [
        "Traces",
        `${size(report.trace.bytes)} for ${plural(report.totals.calls, "call")}, of which ${size(report.trace.shared_bytes)} in shared files`,
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
      ["Batch job", report.batch ? batchWords(report.batch) : null],
      ["Where the ranks ran", placesWords(report.placement ?? [])],
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

/** What the batch system calls the job, and where it put it. */
function batchWords(job) {
  return [
    `${job.system} ${job.id}${job.name ? ` (${job.name})` : ""}`,
    job.array_job ? `task ${job.array_task} of the array ${job.array_job}` : null,
    job.restarts && job.restarts !== "0" ? `restarts: ${job.restarts}` : null,
    job.partition ? `partition ${job.partition}` : null,
    job.nodes ? `nodes ${job.nodes}` : null,
  ]
    .filter(Boolean)
    .join(", ");
}

/** A few hosts with their ranks and cores; all of them are in the table of ranks. */
function placesWords(places) {
  const some = places.slice(0, 8).map((place) => {
    const cores = place.bound ? `bound to cores ${place.cores.join(", ")}` : "not bound";
    const ranks = place.ranks.length > 8 ? `${count(place.ranks.length)} ranks` : `ranks ${place.ranks.join(", ")}`;
    return `${place.host}: ${ranks}, ${cores}`;
  });
  return some.join("; ") + (places.length > 8 ? `; and ${count(places.length - 8)} more` : "");
}
