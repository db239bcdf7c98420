// Markup into the page, and elements out of it. The only place that sets innerHTML, and it takes nothing but Markup, in
// which all that came from outside is escaped.
import { coloursCss } from "../figures/colours.ts";
import type { Markup } from "../figures/markup.ts";
import { shareColoursCss } from "../figures/share_colours.ts";

const shown = new WeakMap<Element, string>();

/** Replaces what stands in the element, unless it is the same already: focus and selection stay then. */
export function put(element: Element, markup: Markup): void {
  if (shown.get(element) === markup.text) return;
  shown.set(element, markup.text);
  element.innerHTML = markup.text;
}

/** Adds to what stands in the element, before or behind it. */
export function add(element: Element, where: "before" | "behind", markup: Markup): void {
  shown.delete(element);
  element.insertAdjacentHTML(where === "before" ? "afterbegin" : "beforeend", markup.text);
}

/** The element of this selector. Throws where the page has none: the page's own HTML is at fault. */
export function find<E extends Element = HTMLElement>(selector: string, root: ParentNode = document): E {
  const element = root.querySelector<E>(selector);
  if (!element) throw new Error(`no ${selector} in this page`);
  return element;
}

/** The colours of lanes, phases and shares, which are computed rather than written down. */
export function addColours(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(coloursCss() + shareColoursCss());
  document.adoptedStyleSheets.push(sheet);
}

/** Calls `listener` for events on elements of this selector within root, now and later. */
export function on<K extends keyof HTMLElementEventMap>(
  root: HTMLElement,
  type: K,
  selector: string,
  listener: (element: HTMLElement, event: HTMLElementEventMap[K]) => void,
): void {
  root.addEventListener(type, (event) => {
    const element = event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null;
    if (element && root.contains(element)) listener(element, event);
  });
}
