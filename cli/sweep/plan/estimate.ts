// How long loads will take, and how long is left. A guess for the progress line, never a result.

import type { LinkDirection, LinkProfile } from "../../../schemas/generated/link_profile.ts";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { laneFacts, laneOf } from "../../base/lanes.ts";
import { quiet_ms } from "../../load/quiet_page.ts";
import type { VideoSpec } from "../../recording/synth/video/video_spec.ts";
import type { NewCell, Results } from "../../results/store/results.ts";
import { leastVideo_bytes, videoLength_s, videoOf } from "./video_pages.ts";

/** What a guess needs to know of a recording. */
export interface PageSize {
  readonly exchanges: number;
  readonly body_bytes: number;
  /** Where it is from; absent: a file that is no recording yet. */
  readonly source?: string;
}

/** Lab, browser and their end. */
const perLoad_ms = 700;
/** Browser's and servers' work for one response. */
const perExchange_ms = 3;
/** Name, connection, request, and a few rounds of a growing window. */
const roundTrips = 7;
/** Headers and packets around the bodies. */
const overhead = 1.08;

function transfer_ms(bytes: number, direction: LinkDirection): number {
  return direction.rate_bps === null ? 0 : (bytes * 8 * 1000) / direction.rate_bps;
}

/** A guess at a load's wall time from the link's physics, for a cell that was never measured. */
export function guessWall_ms(page: PageSize, link: LinkProfile): number {
  const requests_bytes = page.exchanges * 120;
  // Each lost packet costs a window; measured loads take over from this guess soon.
  const loss = 1 + 20 * Math.min(0.1, link.down.loss + link.up.loss);
  const network_ms =
    roundTrips * link.rtt_ms +
    transfer_ms(page.body_bytes * overhead, link.down) * loss +
    transfer_ms(requests_bytes, link.up);
  return perLoad_ms + page.exchanges * perExchange_ms + network_ms;
}

/** The same of a page that plays a video: no faster than that, and no faster than what it plays can come. */
function guessVideo_ms(video: VideoSpec, link: LinkProfile): number {
  const transfer = transfer_ms(leastVideo_bytes(video) * overhead, link.down);
  return perLoad_ms + roundTrips * link.rtt_ms + Math.max(video.clip_s * 1000, transfer);
}

/** What a page is taken for while its recording is still to be made. */
const unknownPage: PageSize = { exchanges: 50, body_bytes: 1_000_000 };

/** A load's row with its compressed HAR: measured, 3.7 kB with no request to 26 kB with 218 and 478 kB with 5000. */
const perLoad_bytes = 4500;
const perExchange_bytes = 120;
/** What a video's page records of a second: measured, 880. */
const perPlayed_s_bytes = 900;

/** A guess at what a stored load takes on the disk. */
export function guessStored_bytes(page: PageSize | undefined): number {
  const played_s = videoLength_s(page) ?? 0;
  return perLoad_bytes + (page ?? unknownPage).exchanges * perExchange_bytes + played_s * perPlayed_s_bytes;
}

/** Wall time of a cell's loads: as they took before, else guessed. */
export function cellGuess(
  { settle_ms = 0, cross_traffic }: Pick<SweepPlan, "settle_ms" | "cross_traffic">,
  sizeOf: (page: string) => PageSize | undefined,
  results: Results | null,
): (cell: Pick<NewCell, "page" | "link" | "lane" | "link_profile">) => number {
  const known = new Map<string, number>();
  // Loads that had the link for themselves say nothing of such, nor such of them.
  const before_ms = (cross_traffic?.page_start_s ?? 0) * 1000;
  const measured = cross_traffic ? null : results;
  return ({ page, link, lane, link_profile }) => {
    const key = JSON.stringify([page, link, lane]);
    const size = sizeOf(page);
    const video = videoOf(size);
    const guess_ms =
      known.get(key) ??
      measured?.usualWall_ms(page, link, lane) ??
      (before_ms +
        (video ? guessVideo_ms(video, link_profile) : guessWall_ms(size ?? unknownPage, link_profile)) +
        Math.max(settle_ms, quiet_ms)) *
        (laneFacts[laneOf(lane)].repeat ? 2 : 1);
    known.set(key, guess_ms);
    return guess_ms;
  };
}

/** Time left: the guesses, corrected by how this run's loads went against theirs. */
export class TimeLeft {
  #guessedLeft_ms: number;
  #guessedDone_ms = 0;
  #tookDone_ms = 0;
  readonly #most_ms: () => number;

  /** `most_ms`: how long the run may go on yet, whatever is left. */
  constructor(guessed_ms: number, most_ms: () => number = () => Number.POSITIVE_INFINITY) {
    this.#guessedLeft_ms = guessed_ms;
    this.#most_ms = most_ms;
  }

  /** An attempt took so long; `last` when its planned load will not be tried again. */
  ended(guess_ms: number, took_ms: number, last: boolean): void {
    this.#guessedDone_ms += guess_ms;
    this.#tookDone_ms += took_ms;
    if (last) this.#guessedLeft_ms = Math.max(0, this.#guessedLeft_ms - guess_ms);
  }

  /** A planned load is not needed. */
  skipped(guess_ms: number): void {
    this.#guessedLeft_ms = Math.max(0, this.#guessedLeft_ms - guess_ms);
  }

  get left_ms(): number {
    const paced = this.#guessedDone_ms === 0 ? 1 : this.#tookDone_ms / this.#guessedDone_ms;
    return Math.max(0, Math.min(this.#guessedLeft_ms * paced, this.#most_ms()));
  }
}
