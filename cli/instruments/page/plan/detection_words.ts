// What a plan's runs can show in words, for `trilane plan`. Computes nothing.
import type { Detection, RunsNeeded } from "../../../../schemas/generated/sweep_event.ts";
import {
  neededTitle,
  plain,
  runsWords,
  shownTitle,
  shownWords,
  sweepWords,
} from "../../../sweep/plan/detected_words.ts";

/** `vary by 2.1 % (h3 over h2; standard deviation), by sweep 5`. */
function noiseWords({ basis, sweep, lane, over, ...of }: Detection): string {
  const found = plain(of.spread_percent);
  const says = {
    sweep: sweepWords({ sweep, ...of }, "loads"),
    given: "as given",
    assumed: "assumed: trilane plan with --from SWEEP or --spread PERCENT says better",
  }[basis];
  return `vary by ${found} % (${lane} and ${over}; standard deviation), ${says}`;
}

const scopes: Readonly<Record<RunsNeeded["scope"], string>> = {
  cell: "page on a link",
  noisiest: "noisiest page on a link",
  pooled: "all together",
};
const scopeWidth = Math.max(...Object.values(scopes).map((name) => name.length)) + 2;

const row = (scope: RunsNeeded["scope"], values: readonly string[]): string =>
  `${scopes[scope].padEnd(scopeWidth)}${values.join(" / ")}`;

function shownLines({ shown, runs }: Detection): string[] {
  const rows = shown.map(({ scope, percents }) => row(scope, shownWords(percents)));
  return [shownTitle(runs), ...rows];
}

function neededLines({ needed, detect_percent }: Detection): string[] {
  if (needed.length === 0) return [];
  const rows = [...Map.groupBy(needed, ({ scope }) => scope)].map(([scope, of]) => row(scope, of.map(runsWords)));
  const isBeyond = needed.some(({ scope, runs }) => scope === "pooled" && runs === null);
  const remedy = isBeyond ? ["Pages or links differ by more than that: more of them help, and no runs."] : [];
  return [neededTitle(detect_percent), ...rows, ...remedy];
}

/** How near the slower ones are to half decides where a lane's median lies, and a pilot shows it badly. */
function cautionWords({ two_kinds, needed }: Detection): string | null {
  if (!two_kinds) return null;
  const { lane, slower, loads } = two_kinds;
  const least = needed.length > 0 ? "take these as the least" : "take these as the best that may be";
  return `Loads of ${lane} are of two kinds, ${slower} of ${loads} much slower: the nearer that is to half, the more runs it takes, and a pilot hardly tells; ${least}.`;
}

interface DetectionWords {
  readonly noise: string;
  /** Lines of at most 71 columns. */
  readonly shown: readonly string[];
  /** Empty if no effect was named. */
  readonly needed: readonly string[];
  /** Why not to rely on them; null: nothing. */
  readonly caution: string | null;
}

export function detectionWords(detection: Detection): DetectionWords {
  return {
    noise: noiseWords(detection),
    shown: shownLines(detection),
    needed: neededLines(detection),
    caution: cautionWords(detection),
  };
}
