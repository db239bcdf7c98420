// The page of `trilane fetch --page`, made ready as `trilane race` makes its pages, and its objects where none are named. Words to a plan;
// fetches nothing.
import type { PlanPage } from "../../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../../base/errors.ts";
import { count } from "../../../base/numbers.ts";
import type { Recording } from "../../../recording/archive/archive.ts";
import { withArchive } from "../../../recording/archive/client.ts";
import { recordedUrl } from "../../../recording/archive/recorded_requests.ts";
import { pageName } from "../../../sweep/plan/page_patterns.ts";
import type { PageSource } from "../../../sweep/plan/page_source.ts";
import { servedLanes } from "../../../sweep/plan/servers_option.ts";
import type { KnownSizes } from "./fetch_order.ts";
import { isLongUrl } from "./objects.ts";
import { type FetchOptions, fetchPlanFrom, objectsOf, refuseMore } from "./options.ts";
import { type FetchPlan, refuseTooMany } from "./plan.ts";

export interface ReadyFetchPlan {
  readonly plan: FetchPlan;
  /** The page's; null: there is none. */
  readonly recording: Recording | null;
  /** The recording's. */
  readonly sizes: KnownSizes;
}

/** What of a recording can be fetched, each once; `rest`: exchanges that cannot. How many a plan takes is options.ts's. */
async function recordedObjects(home: string, name: string): Promise<{ sizes: KnownSizes; rest: number }> {
  const { exchanges } = await withArchive(home, (archive) => archive.show(name));
  const fetched = exchanges.filter(
    (exchange) => exchange.method === "GET" && exchange.scheme === "https" && !isLongUrl(recordedUrl(exchange)),
  );
  const sizes = new Map(fetched.map((exchange) => [recordedUrl(exchange), exchange.body_size]));
  return { sizes, rest: exchanges.length - fetched.length };
}

async function recordingOf(home: string, source: PageSource, page: PlanPage): Promise<Recording | null> {
  return (await source.preparePages(home, [page], () => undefined)).get(pageName(page)) ?? null;
}

/** A study's plan, the recording that it asks for made ready. */
export async function readyStudyPlan(home: string, source: PageSource, plan: FetchPlan): Promise<ReadyFetchPlan> {
  if (plan.page === undefined) return { plan, recording: null, sizes: new Map() };
  const recording = await recordingOf(home, source, plan.page);
  return { plan, recording, sizes: (await recordedObjects(home, pageName(plan.page))).sizes };
}

/** The options' plan, its page recorded or imported. UserError before that for what else is wrong with the words. */
export async function readyFetchPlan(
  home: string,
  source: PageSource,
  options: FetchOptions,
  say: (line: string) => void,
): Promise<ReadyFetchPlan> {
  const { urls, left } = await objectsOf(options);
  const first = fetchPlanFrom(options, urls);
  for (const line of left) say(line);
  if (first.outside && (options.servers !== undefined || (options.server ?? []).length > 0))
    throw new UserError("--outside: the servers are live ones: leave --servers and --server out, or take a --page");
  const served = (await servedLanes(options, first.lanes, say)) ?? undefined;
  if (first.page === undefined)
    return { plan: fetchPlanFrom(options, urls, undefined, served), recording: null, sizes: new Map() };
  const page = options.page === undefined ? first.page : await source.pageFor(home, options.page, { say });
  const plan = fetchPlanFrom(options, urls, page, served);
  const name = pageName(page);
  const recording = await recordingOf(home, source, page);
  const { sizes, rest } = await recordedObjects(home, name);
  if (plan.objects.length > 0) return { plan, recording, sizes };
  if (sizes.size === 0) throw new UserError(`recording ${name} has no GET over https: name another page`);
  if (rest > 0) say(`${name}: ${count(rest, "exchange")} not GET over https, or of too long a URL, not fetched`);
  const objects = [...sizes.keys()];
  refuseMore(objects, options.most);
  const whole = { ...plan, objects };
  refuseTooMany(whole);
  return { plan: whole, recording, sizes };
}
