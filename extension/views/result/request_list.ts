// The list of requests with their waterfall: only the lines in sight are in the page, whatever their number. Scrolling,
// arrow keys, zoom and choosing; which lines there are and what a choice means is the page's matter.
import { formatTime } from "../../../cli/base/numbers.ts";
import { html, type Markup } from "../../figures/markup.ts";
import { add, find, put } from "../put.ts";
import { chosenWindow, moved, ticksOf, type Window, wholeWindow, zoomed } from "./axis.ts";
import type { Line } from "./filter.ts";
import { type ColourBy, columns, lineId, lineMarkup, rowHeight_px } from "./row_markup.ts";
import type { RequestRow } from "./rows.ts";

/** Lines drawn above and below what is seen, so that scrolling by little draws nothing. */
const spare = 12;

export interface RequestListOptions {
  /** Distinguishes lists of one page. */
  readonly name: string;
  /** For screen readers. */
  readonly label: string;
  readonly end_ms: number;
  /** Vertical lines: load event and others, ms. */
  readonly marks: readonly { readonly label: string; readonly time_ms: number; readonly className: string }[];
  readonly hosts: boolean;
  /** A request was chosen, or none. */
  choose(row: RequestRow | null): void;
  /** The window of time changed; for a second list beside it. */
  zoom?(window: Window): void;
}

export class RequestList {
  readonly #root: HTMLElement;
  readonly #options: RequestListOptions;
  readonly #viewport: HTMLElement;
  readonly #body: HTMLElement;
  readonly #head: HTMLElement;
  readonly #whole: Window;
  #lines: readonly Line[] = [];
  #window: Window;
  #colourBy: ColourBy = "phase";
  #at = -1;
  #drawn = { from: -1, to: -1 };
  #waiting = false;
  #barWidth_px = 300;

