// The options --as and --compute: whether a page is loaded as it was recorded or as a model of it. Defines and reads them; who decides is
// cli/pages/choose_model.ts.
import type { OptionsOf, OptionTable } from "../../base/option_table.ts";
import { defineCompute } from "../../recording/model/compute_option.ts";

export const asChoices = ["auto", "recorded", "model"] as const;
export type As = (typeof asChoices)[number];

export type AsOptions = OptionsOf<typeof defineAs>;

export const defineAs = (table: OptionTable<unknown>) =>
  table
    .option("as", {
      choices: asChoices,
      describe:
        "load the recorded bodies (recorded), a page of the same shape (model), or the model only if bodies are missing or a trial load is invalid (default: auto)",
    })
    .with(defineCompute);
