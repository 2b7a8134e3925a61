// Elements. Text only ever becomes a text node, so a name from a trace can never be markup.

/**
 * h("a", { href: "#x", class: "y", on: { click }, style: { "--part": 0.3 } }, "text", node, [nodes], null)
 *
 * Styles are set one by one: the page's policy forbids style attributes.
 */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** A text in which a figure and its unit stay on one line: "760 kB". */
export function unbroken(text) {
  const parts = text.split(/(\d[\d.,]* (?:%|×|[kMGTP]?B|[nµm]?s)(?!\w))/);
  return parts.map((part, at) => (at % 2 ? h("span", { class: "unbroken" }, part) : part));
}

export function custom(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
