// A trial load of a recording: once, without a link, to see how much of it a load asks for before anything is measured. Makes
// no verdict on speed and stores nothing.
import type { LoadCoverage, PageLoad } from "../../schemas/generated/page_load.ts";
import type { Lane } from "../base/lanes.ts";
import type { Device } from "../browser/device.ts";
import { parseLink } from "../link/link.ts";
import type { Recording } from "../recording/archive/archive.ts";
import { failedUrlsOf } from "../recording/archive/recorded_requests.ts";
import { measureLoad } from "./load.ts";
import { isCoverageReason } from "./metrics/coverage.ts";
import { type Serving, stockServing } from "./serving/serving.ts";
import { timedOutAfter_ms } from "./time_out.ts";
import { isReplaced } from "./validity.ts";

export interface TrialOptions {
  /** Default: h2. */
  readonly lane?: Lane;
  /** As the loads that follow: how long the page is watched after its load event. */
  readonly settle_ms?: number;
  readonly timeout_ms?: number;
  readonly serving?: Serving;
  /** To which moment the page's clock is set; default: to none. */
  readonly pinned_ms?: number | null;
  /** Default: the recording's. */
  readonly device?: Device;
  readonly signal?: AbortSignal;
}

export interface Trial {
  readonly load: PageLoad;
  /** null: the load did not end, as `failure` says. */
  readonly coverage: LoadCoverage | null;
  readonly failure: string | null;
  /** Why such a load is not valid by what the page does, whatever the machine: too little or too much requested, no end. */
  readonly outside: readonly string[];
}

/** What the page load says of itself; a busy machine spoils no trial. */
export function trialOf(load: PageLoad): Trial {
  const { status, reasons, coverage = null } = load.log._trilane;
  const failure = status === "failed" || coverage === null ? (reasons[0] ?? "no coverage is known") : null;
  const endless = timedOutAfter_ms(reasons) === null ? [] : reasons;
  const outside =
    failure === null ? reasons.filter((reason) => isCoverageReason(reason) || isReplaced(reason)) : endless;
  return { load, coverage, failure, outside };
}

export async function trialLoad(home: string, recording: Recording, options: TrialOptions = {}): Promise<Trial> {
  const {
    lane = "h2",
    settle_ms = 0,
    timeout_ms = 60_000,
    serving = stockServing,
    signal,
    device,
    pinned_ms = null,
  } = options;
  const { name, digest, url } = recording;
  const load = await measureLoad({
    home,
    recording: { name, digest, url, failedUrls: failedUrlsOf(recording) },
    lane,
    link: parseLink("unlimited"),
    timeout_ms,
    settle_ms,
    serving,
    pinned_ms,
    ...(device ? { device } : {}),
    ...(signal ? { signal } : {}),
  });
  signal?.throwIfAborted();
  return trialOf(load);
}
