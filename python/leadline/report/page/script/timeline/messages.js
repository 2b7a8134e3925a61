// Arrows of messages: from the begin of the call that sends to the end of the call that completes the receive.

import { custom } from "../dom.js";

const HEADS_UP_TO = 300; // messages in the picture: more arrows have no heads
const FEW = 40; // of which each stands out
const DRAWN_UP_TO = 3_000; // more hide what is beneath them

/** { seen, drawn }: the messages between lanes in the picture, and how many of them are drawn. */
export function paintMessages(context, scene) {
  const { data, places, selected, arrows } = scene;
  const seen = arrows ? inPicture(scene) : [];
  const own = selected >= 0 ? (data.messages.of.get(selected) ?? []) : [];
  const chosen = new Set(own);
  const drawn = seen.length <= DRAWN_UP_TO ? seen : [];
  const heads = seen.length <= HEADS_UP_TO;
  context.lineWidth = 1;
  context.globalAlpha = drawn.length <= FEW ? 0.7 : heads ? 0.4 : 0.22;
  context.strokeStyle = context.fillStyle = custom("--ink");
  for (const message of drawn) if (!chosen.has(message)) arrow(context, scene, message, heads);
  context.globalAlpha = 1;
  context.lineWidth = 2;
  for (const message of own) {
    if (places.has(lane(data, "send", message)) && places.has(lane(data, "receive", message))) arrow(context, scene, message, true);
  }
  return { seen: seen.length, drawn: drawn.length };
}

function inPicture({ data, view, places, hidden }) {
  const { send, receive, arrival } = data.messages;
  const found = [];
  for (let message = 0; message < send.length; message++) {
    const from = data.begin[send[message]];
    const to = arrival[message] >= 0 ? arrival[message] : data.end[receive[message]];
    if (Math.max(from, to) < view.from || Math.min(from, to) > view.to) continue;
    const [source, target] = [data.laneOf[send[message]], data.laneOf[receive[message]]];
    if (source === target || !places.has(source) || !places.has(target)) continue;
    if (hidden.has(data.category(send[message]))) continue;
    found.push(message);
  }
  return found;
}

function lane(data, end, message) {
  return data.laneOf[data.messages[end][message]];
}

/** A message whose arrival is unknown ends at the call that receives, without a head. */
function arrow(context, { data, layout, places, x, y }, message, head) {
  const { send, receive, arrival } = data.messages;
  const known = arrival[message] >= 0;
  const middle = (each) => y(places.get(each)) + layout.lane / 2;
  const [x0, y0] = [x(data.begin[send[message]]), middle(lane(data, "send", message))];
  const [x1, y1] = [x(known ? arrival[message] : data.begin[receive[message]]), middle(lane(data, "receive", message))];
  if (!known) context.setLineDash([4, 3]);
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
  context.setLineDash([]);
  if (!head || !known) return;
  const turn = Math.atan2(y1 - y0, x1 - x0);
  context.beginPath();
  context.moveTo(x1, y1);
  for (const side of [-0.4, 0.4]) context.lineTo(x1 - 7 * Math.cos(turn + side), y1 - 7 * Math.sin(turn + side));
  context.fill();
}

/** The critical path along the lanes' lower edges, from rank to rank. */
export function paintCritical(context, { data, layout, places, critical, x, y }) {
  if (!critical || !data.critical.length) return;
  context.strokeStyle = custom("--critical");
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.beginPath();
  let open = false;
  for (const { lane, from, to } of data.critical) {
    if (!places.has(lane)) {
      open = false;
      continue;
    }
    const at = y(places.get(lane)) + layout.lane - 1;
    context[open ? "lineTo" : "moveTo"](x(from), at);
    context.lineTo(x(to), at);
    open = true;
  }
  context.stroke();
}
