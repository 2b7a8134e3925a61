// An iteration before and after a change, as replayed: two pictures with one axis of time.

import { h } from "./dom.js";
import { seconds } from "./format.js";
import { Picture } from "./timeline/picture.js";
import { StepData } from "./timeline/step.js";

const HIGH = 170; // pixels, the lanes of a picture

/** timelines: of the advice.   number: of the proposal.   open: at first. Null if there is none. */
export function beforeAfter(timelines, number, open) {
  const [before, after] = [timelines?.before, timelines?.after[number]];
  if (!before || !after) return null;
  const place = h("div");
  const details = h(
    "details",
    { class: "before-after", on: { toggle: () => details.open && fill(place, timelines, [before, after]) } },
    h("summary", null, `An iteration before and after: ${seconds(length(before))} and ${seconds(length(after))}, predicted`),
    place,
  );
  details.open = open;
  if (open) fill(place, timelines, [before, after]);
  return details;
}

/** From the first rank's begin to the last one's end. */
function length(step) {
  return Math.max(...step.lanes.to) * step.unit_s;
}

function fill(place, { sites, ranks, ranks_why: why }, steps) {
  if (place.firstChild) return;
  const longest = Math.max(...steps.map(length));
  const words = ["As recorded, replayed", "With the change, predicted"];
  const pictures = steps.map((step, i) => {
    const picture = new Picture(() => {}, HIGH);
    picture.status.hidden = true;
    const said = () => {
      picture.status.hidden = false;
    };
    picture.canvas.addEventListener("mousemove", said);
    picture.canvas.addEventListener("keydown", said);
    picture.show(
      new StepData(step, sites, ranks, Math.round(longest / step.unit_s)),
      `${words[i]}: an iteration on ${ranks.length} ranks in ${seconds(length(step))}; arrow keys describe its calls`,
    );
    return h("figure", { class: "timeline-figure" }, h("figcaption", null, `${words[i]}: ${seconds(length(step))}`), picture.place, picture.status);
  });
  const which = why ? ` Showing ${why}.` : "";
  place.replaceChildren(
    ...pictures,
    h("p", { class: "note" }, `A late iteration of the main loop, on one time axis. Hatched: waiting, for messages with their way.${which}`),
  );
}
