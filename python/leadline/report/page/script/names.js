// Names of routines, which in C++ may be long: what distinguishes them is shown, and the whole while the mouse is on them.

import { h } from "./dom.js";

const LONGEST = 56;
const UNBROKEN = 26;

/** The name as text that may be broken, with `whole` on hover where that says more. */
export function nameOf(text, whole = text) {
  const shown = shortened(text);
  return h("span", { class: "name", title: whole && whole !== shown ? whole : null }, breakable(shown));
}

/** Routines from the outermost to the innermost, which stands out. */
export function chainOf(routines) {
  return routines.flatMap((routine, i) => [
    i ? " › " : "",
    i === routines.length - 1 ? h("b", null, nameOf(routine)) : nameOf(routine),
  ]);
}

/** "Foo<std::vector<int>>::bar(int, double)" -> "Foo<…>::bar(…)", if it is long; then without outer scopes, then cut. */
export function shortened(text) {
  if (text.length <= LONGEST) return text;
  let short = emptied(text);
  while (short.length > LONGEST && short.includes("::")) short = short.slice(short.indexOf("::") + 2);
  if (short.length < emptied(text).length) short = `…::${short}`;
  return short.length <= LONGEST + 3 ? short : `${short.slice(0, LONGEST)}…`;
}

/** Without what stands in the outermost brackets, but for "operator<", "operator()", "(anonymous namespace)". */
function emptied(text) {
  const kept = text.replace(/\(anonymous namespace\)/g, "\u0001");
  let [out, depth] = ["", 0];
  for (let i = 0; i < kept.length; i++) {
    const each = kept[i];
    const operator = /operator[<>()=-]*$/.test(out) && depth === 0;
    if (!operator && (each === "<" || each === "(")) {
      if (depth++ === 0) out += each;
    } else if (!operator && depth > 0 && (each === ">" || each === ")") && kept[i - 1] !== "-") {
      if (--depth === 0) out += `…${each}`;
    } else if (depth === 0) out += each;
  }
  return depth === 0 ? out.replaceAll("\u0001", "(anonymous namespace)").replaceAll("(…)", "()") : text;
}

/** Lines may end behind scopes and directories, and in long names behind underscores. */
export function breakable(text) {
  return text.split(text.length > UNBROKEN ? /(?<=::|[/_,<.])/ : /(?<=::|\/)/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));
}
