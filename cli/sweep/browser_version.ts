// Which browser loads pages: an update in mid-sweep does not end it, but is told, as versions, and builds of one version, load
// pages at different speeds.
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import type { BrowserChanged } from "../../schemas/generated/sweep_event.ts";
import type { Results, Sweep } from "../results/store/results.ts";
import { binaryInWords } from "../results/verdict/browsers.ts";

interface Browser {
  readonly version: string;
  /** Of the program's file; null: not known. */
  readonly sha256: string | null;
}

function browserOf({ log }: PageLoad): Browser {
  return { version: log.browser.version, sha256: log._trilane.environment.browser_sha256 ?? null };
}

/** A binary that is not known is no other one. */
function isOtherBinary(a: Browser, b: Browser): boolean {
  return a.sha256 !== null && b.sha256 !== null && a.sha256 !== b.sha256;
}

export class BrowserVersion {
  /** The last load's; null: there was none, or its browser did not start. */
  #last: Browser | null;

  constructor(results: Results, sweep: Sweep) {
    const last = results.loadsOf(sweep.id).findLast(({ status }) => status === "valid");
    this.#last = last ? browserOf(results.harOf(last.id)) : null;
  }

  /** What there is to tell after a load; null: nothing. `load`: its number. */
  after(pageLoad: PageLoad, load: number): BrowserChanged | null {
    const now = browserOf(pageLoad);
    if (now.version === "") return null;
    const before = this.#last;
    this.#last = now;
    if (before === null) return null;
    const event = "browser-changed";
    if (now.version !== before.version) return { event, before: before.version, now: now.version, load };
    if (!isOtherBinary(before, now)) return null;
    const named = ({ version, sha256 }: Browser): string => `${version}${binaryInWords(sha256)}`;
    return { event, before: named(before), now: named(now), load };
  }
}
