// The part of the report that goes page by page: the filter, and a section for each page on each link. Chooses which sections
// have their loads drawn; what is in one is group_section.ts's.
import { html, type Markup } from "../../extension/figures/markup.ts";
import { shortUrl } from "../../extension/figures/request.ts";
import { kindOf } from "../../extension/figures/share_colours.ts";
import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import { middleCut } from "../base/middle_cut.ts";
import { type ReportData, spreadOrder } from "./data.ts";
import { type GroupSection, groupSection } from "./group_section.ts";
import type { GroupResult } from "./tables.ts";

export const maxSections = 400;
/** Sections with waterfalls stop being drawn when the file has grown to this. */
const waterfallBudget_characters = 3_000_000;

/** Of values that are given once for each time they occur, the most frequent first. */
function byFrequency(values: readonly string[]): string[] {
  const counts = [...Map.groupBy(values, (value) => value)].filter(([value]) => value !== "");
  return counts.sort(([, a], [, b]) => b.length - a.length).map(([value]) => value);
}

/** Hosts and types are those of the requests that are drawn. */
function filterMarkup(
  results: readonly GroupResult[],
  lanes: readonly string[],
  sections: readonly GroupSection[],
): Markup {
  const select = (label: string, name: string, values: Iterable<string>, fewest = 1): Markup => {
    const options = [...new Set(values)];
    return html`<label${options.length < fewest && html` hidden`}>${label} <select name="${name}"><option value="">all</option>${options.map((value) => html`<option value="${value}">${middleCut(value, 60)}</option>`)}</select></label>`;
  };
  const pages = results.map(({ group }) => group.page);
  const links = results.map(({ group }) => group.link);
  const drawn = sections.flatMap((section) => section.drawn.flatMap(({ pageLoad }) => pageLoad.log.entries));
  const hosts = byFrequency(drawn.map(({ request }) => shortUrl(request.url).host));
  const types = byFrequency(drawn.map((entry) => kindOf(entry._resourceType)));
  return html`<form class="filter" hidden aria-label="Filter">${select("Page", "page", pages)}${select("Link", "link", links)}${select("Lane", "lane", lanes, 2)}${select("Host", "host", hosts, 2)}${select("Type", "type", types, 2)}<button type="reset">Show all</button><span id="filtered" role="status"></span><span class="steps"><button type="button" name="previous">‹ Previous</button> <button type="button" name="next">Next ›</button></span></form>`;
}

export function pageSections(
  data: ReportData,
  results: readonly GroupResult[],
  lanes: readonly string[],
  profiles: ReadonlyMap<string, LinkProfile>,
  /** The section whose film stands on the first screen. */
  filmedAbove: string | null,
): Markup {
  const shown = results.filter((result) => result.hasSection);
  const sections = new Map<number, GroupSection>();
  let size = 0;
  // Spread, so that what is drawn before the budget ends comes from all over the grid.
  for (const index of spreadOrder(shown.length)) {
    const result = shown[index];
    const profile = result && profiles.get(result.group.link);
    if (!result || !profile) continue;
    const open = shown.length <= 3 || index === 0;
    const section = groupSection(data, result, profile, {
      open,
      isExplained: index === 0,
      waterfalls: size < waterfallBudget_characters,
      above: { isDrawn: results.length === 1, isFilmed: result.id === filmedAbove },
    });
    size += section.markup.text.length;
    sections.set(index, section);
  }
  const left = results.length - shown.length;
  return html`${filterMarkup(results, lanes, [...sections.values()])}${shown.map((_, index) => sections.get(index)?.markup)}${left > 0 && html`<p>${String(left)} more pages and links have no section here; their numbers are in the CSV.</p>`}`;
}