  constructor(root: HTMLElement, options: RequestListOptions) {
    this.#root = root;
    this.#options = options;
    this.#whole = wholeWindow(options.end_ms);
    this.#window = this.#whole;
    put(
      root,
      html`<div class="list" role="grid" tabindex="0" aria-label="${options.label}" aria-colcount="${String(columns.length)}"><div class="head" role="row" aria-rowindex="1"></div><div class="body" role="rowgroup"></div></div>`,
    );
    this.#viewport = find(".list", root);
    this.#body = find(".body", root);
    this.#head = find(".head", root);
    this.#viewport.addEventListener("scroll", () => this.#later(), { passive: true });
    this.#viewport.addEventListener("keydown", (event) => this.#key(event));
    this.#viewport.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.#body.addEventListener("click", (event) => {
      const line = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-index]") : null;
      if (line) this.go(Number(line.dataset.index), true);
    });
    this.#head.addEventListener("pointerdown", (event) => this.#drag(event));
    // The lines of the grid are drawn in the theme's colours.
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#drawHead());
    new ResizeObserver(() => this.#measure()).observe(this.#viewport);
  }

  get window(): Window {
    return this.#window;
  }

  show(lines: readonly Line[], colourBy: ColourBy): void {
    const before = this.#lines[this.#at];
    const id = before ? lineId(before, this.#options.name) : null;
    this.#lines = lines;
    this.#colourBy = colourBy;
    this.#at = id === null ? -1 : lines.findIndex((line) => lineId(line, this.#options.name) === id);
    this.#viewport.setAttribute("aria-rowcount", String(lines.length + 1));
    this.#body.style.height = `${lines.length * rowHeight_px}px`;
    this.#measure();
    this.#draw(true);
  }

  setWindow(window: Window): void {
    this.#window = window;
    this.#drawHead();
    this.#draw(true);
  }

  /** Zooms about the middle. */
  zoomBy(factor: number, about = 0.5): void {
    this.#change(zoomed(this.#window, this.#whole, factor, about));
  }

  showAll(): void {
    this.#change(this.#whole);
  }

  focus(): void {
    this.#viewport.focus();
  }

  /** Makes a line the current one and brings it into sight. */
  go(index: number, choose: boolean): void {
    if (this.#lines.length === 0) return;
    this.#at = Math.max(0, Math.min(this.#lines.length - 1, index));
    const top = this.#at * rowHeight_px;
    const view = this.#viewport;
    const room = view.clientHeight - this.#head.offsetHeight;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + rowHeight_px > view.scrollTop + room) view.scrollTop = top + rowHeight_px - room;
    this.#draw(true);
    const line = this.#lines[this.#at];
    if (line) view.setAttribute("aria-activedescendant", lineId(line, this.#options.name));
    if (choose && line) this.#options.choose(line.is === "request" ? line.row : null);
  }

  #change(window: Window): void {
    this.setWindow(window);
    this.#options.zoom?.(window);
  }

  #later(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#draw(false);
    });
  }

  #measure(): void {
    const bar = this.#head.querySelector<HTMLElement>(".bar");
    if (!bar) this.#drawHead();
    const width = this.#head.querySelector<HTMLElement>(".bar")?.clientWidth ?? 0;
    if (width > 0 && width !== this.#barWidth_px) {
      this.#barWidth_px = width;
      this.#drawHead();
      this.#draw(true);
    } else this.#later();
  }

  #position(time_ms: number): number {
    return ((time_ms - this.#window.from_ms) / (this.#window.to_ms - this.#window.from_ms)) * this.#barWidth_px;
  }

  #drawHead(): void {
    const ticks = ticksOf(this.#window, this.#barWidth_px);
    const texts = ticks.map(
      (tick) =>
        html`<text class="axis mid" x="${Math.min(this.#barWidth_px - 16, Math.max(14, this.#position(tick)))}" y="16">${String(tick)}</text>`,
    );
    const cells = columns.map((name) =>
      name === "Waterfall"
        ? html`<span role="columnheader" class="c bar" title="drag to choose a time, double click for all"><span class="unseen">Waterfall, ms since navigation start</span><svg aria-hidden="true" width="${String(Math.round(this.#barWidth_px))}" height="24">${texts}</svg></span>`
        : html`<span role="columnheader" class="c ${name.toLowerCase().replace("request", "name")}">${name}</span>`,
    );
    put(this.#head, html`${cells}`);
    // Grid lines and marks are one background for all lines: they are drawn once, however many lines there are.
    this.#body.style.backgroundImage = `url("data:image/svg+xml,${encodeURIComponent(this.#background(ticks).text)}")`;
  }

  #background(ticks: readonly number[]): Markup {
    const style = getComputedStyle(this.#root);
    const [line, ink, soft] = ["--line", "--ink", "--soft"].map((name) => style.getPropertyValue(name).trim());
    const grid = ticks.map((tick) => {
      const x = this.#position(tick);
      return html`<path stroke="${line}" d="M${x} 0v24"/>`;
    });
    const marks = this.#options.marks.map(({ time_ms, className }) => {
      const x = this.#position(time_ms);
      const colour = className === "load" ? ink : soft;
      return html`<path stroke="${colour}" stroke-width="1.5"${className !== "load" && html` stroke-dasharray="3 3"`} d="M${x} 0v24"/>`;
    });
    const width = String(Math.round(this.#barWidth_px));
    return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="24">${grid}${marks}</svg>`;
  }

  #draw(anew: boolean): void {
    const { scrollTop, clientHeight } = this.#viewport;
    const first = Math.floor(scrollTop / rowHeight_px);
    const last = Math.ceil((scrollTop + clientHeight) / rowHeight_px);
    const enough = first >= this.#drawn.from && Math.min(last, this.#lines.length) <= this.#drawn.to;
    if (!anew && enough) return;
    const from = Math.max(0, first - spare);
    const to = Math.min(this.#lines.length, last + spare);
    const before = this.#drawn;
    this.#drawn = { from, to };
    const body = this.#body;
    if (anew || from >= before.to || to <= before.from) {
      const nothing = html`<div role="row" class="nothing"><span role="gridcell">No request fits the filter.</span></div>`;
      put(body, to > from ? this.#linesMarkup(from, to) : nothing);
      return;
    }
    // Scrolled by less than what is drawn: only what comes into sight is made.
    for (let index = before.from; index < from; index++) body.firstElementChild?.remove();
    for (let index = to; index < before.to; index++) body.lastElementChild?.remove();
    if (from < before.from) add(body, "before", this.#linesMarkup(from, before.from));
    if (to > before.to) add(body, "behind", this.#linesMarkup(before.to, to));
  }

  #linesMarkup(from: number, to: number): Markup {
    const { hosts, name: list } = this.#options;
    const drawing = { window: this.#window, width_px: this.#barWidth_px, colourBy: this.#colourBy };
    return html`${this.#lines
      .slice(from, to)
      .map((line, offset) =>
        lineMarkup(line, { index: from + offset, current: from + offset === this.#at, hosts, list }, drawing),
      )}`;
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.#viewport.clientHeight / rowHeight_px) - 2);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    const step = steps[event.key];
    if (step !== undefined) this.go(this.#at + step, false);
    else if (event.key === "Home") this.go(0, false);
    else if (event.key === "End") this.go(this.#lines.length - 1, false);
    else if (event.key === "Enter" || event.key === " ") this.go(this.#at, true);
    else if (event.key === "Escape") this.#options.choose(null);
    else if (event.key === "+" || event.key === "=") this.zoomBy(0.5, this.#currentShare());
    else if (event.key === "-") this.zoomBy(2, this.#currentShare());
    else if (event.key === "0") this.showAll();
    else if (event.key === "ArrowLeft") this.#change(moved(this.#window, this.#whole, -0.2));
    else if (event.key === "ArrowRight") this.#change(moved(this.#window, this.#whole, 0.2));
    else return;
    event.preventDefault();
  }

  /** Where the current request begins, as a share of the width: zooming by keys goes there. */
  #currentShare(): number {
    const line = this.#lines[this.#at];
    if (line?.is !== "request") return 0;
    return Math.max(0, Math.min(1, this.#position(line.row.start_ms) / this.#barWidth_px));
  }

  #wheel(event: WheelEvent): void {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!event.ctrlKey && !(event.shiftKey || sideways)) return;
    event.preventDefault();
    if (event.ctrlKey) {
      const box = this.#barBox();
      const about = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
      this.zoomBy(event.deltaY > 0 ? 1.25 : 0.8, about);
      return;
    }
    const delta = sideways ? event.deltaX : event.deltaY;
    this.#change(moved(this.#window, this.#whole, delta / this.#barWidth_px));
  }

  #barBox(): DOMRect {
    return find(".bar", this.#head).getBoundingClientRect();
  }

  /** Dragging over the axis chooses a time; a double click shows all. */
  #drag(event: PointerEvent): void {
    if (!(event.target instanceof Element) || !event.target.closest(".bar")) return;
    if (event.detail === 2) {
      this.showAll();
      return;
    }
    const box = this.#barBox();
    const timeAt = (x: number): number =>
      this.#window.from_ms + ((x - box.left) / box.width) * (this.#window.to_ms - this.#window.from_ms);
    const start = event.clientX;
    const shade = document.createElement("i");
    shade.className = "chosen";
    find(".bar", this.#head).append(shade);
    const move = (to: PointerEvent): void => {
      const [left, right] = [Math.min(start, to.clientX), Math.max(start, to.clientX)];
      shade.style.left = `${left - box.left}px`;
      shade.style.width = `${right - left}px`;
    };
    const end = new AbortController();
    addEventListener("pointermove", move, { signal: end.signal });
    addEventListener(
      "pointerup",
      (to) => {
        end.abort();
        shade.remove();
        if (Math.abs(to.clientX - start) > 4)
          this.#change(chosenWindow(timeAt(start), timeAt(to.clientX), this.#whole));
      },
      { signal: end.signal },
    );
  }
}

/** What the vertical lines are. */
export function marksWords(marks: RequestListOptions["marks"]): string {
  return marks.map(({ label, time_ms }) => `${label} ${formatTime(time_ms)}`).join(", ");
}
