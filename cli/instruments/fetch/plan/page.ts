// The page of a fetch plan or of `trilane fetch --page`, made ready as `trilane race` makes its pages, and its objects if none are named. A dry run
// makes no page: it says what is known of it. Words to a plan; fetches nothing.
import type { PlanPage } from "../../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../../base/errors.ts";
import { count } from "../../../base/numbers.ts";
import type { Recording } from "../../../recording/archive/archive.ts";
import { withArchive } from "../../../recording/archive/client.ts";
import { recordedUrl } from "../../../recording/archive/recorded_requests.ts";
import type { PageSize } from "../../../sweep/plan/estimate.ts";
import { pageName } from "../../../sweep/plan/page_patterns.ts";
import type { PageSource } from "../../../sweep/plan/page_source.ts";
import { type ServedLanes, servedLanes } from "../../../sweep/plan/servers_option.ts";
import type { KnownSizes } from "./fetch_order.ts";
import { isLongUrl } from "./objects.ts";
import { type FetchOptions, fetchPlanFrom, objectsOf, refuseMore, usualMost } from "./options.ts";
import { type FetchPlan, refuseTooMany } from "./plan.ts";

interface KnownFetchPlan {
  readonly plan: FetchPlan;
  /** The recording's. */
  readonly sizes: KnownSizes;
}

export interface ReadyFetchPlan extends KnownFetchPlan {
  /** The page's; null: there is none. */
  readonly recording: Recording | null;
}

/** For a dry run. */
export interface PlannedFetches extends KnownFetchPlan {
  /** The page that all objects are of, if it is still to be made: then the plan has no object. */
  readonly unmade: PageSize | null;
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

/** The plan, with all objects of its page if it names none. UserError if these are more than `most`. */
async function withObjects(
  home: string,
  plan: FetchPlan,
  page: PlanPage,
  most: number,
  say: (line: string) => void,
): Promise<KnownFetchPlan> {
  const name = pageName(page);
  const { sizes, rest } = await recordedObjects(home, name);
  if (plan.objects.length > 0) return { plan, sizes };
  if (sizes.size === 0) throw new UserError(`recording ${name} has no GET over https: name another page`);
  if (rest > 0) say(`${name}: ${count(rest, "exchange")} not GET over https, or of too long a URL, not fetched`);
  const whole = { ...plan, objects: [...sizes.keys()] };
  refuseMore(whole.objects, most);
  refuseTooMany(whole);
  return { plan: whole, sizes };
}

/** A plan whose page, if it has one, is named as plans name it: that page made ready. */
export async function readyNamedPlan(
  home: string,
  source: PageSource,
  plan: FetchPlan,
  most = usualMost,
  say: (line: string) => void = () => undefined,
): Promise<ReadyFetchPlan> {
  const { page } = plan;
  if (page === undefined) return { plan, recording: null, sizes: new Map() };
  const recording = (await source.preparePages(home, [page], () => undefined)).get(pageName(page)) ?? null;
  return { ...(await withObjects(home, plan, page, most, say)), recording };
}

/** The same without making the page. `file`: the size of one that is in a file. */
export async function plannedFetches(
  home: string,
  source: PageSource,
  plan: FetchPlan,
  { file = null, most = usualMost, say = () => undefined }: Partial<UnmadePage> = {},
): Promise<PlannedFetches> {
  const { page } = plan;
  if (page === undefined) return { plan, sizes: new Map(), unmade: null };
  const name = pageName(page);
  const size = (await source.pageSizes(home, [page], file ? new Map([[name, file]]) : new Map())).get(name) ?? null;
  const isStored = (await withArchive(home, (archive) => archive.list())).some((recording) => recording.name === name);
  if (isStored && file === null) return { ...(await withObjects(home, plan, page, most, say)), unmade: null };
  if (plan.objects.length === 0) return { plan, sizes: new Map(), unmade: size };
  // Which object has how much of it is not known.
  const each_bytes = size === null ? 0 : size.body_bytes / size.exchanges;
  return { plan, sizes: new Map(plan.objects.map((object) => [object, each_bytes])), unmade: null };
}

interface UnmadePage {
  readonly file: PageSize | null;
  readonly most: number;
  readonly say: (line: string) => void;
}

interface ReadWords {
  /** Its page, if the words name one, as they name it. */
  readonly plan: FetchPlan;
  /** The same with that page as plans name it. */
  readonly planOf: (page: PlanPage) => FetchPlan;
}

async function readWords(options: FetchOptions, say: (line: string) => void): Promise<ReadWords> {
  const { urls, left } = await objectsOf(options);
  const first = fetchPlanFrom(options, urls);
  for (const line of left) say(line);
  if (first.outside && (options.servers !== undefined || (options.server ?? []).length > 0))
    throw new UserError("--outside: the servers are live ones: leave --servers and --server out, or take a --page");
  const served: ServedLanes | undefined = (await servedLanes(options, first.lanes, say)) ?? undefined;
  const planOf = (page?: PlanPage): FetchPlan => fetchPlanFrom(options, urls, page, served);
  return { plan: planOf(), planOf };
}

/** The options' plan, its page recorded or imported. UserError before that for what else is wrong with the words. */
export async function readyFetchPlan(
  home: string,
  source: PageSource,
  options: FetchOptions,
  say: (line: string) => void,
): Promise<ReadyFetchPlan> {
  const { plan, planOf } = await readWords(options, say);
  const made = options.page === undefined ? plan : planOf(await source.pageFor(home, options.page, { say }));
  return await readyNamedPlan(home, source, made, options.most, say);
}

/** The same for a dry run: nothing is recorded, imported or made. */
export async function unstoredFetchPlan(
  home: string,
  source: PageSource,
  options: FetchOptions,
  say: (line: string) => void,
): Promise<PlannedFetches> {
  const { plan, planOf } = await readWords(options, say);
  const unstored = options.page === undefined ? null : await source.pageUnstored(home, options.page);
  const named = unstored ? planOf(unstored.page) : plan;
  return await plannedFetches(home, source, named, { file: unstored?.size ?? null, most: options.most, say });
}
