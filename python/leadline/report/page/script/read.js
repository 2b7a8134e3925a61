// The report object in the page's file: compressed JSON (report/page/packing.py).

import { unpack } from "./data.js";
import { inflate } from "./inflate.js";

export function read() {
  const { bytes, deflated } = JSON.parse(document.getElementById("report").textContent);
  const compressed = Uint8Array.from(atob(deflated), (each) => each.charCodeAt(0));
  return unpack(JSON.parse(new TextDecoder().decode(inflate(compressed, bytes))));
}
