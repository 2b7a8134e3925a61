// The list of sections: at the side if there is room, otherwise above.

import { h } from "./dom.js";
import { themeButton } from "./theme.js";

export function contents(sections) {
  const links = sections.map((each) => h("li", null, h("a", { href: `#${each.id}` }, each.short)));
  return h(
    "nav",
    { "aria-label": "Contents" },
    h("a", { class: "brand", href: "#main" }, "Leadline"),
    h("ul", null, links),
    themeButton(),
  );
}

/** Marks the section that is being read. */
export function followScrolling(sections) {
  const links = new Map(sections.map((each) => [each.id, document.querySelector(`nav a[href="#${each.id}"]`)]));
  const visible = new Set();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) visible[entry.isIntersecting ? "add" : "delete"](entry.target.id);
      const current = sections.find((each) => visible.has(each.id));
      for (const [id, link] of links) {
        if (id === current?.id) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    },
    { rootMargin: "-10% 0px -60% 0px" },
  );
  for (const each of sections) observer.observe(document.getElementById(each.id));
}
