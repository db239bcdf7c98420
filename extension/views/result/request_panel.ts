// The list of requests with its controls: search, filters, colours, groups, zoom, and the details pane. One per profile.
import { count } from "../../../cli/base/numbers.ts";
import { type Content, html, type Markup } from "../../figures/markup.ts";
import { phaseLegend } from "../../figures/phase_shapes.ts";
import { kindShades, protocolShades, shadeClass } from "../../figures/share_colours.ts";
import type { Profile } from "../../history/records.ts";
import { find, put } from "../put.ts";
import type { Window } from "./axis.ts";
import { detailsMarkup } from "./details.ts";
import { type Filter, filtered, isEmpty, linesOf, noFilter } from "./filter.ts";
import { marksWords, RequestList } from "./request_list.ts";
import type { ColourBy } from "./row_markup.ts";
import { endOf, type RequestRow } from "./rows.ts";

type Facts = Profile["log"]["_trilane"];

function optionsOf(values: Iterable<string>): Markup {
  return html`<option value="">all</option>${[...new Set(values)].map((value) => html`<option value="${value}">${value}</option>`)}`;
}

function shadeLegend(keys: readonly string[], values: readonly string[]): Markup {
  const present = keys.filter((key) => values.includes(key));
  return html`<ul class="key">${present.map((key) => html`<li><i class="${shadeClass(key)}"></i>${key}</li>`)}</ul>`;
}

/** `name`: of one of two panels. */
function panelMarkup(rows: readonly RequestRow[], name: string | undefined): Markup {
  const choice = (name: string, label: string, options: Content): Markup =>
    html`<label>${label} <select name="${name}">${options}</select></label>`;
  return html`<form class="row controls" role="search" aria-label="Requests${name !== undefined && ` of ${name.toUpperCase()}`}">
<label>Search <input name="search" type="search" placeholder="name, host, status" spellcheck="false"/></label>
${choice("protocol", "Protocol", optionsOf(rows.map(({ protocol }) => protocol)))}
${choice("kind", "Kind", optionsOf(rows.map(({ kind }) => kind)))}
${choice("colour", "Colour by", html`<option value="phase">phase</option><option value="protocol">protocol</option><option value="kind">kind</option>`)}
<label><input type="checkbox" name="group"/>by connection</label>
<span class="row zoom" role="group" aria-label="Zoom"><button type="button" name="out" aria-label="Show more time">−</button><button type="button" name="in" aria-label="Show less time">+</button><button type="button" name="fit">All</button></span>
<span class="shown soft" role="status"></span></form>
<div class="panes"><div class="place"></div><aside class="details" hidden aria-label="Details of the chosen request"></aside></div>
<div class="legend-place"></div><p class="soft keys"></p>`;
}

/** The load event and the paints, where they are known. */
function marksOf({ metrics }: Facts): { label: string; time_ms: number; className: string }[] {
  const marks = [
    { label: "load event", time_ms: metrics.plt_ms, className: "load" },
    { label: "LCP", time_ms: metrics.lcp_ms, className: "paint" },
  ];
  return marks.flatMap((mark) => (mark.time_ms === null ? [] : [{ ...mark, time_ms: mark.time_ms }]));
}

export interface RequestPanel {
  /** Shows these requests alone; what is not named stays as it is. */
  narrow(part: Partial<Filter>): void;
  readonly list: RequestList;
}

/** Two panels can have one axis: where it ends, and whom to tell when it is zoomed. */
export interface SharedAxis {
  /** The panel's, among those of one page. */
  readonly name: string;
  readonly end_ms: number;
  zoom(window: Window): void;
}

/** Builds the panel in this element. */
export function requestPanel(
  root: HTMLElement,
  profile: Profile,
  rows: readonly RequestRow[],
  axis?: SharedAxis,
): RequestPanel {
  const facts = profile.log._trilane;
  const marks = marksOf(facts);
  put(root, panelMarkup(rows, axis?.name));
  const form = find<HTMLFormElement>(".controls", root);
  const details = find(".details", root);
  const field = <E extends HTMLElement>(name: string): E => find<E>(`[name=${name}]`, form);
  let filter: Filter = noFilter;

  const choose = (row: RequestRow | null): void => {
    const hadFocus = details.contains(document.activeElement);
    details.hidden = row === null;
    if (row) {
      put(details, detailsMarkup(row));
      details.scrollTop = 0;
    } else if (hadFocus) list.focus();
  };
  const list = new RequestList(find(".place", root), {
    name: axis?.name ?? "requests",
    label: `Requests of ${facts.url}: arrow keys move, Enter shows details, plus and minus zoom`,
    end_ms: axis?.end_ms ?? endOf(rows, facts.metrics.plt_ms),
    marks,
    hosts: new Set(rows.map(({ host }) => host)).size > 1,
    choose,
    zoom: (window) => axis?.zoom(window),
  });

  const show = (): void => {
    const colourBy = field<HTMLSelectElement>("colour").value as ColourBy;
    const chosen = filtered(rows, filter);
    list.show(linesOf(chosen, field<HTMLInputElement>("group").checked), colourBy);
    const extra = filter.host ?? (filter.connection === null ? "" : `connection ${filter.connection || "none"}`);
    put(
      find(".shown", root),
      html`${String(chosen.length)} of ${count(rows.length, "request")}${extra && html`, ${extra}`}${!isEmpty(filter) && html` <button type="button" class="plain" name="all">show all</button>`}`,
    );
    put(
      find(".legend-place", root),
      colourBy === "phase"
        ? phaseLegend()
        : shadeLegend(
            (colourBy === "protocol" ? protocolShades : kindShades).map(({ key }) => key),
            rows.map((row) => row[colourBy]),
          ),
    );
  };
  const apply = (part: Partial<Filter>): void => {
    filter = { ...filter, ...part };
    field<HTMLInputElement>("search").value = filter.search;
    field<HTMLSelectElement>("protocol").value = filter.protocol ?? "";
    field<HTMLSelectElement>("kind").value = filter.kind ?? "";
    show();
  };

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () =>
    apply({
      search: field<HTMLInputElement>("search").value,
      protocol: field<HTMLSelectElement>("protocol").value || null,
      kind: field<HTMLSelectElement>("kind").value || null,
    }),
  );
  form.addEventListener("click", ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return;
    if (target.name === "in") list.zoomBy(0.5);
    else if (target.name === "out") list.zoomBy(2);
    else if (target.name === "fit") list.showAll();
    else if (target.name === "all") apply(noFilter);
  });
  details.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest(".close")) choose(null);
  });
  details.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") choose(null);
  });
  find(".keys", root).textContent =
    `${marksWords(marks) && `Vertical lines: ${marksWords(marks)}. `}“h2 · 3” is protocol and connection, numbered by first use. Drag over the axis to zoom in, double click for all; in the list, arrow keys move, Enter shows details, + and − zoom.`;
  show();
  return { narrow: (part) => apply({ ...noFilter, ...part }), list };
}
