// `--labs`: how many attempts run side by side. Words and the machine's calibration to what the runner takes.

import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import { UserError } from "../base/errors.ts";
import type { OptionsOf, OptionTable } from "../base/option_table.ts";
import { linksInTurn } from "../link/link.ts";
import { allowedCpus, labCpus } from "../load/lab.ts";
import { readCalibration } from "../sweep/calibrate/store.ts";
import { machineName } from "./link_tests.ts";

/** What a machine bears (`trilane calibrate`). */
export interface Labs {
  readonly most: number;
  /** The number is the calibration's, and not the user's. */
  readonly isAuto?: boolean;
  /** Whether attempts over the link may have others beside them: fast ones need the machine for themselves. */
  readonly mayShare: (link: LinkProfile) => boolean;
  /** The CPUs of each lab; null or missing: labs are not bound to any. */
  readonly cpus?: readonly (readonly number[])[] | null;
}

/** "if-requested": only by a number that the user gives. "never": they share something besides the machine, as the way to a live server. */
export type SideBySide = "as-calibrated" | "if-requested" | "never";

/** What of the labs an instrument's attempts may use; undefined: they run one after another. */
export function usableLabs(labs: Labs | undefined, sideBySide: SideBySide = "as-calibrated"): Labs | undefined {
  if (sideBySide === "never" || (sideBySide === "if-requested" && labs?.isAuto)) return undefined;
  return labs;
}

/** If the machine was not calibrated: slower links leave CPUs idle, faster ones do not. */
const usualRate_bps = 1e6;
const mostLabs = 64;

type LabsOptions = OptionsOf<typeof defineLabs>;

export const defineLabs = (table: OptionTable<unknown>) =>
  table.option("labs", {
    rare: true,
    placeholder: "N|auto",
    describe: "attempts side by side, on slow links only; auto: as many as `trilane calibrate` found (default: auto)",
  });

/** @throws UserError if it is no number */
export function labsOf({ labs = "auto" }: LabsOptions, home: string): Labs {
  const calibration = readCalibration(home, machineName());
  const limit_bps = calibration?.rate_bps ?? usualRate_bps;
  const most = labs === "auto" ? (calibration?.labs ?? 1) : /^\d{1,3}$/.test(labs) ? Number(labs) : 0;
  if (most < 1 || most > mostLabs)
    throw new UserError(`--labs must be auto or a number from 1 to ${mostLabs} (got ${JSON.stringify(labs)})`);
  // A trace's mean says nothing of its peaks, and steps change.
  const isSlow: Labs["mayShare"] = (link) =>
    linksInTurn(link)
      .flatMap(({ down, up }) => [down, up])
      .every((way) => !way.trace && !way.rate_steps && way.rate_bps !== null && way.rate_bps <= limit_bps);
  return { most, isAuto: labs === "auto", mayShare: isSlow, cpus: labCpus(allowedCpus(), most) };
}
