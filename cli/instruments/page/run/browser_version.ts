// Which browser loads pages: an update in mid-sweep does not end it, but is reported, as versions, and builds of one version, load
// pages at different speeds. Of a plan with several browsers each has its own.

import type { PageLoad } from "../../../../schemas/generated/page_load.ts";
import type { BrowserChanged } from "../../../../schemas/generated/sweep_event.ts";
import { factorsOf } from "../../../base/lanes.ts";
import type { Load, Results, Sweep } from "../../../results/store/results.ts";
import { binaryInWords } from "../../../results/verdict/browsers.ts";
import { blocksPerRound } from "../../../sweep/plan/neighbours.ts";

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

type Planned = Pick<Load, "lane" | "block">;

export class BrowserVersion {
  /** The last load's, by its browser in the plan and its block's turn in a round; none: there was none, or its browser did not start. */
  readonly #last = new Map<string, Browser>();
  readonly #turns: number;

  constructor(results: Results, sweep: Sweep) {
    this.#turns = blocksPerRound(sweep.plan);
    const valid = results.loadsOf(sweep.id).filter(({ status }) => status === "valid");
    const latest = new Map(valid.map((load) => [this.#keyOf(load), load]));
    for (const [key, load] of latest) this.#last.set(key, browserOf(results.harOf(load.id)));
  }

  #keyOf({ lane, block }: Planned): string {
    return `${factorsOf(lane).browser ?? ""} ${block % this.#turns}`;
  }

  /** What there is to report after a planned load; null: nothing. `load`: its number. */
  after(pageLoad: PageLoad, load: number, planned: Planned): BrowserChanged | null {
    const now = browserOf(pageLoad);
    if (now.version === "") return null;
    const key = this.#keyOf(planned);
    const before = this.#last.get(key);
    this.#last.set(key, now);
    if (before === undefined) return null;
    const event = "browser-changed";
    if (now.version !== before.version) return { event, before: before.version, now: now.version, load };
    if (!isOtherBinary(before, now)) return null;
    const named = ({ version, sha256 }: Browser): string => `${version}${binaryInWords(sha256)}`;
    return { event, before: named(before), now: named(now), load };
  }
}
