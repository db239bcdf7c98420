// A trial load of a recording: once, without a link, to see how much of it a load asks for before anything is measured. Makes
// no verdict on speed and stores nothing.
import type { LoadCoverage, PageLoad } from "../../schemas/generated/page_load.ts";
import type { Recording } from "../archive/archive.ts";
import { RunError } from "../errors.ts";
import type { Lane } from "../lanes.ts";
import { parseLink } from "../link/link.ts";
import { isCoverageReason } from "../metrics/coverage.ts";
import { failedUrlsOf } from "../metrics/recorded_requests.ts";
import { type Serving, stockServing } from "../serving/serving.ts";
import { measureLoad } from "./load.ts";

export interface TrialOptions {
  /** Default: h2. */
  readonly lane?: Lane;
  /** As the loads that follow: how long the page is watched after its load event. */
  readonly settle_ms?: number;
  readonly timeout_ms?: number;
  readonly serving?: Serving;
  /** To which moment the page's clock is set; default: to none. */
  readonly pinned_ms?: number | null;
  readonly signal?: AbortSignal;
}

export interface Trial {
  readonly load: PageLoad;
  /** null: the load did not end, as `failure` says. */
  readonly coverage: LoadCoverage | null;
  readonly failure: string | null;
  /** Why such a load is not valid for what it asked for; empty: it is within the bounds. */
  readonly outside: readonly string[];
}

/** What the page load says of itself; a busy machine spoils no trial. */
export function trialOf(load: PageLoad): Trial {
  const { status, reasons, coverage = null } = load.log._trilane;
  const failure = status === "failed" || coverage === null ? (reasons[0] ?? "no coverage is known") : null;
  return { load, coverage, failure, outside: reasons.filter(isCoverageReason) };
}

export async function trialLoad(home: string, recording: Recording, options: TrialOptions = {}): Promise<Trial> {
  const { lane = "h2", settle_ms = 0, timeout_ms = 60_000, serving = stockServing, signal, pinned_ms = null } = options;
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
    ...(signal ? { signal } : {}),
  });
  signal?.throwIfAborted();
  return trialOf(load);
}

/** Why loads of the recording would not count for what they ask for, as a trial load shows; empty: they would, or it did not end. */
export async function trialOutside(
  home: string,
  recording: Recording,
  options: TrialOptions = {},
): Promise<readonly string[]> {
  return (await trialLoad(home, recording, options)).outside;
}

/** How much of the recording a load on this lane asks for. RunError where the page does not load. */
export async function trialCoverage(
  home: string,
  recording: Recording,
  lane: Lane = "h2",
  options: Omit<TrialOptions, "lane"> = {},
): Promise<LoadCoverage> {
  const { coverage, failure } = await trialLoad(home, recording, { ...options, lane });
  if (coverage === null)
    throw new RunError(
      `recording ${recording.name}: does not load (${failure}): see \`trilane recording check ${recording.name}\``,
    );
  return coverage;
}
