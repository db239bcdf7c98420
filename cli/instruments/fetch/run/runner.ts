// Runs a plan's fetches: how one is attempted with good manners towards its host, what of it is stored, and what is reported of it. In which order,
// when one waits and when it is tried again is cli/engine/runner.ts's; how a fetch is made is attempt.ts's.
import type {
  FetchFinished,
  FetchStarted,
  SweepPaused,
  SweepStarted,
} from "../../../../schemas/generated/sweep_event.ts";
import type { AttemptTerms, RunnerOptions, RunOutcome } from "../../../engine/measuring.ts";
import { type PlannedTask, plannedTasks } from "../../../engine/planned_task.ts";
import { runTasks } from "../../../engine/runner.ts";
import { stoppingOf } from "../../../engine/stopping.ts";
import type { Results } from "../../../results/store/results.ts";
import type { EventWords } from "../../../sweep/progress/event_words.ts";
import { counted, type RuledFetch, ruledFetches } from "../answer/comparison.ts";
import { isLive } from "../metrics/fetched.ts";
import { fetchPlace, orderFetches } from "../plan/fetch_order.ts";
import type { FetchPlan } from "../plan/plan.ts";
import { type FetchCell, fetchesOf, recordFetch, storedFetchCellsOf } from "../store/fetch_runs.ts";
import type { FetchSweep } from "../store/stored_plan.ts";
import type { FetchAttempt, FetchAttemptRequest } from "./attempt.ts";
import type { HostManners } from "./host_manners.ts";

type FetchTask = PlannedTask<FetchCell>;

/** An object that does not come is a result, and no server gets a second request for it. */
const retries = 0;

/** In the planned order, with what earlier runs of the sweep made of each. */
export function fetchTasks(results: Results, sweep: FetchSweep, plan: FetchPlan): FetchTask[] {
  const cells = storedFetchCellsOf(results, sweep.id);
  return plannedTasks(orderFetches(plan, cells), cells, retries, fetchesOf(results, sweep.id));
}

export interface FetchRunnerOptions extends RunnerOptions<FetchCell> {
  readonly sweep: FetchSweep;
  readonly attempt: (request: FetchAttemptRequest) => Promise<FetchAttempt>;
  readonly requestOf: (
    cell: FetchCell,
    block: number,
  ) => Omit<FetchAttemptRequest, "askHttpsRecord" | keyof AttemptTerms>;
  readonly manners: HostManners;
  readonly tell: (event: SweepStarted | SweepPaused | FetchStarted | FetchFinished) => void;
}

function placeOf({ cell, planned }: FetchTask, attempt: number) {
  const { object, lane, tls, ip, link } = cell;
  return { position: planned.position, object, lane, tls, ip, link, block: planned.block, attempt };
}

/** What is fetched, on a terminal's line and in a log. */
function placeWords({ object, lane, tls, ip, link }: FetchStarted | FetchFinished): string {
  const over = [lane, ...(tls === "1.2" ? ["TLS 1.2"] : []), ...(ip === 6 ? ["IPv6"] : [])].join(" ");
  return `${over} ${object}${link === null ? "" : ` ${link}`}`;
}

export const fetchEvents: EventWords = {
  nouns: ["fetch", "fetches"],
  shown: (event) => {
    if (event.event === "fetch-started") return { began: `, ${placeWords(event)}` };
    if (event.event !== "fetch-finished") return null;
    const { attempt: _, ...ended } = event;
    return { ended: { ...ended, all: event.fetches, place: placeWords(event) } };
  },
};

/** Runs until every planned fetch has an outcome that counts or has used up its attempts, or until the signal. */
export function runFetchSweep(options: FetchRunnerOptions): Promise<RunOutcome> {
  const { results, sweep, manners, requestOf, tell } = options;
  const rule = ruledFetches(storedFetchCellsOf(results, sweep.id));
  const stopping = stoppingOf<FetchCell, RuledFetch>(sweep.plan, rule, fetchesOf(results, sweep.id));
  return runTasks<FetchCell, FetchAttempt>(
    { ...options, ...stopping.terms },
    {
      starting: { kind: "fetches" },
      waitsForCalm: options.links !== null,
      counted,
      tell,
      waitForTurn: async ({ cell }) => {
        if (cell.link === null || isLive(cell.lane)) await manners.wait(cell.object);
      },
      began: (task) => tell({ event: "fetch-started", ...placeOf(task, task.attempts) }),
      placeOf: fetchPlace,
      evidenceNames: ({ object, lane, tls, ip, link }) => ({
        folders: [object, ...(link === null ? [] : [link])],
        variant: `${lane}-tls${tls}-ip${ip}`,
      }),
      attempt: async ({ cell, planned }, terms) => {
        const askHttpsRecord = !manners.knowsHttpsRecord(cell.object);
        const made = await options.attempt({ ...requestOf(cell, planned.block), ...terms, askHttpsRecord });
        manners.ended(cell.object, made.record);
        return { ...made, record: made.record && manners.completed(made.record) };
      },
      store: (row, { record, cost }) => recordFetch(results, { ...row, record, cost }),
      ended: (task, made, { attempt, row, done, all, left_s }) => {
        const { status, reasons, wall_ms, record } = made;
        stopping.add(task, made);
        tell({
          event: "fetch-finished",
          ...placeOf(task, attempt),
          ...{ fetch: row, status, reasons: [...reasons], wall_ms, record },
          ...{ done, fetches: all, left_s },
        });
      },
    },
  );
}
