// What a trial load says of a recording: how much of it was requested, what was not, what came beyond, what was answered with
// something else, and what to do. Pure: page loads in, findings and lines out.
import type { HarEntry, LoadCoverage } from "../../schemas/generated/page_load.ts";
import type { CheckedRequest, RecordingChecked } from "../../schemas/generated/recording_checked.ts";
import type { Lane } from "../base/lanes.ts";
import { count, formatSize } from "../base/numbers.ts";
import { shellWord } from "../base/shell_word.ts";
import type { Recording } from "../recording/archive/archive.ts";
import { type RecordedRequests, requestKey } from "../recording/archive/recorded_requests.ts";
import { isDisturbed } from "./disturbance.ts";
import { coverageBounds, isCoverageReason, percentDown, unansweredWords } from "./metrics/coverage.ts";
import type { Tried } from "./pin_decision.ts";
import type { Trial } from "./trial.ts";

interface CheckInput {
  readonly recording: Recording;
  readonly recorded: RecordedRequests;
  readonly lane: Lane;
  readonly tried: Tried;
}

const isIn = (entry: HarEntry): boolean => /^https?:/i.test(entry.request.url);

/** By what the recording knows what each entry was answered with. */
function requestedKeys(entries: readonly HarEntry[]): Set<string> {
  return new Set(
    entries.map(({ request: { method, url }, _trilane: { instead } }) => requestKey(method, instead?.url ?? url)),
  );
}

/** What a load is expected to ask for and did not, the largest first. */
function notRequested({ requests }: RecordedRequests, entries: readonly HarEntry[]): CheckedRequest[] {
  const requested = requestedKeys(entries);
  return requests
    .filter(({ method, url, notExpected }) => notExpected === null && !requested.has(requestKey(method, url)))
    .map(({ method, url, bytes }) => ({ method, url, bytes }))
    .sort((a, b) => b.bytes - a.bytes);
}

/** `other`, which counts, first. */
const kinds = ["other", "failed", "report"] as const;

function beyondOf(entries: readonly HarEntry[]): RecordingChecked["beyond"] {
  const found = entries.filter(isIn).flatMap(({ request: { method, url }, _trilane: { unrecorded } }) => {
    return unrecorded === undefined ? [] : [{ method, url, kind: unrecorded }];
  });
  return found.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
}

/** The least similar first. */
function fuzzyOf(entries: readonly HarEntry[]): RecordingChecked["fuzzy"] {
  return entries
    .flatMap(({ request: { method, url }, _trilane: { instead } }) =>
      instead
        ? [{ method, url, given: instead.url, difference: instead.difference, similarity: instead.likeness }]
        : [],
    )
    .sort((a, b) => a.similarity - b.similarity);
}

/** What a load left out of a recording, and requested besides. */
export const missesOf = (recorded: RecordedRequests, entries: readonly HarEntry[]) => ({
  notRequested: notRequested(recorded, entries),
  beyond: beyondOf(entries),
  fuzzy: fuzzyOf(entries),
});

/** How a recording of more of the page is made. */
function againAdvice(recording: Recording): string {
  const { name, url, source } = recording;
  const live = `\`trilane record ${shellWord(url)} --visits 3\``;
  return source.startsWith("live: ")
    ? `record the page again, more than once: ${live}, as ${name} differs from visit to visit`
    : `record the page live: ${live}`;
}

/** Why such a load would not be valid, for what it asks for and for whatever else the page does. */
function reasonsOf({ load, failure, outside }: Trial): string[] {
  const others = failure === null ? load.log._trilane.reasons : [];
  return [...outside, ...others.filter((reason) => !outside.includes(reason) && !isDisturbed(reason))];
}

