// What each lane made of what was recorded over http://.
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import { laneFacts } from "../base/lanes.ts";
import { count } from "../base/numbers.ts";
import { sortLanes } from "../results/verdict/sample.ts";
import { field } from "./figures/unknown_json.ts";

const originsOf = ({ replay }: LoadFacts, name: string): unknown => field(replay, "origins", name);
const numberOf = (facts: LoadFacts, name: string): number => {
  const value = originsOf(facts, name);
  return typeof value === "number" ? value : 0;
};

/** null where all was recorded over https://. */
export function clearOriginsNote(facts: readonly LoadFacts[]): Markup | null {
  const concerned = facts.filter((each) => numberOf(each, "http_exchanges") > 0);
  if (concerned.length === 0) return null;
  const pages = [...new Set(concerned.map(({ page }) => page))].sort();
  const exchanges = pages.map((page) =>
    Math.max(...concerned.filter((each) => each.page === page).map((each) => numberOf(each, "http_exchanges"))),
  );
  const recorded = pages
    .slice(0, 20)
    .map((page, index) => `${page} (${count(exchanges[index] ?? 0, "exchange")})`)
    .join(", ");
  const served = (how: string): string =>
    sortLanes(
      concerned
        // Where all is in clear, that is said of the lane (lanes_note.ts).
        .filter((each) => originsOf(each, "http") === how && !laneFacts[each.lane].clear)
        .map(({ lane }) => lane),
    ).join(", ");
  const [clear, upgraded] = [served("clear"), served("upgraded")];
  const redirects = Math.max(...concerned.map((each) => numberOf(each, "redirects_left_out")));
  return html`<p>Recorded in part over http://: ${recorded}${pages.length > 20 && ", …"}.${clear && ` On ${clear} these origins stay in clear.`}${upgraded && ` On ${upgraded} they are upgraded to https://, because browsers speak these protocols only over TLS; a header in documents says so.`}${redirects > 0 && ` There ${count(redirects, "redirect")} from http:// to https:// of one page ${redirects === 1 ? "is" : "are"} left out.`}${clear && upgraded && " So these lanes differ by more than the protocol: in clear there are no handshakes of TLS, and redirects to https:// take their round trips."}</p>`;
}
