// The studies that `trilane reproduce` knows.
import { carlucci2015 } from "./carlucci_2015.ts";
import { cse534 } from "./cse534_2017.ts";
import { das2014, das2014Reproducibility } from "./das_2014.ts";
import type { Study } from "./study.ts";

export const studies: readonly Study[] = [das2014, das2014Reproducibility, carlucci2015, cse534];

/** Of the study that a plan belongs to. */
export function studyOfPlan(plan: string): Study | null {
  return studies.find(({ quick, full }) => plan === quick || plan === full) ?? null;
}
