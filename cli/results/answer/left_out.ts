// Which loads an answer is without: how many of each lane, why, and what to do where they are many. Pure: loads in, text out.
import { laneName } from "../../base/lanes.ts";
import { count } from "../../base/numbers.ts";
import { isDisturbed } from "../../load/disturbance.ts";
import { isCoverageReason } from "../../load/metrics/coverage.ts";
import { byLane, counted, type Sample } from "../verdict/sample.ts";
import { excludedLine } from "../verdict/verdict.ts";

/** Above this share of loads that do not count an answer warns. */
const mostLeft_share = 0.1;

export interface LeftOut {
  /** `2 of 17 loads do not count: ...` */
  readonly line: string;
  /** Of all attempts, 0 to 1. */
  readonly share: number;
  /** Where they are many: `12 % of loads do not count (HTTP/1.1 0 %, HTTP/3 24 %).`, and what to do. */
  readonly warning: { readonly line: string; readonly remedy: string } | null;
}

const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`;

function remedyFor(left: readonly Sample[]): string {
  const [page = ""] = left.map((load) => load.page);
  const share = (is: (reason: string) => boolean): number =>
    left.filter(({ reasons }) => reasons.some(is)).length / left.length;
  if (share(isDisturbed) >= 0.5) return "Let less run on this machine.";
  if (share(isCoverageReason) >= 0.5)
    return `\`trilane recording check ${page}\` shows what is missing and what to do.`;
  return "The report names the reasons; race and sweep keep what each load left with --evidence FOLDER.";
}

/** Null where every load counts and none timed out. */
export function leftOut(loads: readonly Sample[]): LeftOut | null {
  const line = excludedLine(loads);
  if (line === null) return null;
  const left = loads.filter((load) => counted(load) === null);
  const share = left.length / loads.length;
  if (share <= mostLeft_share) return { line, share, warning: null };
  const shares = byLane(loads).map(
    ({ lane, loads: of }) =>
      `${laneName(lane)} ${percent(of.filter((load) => counted(load) === null).length, of.length)}`,
  );
  const many = `${count(left.length, "load")} of ${loads.length} (${percent(left.length, loads.length)}) ${left.length === 1 ? "does" : "do"} not count: ${shares.join(", ")}.`;
  return { line, share, warning: { line: many, remedy: remedyFor(left) } };
}
