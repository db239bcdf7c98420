// A measured load, measured again where nothing is wrong with it but that this machine made the link late: any load may
// meet that, and sweeps try it again, too. Tests that are about something else load by this.

import { type LoadOptions, measureLoad, type PageLoad } from "../../cli/measure/load.ts";
import { isCrowded } from "../../cli/measure/starved.ts";

const attempts = 4;

const isLate = isCrowded;

export async function punctualLoad(options: LoadOptions): Promise<PageLoad> {
  for (let attempt = 1; ; attempt++) {
    const load = await measureLoad(options);
    const { status, reasons } = load.log._trilane;
    if (status !== "invalid" || !reasons.every(isLate) || attempt === attempts) return load;
  }
}
