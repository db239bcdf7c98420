// `--tolerance`: for how long the machine may hold up the link of a load, a run or a fetch before it is invalid.
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { usualTolerance } from "../../load/disturbance.ts";

/** `of`: what may be held up, and what the share is of. */
export const toleranceOption = (of: string) =>
  ({
    rare: true,
    placeholder: "LIMIT",
    describe: `how long the machine may hold up the link of ${of}, a time, or the larger of both (default: 1%,5ms)`,
  }) as const;

const toleranceForm = /^(?:(\d+(?:\.\d+)?)%)?(?:(?:^|(?<=%),)(\d+(?:\.\d+)?)ms)?$/;

/** UserError in one line. `whole`: what a share is of. */
export function toleranceOf(text: string, whole = "the PLT"): NonNullable<SweepPlan["tolerance"]> {
  const [, percent, ms] = toleranceForm.exec(text.replaceAll(" ", "")) ?? [];
  if ((percent === undefined && ms === undefined) || Number(percent ?? 0) > 100)
    throw new UserError(
      `--tolerance must be a share of ${whole}, a time, or both, as 1%,5ms (got ${JSON.stringify(text)})`,
    );
  return {
    share: percent === undefined ? 0 : Number((Number(percent) / 100).toPrecision(12)),
    ms: ms === undefined ? usualTolerance.ms : Number(ms),
  };
}
