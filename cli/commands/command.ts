// What every command shares: the options --home and --json, and the shape of a command module. No command's logic.

import type { SweepPlanned } from "../../schemas/generated/sweep_event.ts";
import { UserError } from "../base/errors.ts";
import type { OptionTable } from "../base/option_table.ts";
import type { ReportOf } from "../report/report_files.ts";
import type { BundledKinds } from "../sweep/bundle/bundled_sweeps.ts";
import type { PageSize } from "../sweep/plan/estimate.ts";
import type { PageSource } from "../sweep/plan/page_source.ts";
import type { Plan } from "../sweep/plan/plan_document.ts";

export type { OptionsOf } from "../base/option_table.ts";

/** The title of the options that most people need, in a command's help. */
export const essentials = "Essentials:";

export interface CommonOptions {
  home: string | undefined;
  json: boolean;
}

/** What a command adds its words to. */
export type Table = OptionTable<CommonOptions>;

/** What a command is given, so that it need not know how it is done: pages before a sweep, and a report after it. */
export interface House {
  /** Loaded once it is needed. */
  readonly pageSource: () => Promise<PageSource>;
  /** Of a sweep of any instrument. */
  readonly report: ReportOf;
  /** What a dry run shows of a plan of pages. `unstored`: those that are in files still. */
  readonly plannedPages: (
    home: string,
    plan: Plan,
    source: PageSource,
    unstored: ReadonlyMap<string, PageSize>,
  ) => Promise<{ readonly document: SweepPlanned; readonly lines: readonly string[] }>;
  /** What of instruments' sweeps goes into bundles. */
  readonly bundled: BundledKinds;
}

/** A command of `trilane`: `define` declares its options and examples, `run` does the work and throws UserError or RunError. */
export interface Command<Options extends CommonOptions = CommonOptions> {
  /** Its name and arguments, e.g. `race <page>`, `record <urls..>`, `report [sweep]`. */
  readonly usage: string;
  /** One line for `trilane --help`. */
  readonly summary: string;
  /** `trilane NAME ACTION`; a command with actions has no words of its own. */
  readonly actions?: readonly Command[];
  define(table: Table): OptionTable<Options>;
  run(options: Options, house: House): Promise<void>;
}

/** What is done for `trilane NAME` where one of its actions was to follow. */
export function nameAnAction(name: string, actions: string): () => never {
  return () => {
    throw new UserError(`${name}: name an action: ${actions}; see \`trilane ${name} --help\``);
  };
}
