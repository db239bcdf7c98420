// `--films`: how many further loads of each cell are filmed, as an option of race, sweep and reproduce.

import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { number } from "../../base/option.ts";
import type { OptionTable } from "../../base/option_table.ts";
import { planRange } from "./plan_range.ts";

export interface FilmsOptions {
  films: number | undefined;
}

export function defineFilms<T>(table: OptionTable<T>): OptionTable<T & FilmsOptions> {
  return table.option(
    "films",
    number(planRange("films"), {
      describe: "film N further loads of each lane, for filmstrip and Speed Index; averages leave them out",
    }),
  );
}

/** What a plan says of it; nothing where the option is not given. */
export function filmsOf({ films }: FilmsOptions): Pick<SweepPlan, "films"> {
  return films === undefined ? {} : { films };
}
