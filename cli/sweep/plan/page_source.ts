// What commands and plans need of pages that may have to be made first: found in the archive, imported, recorded, written by `trilane synth`,
// or replaced by a model. Who does that is cli/pages; a command is given it (cli/commands/command.ts), so that none that loads pages needs
// to know how a page comes into the archive.
import type { PageReady } from "../../../schemas/generated/sweep_event.ts";
import type { PlanPage } from "../../../schemas/generated/sweep_plan.ts";
import type { Recording } from "../../recording/archive/archive.ts";
import type { LiveChoice } from "../../recording/record/options.ts";
import type { AsOptions } from "./as_option.ts";
import type { PageSize } from "./estimate.ts";
import type { Plan } from "./plan_document.ts";

/** How a page comes into the archive that is not there yet. */
export interface PageChoice {
  readonly credentials: "kept" | "redacted";
  readonly live: LiveChoice;
  readonly pinTime: boolean;
  /** From navigation to the recorded page's rest. */
  readonly timeout_ms: number;
  /** Records a page that was recorded before. */
  readonly recordAgain: boolean;
  /** Given each line that a user wants to see of it. */
  readonly say: (line: string) => void;
}

/** How it is decided whether a page is loaded as it was recorded or as a model. */
export interface Choosing {
  readonly home: string;
  /** The command line's; `as` here before that of the plan. */
  readonly options: AsOptions;
  readonly terms: Pick<Plan, "serving" | "strict" | "timeout_s" | "as">;
  /**
   * Whether a recording is tried: always; where this machine can load pages, as one that only hands work on may not; never,
   * where several machines must decide alike by the recording alone. Strict loads are never tried.
   */
  readonly trials: "made" | "where possible" | "none";
  readonly say: (line: string) => void;
}

export interface PageSource {
  /** A page as a user names it: a URL, a file that `trilane import` reads, a recording, or a page of `trilane synth`. */
  readonly pageFor: (home: string, word: string, given?: Partial<PageChoice>) => Promise<PlanPage>;
  /** The same; with `corpus:NAME` all pages of a corpus. */
  readonly pagesFor: (home: string, word: string) => Promise<PlanPage[]>;
  /** As pageFor, but nothing is stored: the page and, of a HAR file, the size that its recording would have. */
  readonly pageUnstored: (home: string, word: string) => Promise<{ page: PlanPage; size: PageSize | null }>;
  readonly corpusPages: (home: string, word: string) => Promise<PlanPage[]>;
  /** The plan with the recordings that its patterns match. */
  readonly withMatchedPages: (home: string, plan: Plan) => Promise<Plan>;
  /** How large the pages are, also those still to be made. Makes none. */
  readonly pageSizes: (
    home: string,
    pages: readonly PlanPage[],
    unstored?: ReadonlyMap<string, PageSize>,
  ) => Promise<Map<string, PageSize>>;
  readonly playsVideo: (home: string, page: PlanPage) => Promise<boolean>;
  /** Every page's recording by its name; synthetic pages are made if they are missing. */
  readonly preparePages: (
    home: string,
    pages: readonly PlanPage[],
    tell: (event: PageReady) => void,
  ) => Promise<Map<string, Recording>>;
  /** The pages to load in place of these. */
  readonly chosenPages: (pages: readonly PlanPage[], choosing: Choosing) => Promise<PlanPage[]>;
  /** The plan itself if all its pages stay. */
  readonly withChosenPages: (plan: Plan, choosing: Omit<Choosing, "terms">) => Promise<Plan>;
}

/** Also a development server as people name it, localhost:3000. */
export const isUrl = (word: string): boolean => /^(https?:\/\/|(localhost|127\.0\.0\.1|\[::1\]):\d+(\/|$))/i.test(word);
