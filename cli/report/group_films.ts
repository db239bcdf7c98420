// What one page on one link looked like over each lane at the same instants, if loads of it were filmed. Takes films, draws the figure.
import { filmstripFigure } from "../../extension/figures/filmstrip.ts";
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { ReportData } from "./data.ts";
import { savedFigure } from "./figures/figure_file.ts";
import type { GroupResult } from "./tables.ts";

/** Null: no load of this group was filmed. */
export function filmsOf(data: ReportData, { group, id, lanes }: GroupResult): Markup | null {
  const filmed = lanes.flatMap(({ lane }) => {
    const cell = group.cells.find((each) => each.lane === lane);
    const film = data.films.find((each) => each.cell === cell?.id);
    if (!film || film.frames.length === 0) return [];
    const frames = film.frames.map(({ time_ms, jpeg }) => ({ time_ms, jpeg: Buffer.from(jpeg).toString("base64") }));
    return [{ lane, frames, plt_ms: film.plt_ms }];
  });
  if (filmed.length === 0) return null;
  return savedFigure(filmstripFigure(filmed, id), {
    name: ["filmstrip", group.page, group.link],
    columns: ["lane", "shown_from_ms", "jpeg_bytes", "plt_ms"],
    rows: filmed.flatMap(({ lane, frames, plt_ms }) =>
      frames.map(({ time_ms, jpeg }) => [lane, time_ms, Buffer.byteLength(jpeg, "base64"), plt_ms]),
    ),
  });
}

/** Why a page on a link has no film; null: none of its loads was in a browser that cannot be filmed. */
export function whyUnfilmed({ loads }: GroupResult["group"]): Markup | null {
  const isOfFirefox = loads.some(({ browser_version }) => /^Firefox /.test(browser_version ?? ""));
  return isOfFirefox
    ? html`<p class="soft">There is no film, because pictures of its window would slow down the loads in Firefox.</p>`
    : null;
}