function adviceOf({ recording, tried }: CheckInput, beyond: RecordingChecked["beyond"]): RecordingChecked["advice"] {
  const { name, source } = recording;
  const { chosen, pinned_ms } = tried;
  const bodies = recording.filled;
  const fill =
    bodies > 0
      ? [
          `export the HAR with all bodies and import it again: ${count(bodies, "body is", "bodies are")} missing or cut off`,
        ]
      : [];
  const model = source.startsWith("model: ")
    ? []
    : [`race a page of the same shape in its place: \`trilane race ${shellWord(name)} --as model\``];
  if (chosen.failure !== null || reasonsOf(chosen).length > 0) return [againAdvice(recording), ...fill, ...model];
  const others = beyond.filter(({ kind }) => kind === "other").length;
  return [
    `race it as it is${pinned_ms === null ? "" : "; its clock is set for all its loads"}${others > 0 ? `; with --strict its loads would be invalid for ${count(others, "request")}` : ""}`,
  ];
}

export function checkOf(input: CheckInput): RecordingChecked {
  const { recording, recorded, lane, tried } = input;
  const { chosen, before, pinned_ms } = tried;
  const { entries } = chosen.load.log;
  const { notRequested: not_asked, beyond, fuzzy } = missesOf(recorded, entries);
  return {
    schema: "trilane/recording-checked/1",
    recording: { name: recording.name, url: recording.url, source: recording.source, digest: recording.digest },
    lane,
    pinned_to: pinned_ms === null ? null : new Date(pinned_ms).toISOString(),
    failure: chosen.failure,
    within: chosen.failure === null && reasonsOf(chosen).length === 0,
    reasons: reasonsOf(chosen),
    coverage: chosen.coverage,
    unpinned: before?.coverage ?? null,
    not_asked,
    beyond,
    fuzzy,
    advice: adviceOf(input, beyond),
  };
}

const mostRows = 10;

function listed(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - mostRows;
  return [
    title,
    ...lines.slice(0, mostRows).flatMap((line) => `  ${line}`.split("\n")),
    ...(more > 0 ? [`  and ${more} more: --json has all`] : []),
  ];
}

const sharesLine = ({ recorded, asked, requests, bytes }: LoadCoverage): string =>
  `asked for ${asked.requests} of ${count(recorded.requests, "recorded request")} (${percentDown(requests)}) and ${formatSize(asked.bytes)} of ${formatSize(recorded.bytes)} (${percentDown(bytes)})`;

const whole = (share: number): string => `${Math.round(share * 100)} %`;

function headLines(checked: RecordingChecked): string[] {
  const { recording, lane, pinned_to, failure, reasons, coverage, unpinned } = checked;
  if (coverage === null) return [`${recording.name}: does not load over ${lane}: ${failure}`];
  const { requests, bytes } = coverageBounds;
  const bounds = `at least ${whole(requests)} and ${whole(bytes)}, ${unansweredWords}`;
  return [
    `${recording.name}: over ${lane}, without a link, a load ${sharesLine(coverage)}`,
    `  ${reasons.some(isCoverageReason) ? "outside" : "within"} the bounds (${bounds})`,
    ...reasons.filter((reason) => !isCoverageReason(reason)).map((reason) => `  its loads are invalid: ${reason}`),
    ...(pinned_to === null || unpinned === null
      ? []
      : [`  with its clock set to ${pinned_to} and random numbers seeded; without, it ${sharesLine(unpinned)}`]),
  ];
}

const kindWords = {
  other: "not recorded: 404",
  failed: "failed when recorded",
  report: "nothing waits for it",
} as const;

export function checkLines(checked: RecordingChecked): string[] {
  const { not_asked, beyond, fuzzy, advice } = checked;
  const similarity = (value: number): string => value.toFixed(2);
  return [
    ...headLines(checked),
    ...listed(
      "not asked for, the largest first:",
      not_asked.map(({ method, url, bytes }) => `${formatSize(bytes)}  ${method} ${url}`),
    ),
    ...listed(
      "asked for beyond the recording:",
      beyond.map(({ method, url, kind }) => `${method} ${url} (${kindWords[kind]})`),
    ),
    ...listed(
      "answered with another recorded response, the least similar first:",
      fuzzy.map(
        ({ method, url, given, difference, similarity: value }) =>
          `${method} ${url}\n    given: ${given ?? "unavailable"} (another ${difference}, similarity ${similarity(value)})`,
      ),
    ),
    "what to do:",
    ...advice.map((line) => `  ${line}`),
  ];
}
