// Which browser loads pages: an update in mid-sweep does not end it, but is told, as versions load pages at different speeds.
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import type { BrowserChanged } from "../../schemas/generated/sweep_event.ts";
import type { Results, Sweep } from "../results/results.ts";

export class BrowserVersion {
  /** The last load's; null: there was none, or its browser did not start. */
  #last: string | null;

  constructor(results: Results, sweep: Sweep) {
    const last = results.loadsOf(sweep.id).findLast(({ status }) => status === "valid");
    this.#last = last ? results.harOf(last.id).log.browser.version : null;
  }

  /** What there is to tell after a load; null: nothing. `load`: its number. */
  after({ log }: PageLoad, load: number): BrowserChanged | null {
    const { version } = log.browser;
    const before = this.#last;
    if (version === "" || version === before) return null;
    this.#last = version;
    return before === null ? null : { event: "browser-changed", before, now: version, load };
  }
}
