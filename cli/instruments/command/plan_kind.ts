// What commands that take plans and sweeps of any instrument know of commands that are timed.

import { count } from "../../base/numbers.ts";
import type { PlanKind } from "../../engine/plan_kind.ts";
import { questionOf } from "../../sweep/plan/detect_option.ts";
import { commandColumns, commandFormats } from "./export/csv.ts";
import { commandPlanLines, describeCommands } from "./plan/describe.ts";
import { readCommandPlan, sharedCommandCells, sharedCommands } from "./plan/plan.ts";
import type { StoredCommandPlan } from "./plan/stored_plan.ts";

export const commandPlans: PlanKind = {
  name: "time",
  shippedPlans: () => [],
  isPlan: (document) => Object.hasOwn(document, "commands"),
  sweeps: "commands",
  attempts: "runs",
  sharedCells: (plan) => sharedCommandCells(plan as StoredCommandPlan),
  span: ({ plan }) => {
    const { commands, recording } = plan as StoredCommandPlan;
    return { pages: recording === undefined ? 0 : 1, lanes: [], commands: commands.length };
  },
  spanned: ({ commands = 0 }) => count(commands, "command"),
  formats: commandFormats,
  formatWords: "Of commands csv: a row per run; json.",
  columns: [{ of: "Of a sweep of commands", columns: commandColumns }],
  stored: async () => (await import("./stored.ts")).storedCommands,
  read: (path, changes, options) => {
    const plan = readCommandPlan(path, changes);
    return {
      describe: async (home, source) => {
        const question = questionOf(options);
        const document = await describeCommands(home, source, plan);
        const { withDetection } = await import("../../sweep/plan/detect_comparisons.ts");
        return await withDetection({ document, lines: commandPlanLines(plan, document) }, home, question, async () =>
          (await import("./stored.ts")).plannedCommandComparisons(plan),
        );
      },
      execute: async (terms) => {
        const [{ execute }, { commandInstrument }] = await Promise.all([
          import("../../engine/execute.ts"),
          import("./run/instrument.ts"),
        ]);
        return await execute(terms, commandInstrument({ ...terms, plan }));
      },
      shared: async () => sharedCommands(plan),
    };
  },
};
