// `--browser`: which browser loads the pages, as an option of race and sweep; and what a plan's browsers cannot
// give, found before there is a sweep.
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { laneOf } from "../../base/lanes.ts";
import type { OptionTable } from "../../base/option_table.ts";
import { browserProgram, chromiumPath, isProgram } from "../../base/programs.ts";
import { engineOf } from "../../load/engine_of.ts";
import { laneServing } from "../../load/serving/lane_serving.ts";
import type { Plan } from "./plan_document.ts";

export interface BrowserOptions {
  browser: string | undefined;
}

export function defineBrowser<T>(table: OptionTable<T>): OptionTable<T & BrowserOptions> {
  return table.option("browser", {
    type: "string",
    describe: "chromium, firefox or a program's path (default: Chromium, or what TRILANE_BROWSER names)",
  });
}

type BrowserTerms = Pick<SweepPlan, "browser" | "interleaved">;

/** What a plan says of it; nothing if the option is not given. UserError for browsers that are not here. */
export function browsersOf({ browser }: BrowserOptions): BrowserTerms {
  if (browser === undefined) return {};
  if (browser.includes(",") && !isProgram(browser))
    throw new UserError(
      `--browser ${browser}: name one: \`trilane compare --interleaved A B --page PAGE\` loads in two`,
    );
  const program = browserProgram(browser);
  return { browser: browser.includes("/") ? program : browser };
}

function programsOf({ browser, interleaved }: BrowserTerms): readonly string[] {
  if (interleaved?.of === "browsers") return interleaved.browsers;
  return [browser === undefined ? chromiumPath() : browserProgram(browser)];
}

/** Whether all of them can be filmed. */
export const canFilm = (terms: BrowserTerms): boolean => programsOf(terms).every((program) => engineOf(program).films);

/** UserError for a browser that is not here, or cannot do what the plan asks of it. */
export function refuseBrowsers(plan: Plan): void {
  for (const program of programsOf(plan)) {
    for (const label of plan.lanes) {
      const refusal = engineOf(program).refusal({
        lane: laneOf(label),
        films: (plan.films ?? 0) > 0 || plan.metric === "si",
        video: false,
        frequentAcks: laneServing(plan, label).client_acks === "frequent",
        hosts: new Map(),
      });
      if (refusal !== null) throw new UserError(refusal);
    }
  }
}
