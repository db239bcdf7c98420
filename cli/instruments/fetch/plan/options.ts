// The options of `trilane fetch`, and the plan that they come to. Words to a plan; no rule of what may be in one.

import schema from "../../../../schemas/fetch-record.schema.json" with { type: "json" };
import type { PlanPage } from "../../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../../base/errors.ts";
import { usualRuns } from "../../../base/interval.ts";
import { count } from "../../../base/numbers.ts";
import { flag, number, repeated } from "../../../base/option.ts";
import type { OptionsOf, OptionTable } from "../../../base/option_table.ts";
import { refuseGivenWithoutDelay } from "../../../link/profile_file.ts";
import { defineOutside } from "../../../load/reach/wanted.ts";
import { pageName } from "../../../sweep/plan/page_patterns.ts";
import { planOfOptions } from "../../../sweep/plan/plan_document.ts";
import { planRange } from "../../../sweep/plan/plan_range.ts";
import { defineServers, type ServedLanes, type ServersOptions } from "../../../sweep/plan/servers_option.ts";
import { toleranceOf, toleranceOption } from "../../../sweep/plan/tolerance.ts";
import { ruledRepetitions, stoppingChoiceOf, stoppingOptions } from "../../../sweep/plan/until.ts";
import { hostOf, type NamedObjects, namedObjects } from "./objects.ts";
import { changedFetchPlan, type FetchPlan, fetchPlanOf, shippedFetchPlans } from "./plan.ts";

export type FetchOptions = Omit<OptionsOf<typeof defineFetchOptions>, keyof ServersOptions> &
  Partial<ServersOptions> & { object: string[] | undefined };

const { lane, tls, ip } = schema.definitions;
const usualLanes = ["h1", "h2", "h3"];
/** Objects of a plan. */
export const usualMost = 1000;

const range = (setting: string, unit?: string) => planRange(setting, unit, "fetch-plan");

export const defineFetchOptions = (table: OptionTable<unknown>) =>
  table
    .option("tolerance", toleranceOption("a fetch in a lab before it is invalid: a share of its length"))
    .with(stoppingOptions("each difference between lanes"))
    .with(defineServers)
    .with(defineOutside)
    .option("lanes", {
      describe: `lanes, separated by commas, or "all": ${lane.enum.join(", ")} (default: ${usualLanes.join(",")})`,
    })
    .option("tls", {
      placeholder: "VERSIONS",
      describe: `versions of TLS for h1 and h2, separated by commas: ${tls.enum.join(", ")} (default: 1.3; other lanes always have 1.3)`,
    })
    .option("ip", {
      placeholder: "VERSIONS",
      describe: `versions of IP, separated by commas: ${ip.enum.join(", ")} (default: 4)`,
    })
    .option(
      "runs",
      number(range("repetitions"), {
        describe: `fetches of each object over each lane and version (default: ${usualRuns})`,
      }),
    )
    .option(
      "syscalls",
      number(range("syscalls"), {
        describe:
          "N more fetches of each under strace, to count the system calls of the client and of a lab's server; no time is taken from them (default: none)",
      }),
    )
    .option(
      "link",
      repeated(
        "through a lab with --page's servers, or with --outside to live ones: RATE/RTT or a name, then settings (3g,loss=1%), see `trilane links`; again for others",
      ),
    )
    .option("page", {
      describe:
        "with --link: the page whose servers answer, as `trilane race` takes pages; all its objects, unless URLs are given",
    })
    .option("connect", {
      placeholder: "ADDRESS[:PORT]",
      describe: "ask this server for every object, [IPv6] in brackets (default: as names resolve)",
    })
    .option("trust", { placeholder: "FILE", describe: "trust these certificates (PEM) in place of the system's" })
    .option("insecure", flag("take any certificate"))
    .option(
      "follow",
      number(range("follow"), { describe: "how many redirects of an object to follow (default: none)" }),
    )
    .option("timeout", number(range("timeout_s", "seconds"), { describe: "for each object (default: 30)" }))
    .option(
      "max-body",
      number(range("max_body_bytes", "bytes"), { rare: true, describe: "stop an object once its body is larger" }),
    )
    .option(
      "pause",
      number(range("pause_ms", "ms"), {
        describe: "pause between two fetches from one host, on the network as it is (default: 1000)",
      }),
    )
    .option(
      "most",
      number(
        { least: 1, most: 100_000, whole: true },
        { default: usualMost, describe: "refuse more objects than this" },
      ),
    )
    .option("user-agent", {
      placeholder: "TEXT",
      rare: true,
      describe: "how the client names itself (default: trilane-fetch/VERSION)",
    })
    .option(
      "seed",
      number(range("seed"), {
        rare: true,
        describe: "decides the order of objects and the losses on links (default: 1)",
      }),
    );

/** A list of words of `known`. */
function listed<Word extends string | number>(option: string, text: string, known: readonly Word[]): Word[] {
  const words = text.split(",").map((word) => word.trim());
  if (words.length === 1 && words[0] === "all") return [...known];
  return words.map((word) => {
    const found = known.find((each) => String(each) === word);
    if (found === undefined)
      throw new UserError(
        `--${option} must be of ${known.join(", ")}, separated by commas (got ${JSON.stringify(word)})`,
      );
    return found;
  });
}

/** What the options set, also in a plan's place. */
function termsOf(options: FetchOptions): object {
  const { lanes, runs, syscalls, seed, connect, trust: ca, insecure, follow, timeout, pause, tolerance } = options;
  const stopping = stoppingChoiceOf(options);
  const given = {
    ...ruledRepetitions(stopping),
    ...stopping,
    lanes: lanes === undefined ? undefined : listed("lanes", lanes, lane.enum),
    tls: options.tls === undefined ? undefined : listed("tls", options.tls, tls.enum),
    ip: options.ip === undefined ? undefined : listed("ip", options.ip, ip.enum),
    ...(runs === undefined ? {} : { repetitions: runs }),
    syscalls,
    seed,
    connect,
    outside: options.outside || undefined,
    allow_local_network: options["allow-local-network"] || undefined,
    ca,
    verify: insecure ? false : undefined,
    follow,
    timeout_s: timeout,
    max_body_bytes: options["max-body"],
    pause_ms: pause,
    tolerance: tolerance === undefined ? undefined : toleranceOf(tolerance, "the fetch"),
    user_agent: options["user-agent"],
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Whether the one word is a plan, of a file or of those that are shipped. */
function namedPlan(words: readonly string[]): string | null {
  const [word] = words;
  if (word === undefined || words.length > 1) return null;
  return shippedFetchPlans().includes(word) || /\.json$/i.test(word) ? word : null;
}

export function refuseMore(objects: readonly string[], most: number): void {
  if (objects.length > most)
    throw new UserError(
      `${objects.length} objects, more than --most ${most}: name fewer, or allow them with --most ${objects.length}`,
    );
}

/** Of letters that a plan's name may have. */
function planName(objects: readonly string[], page: PlanPage | string | undefined): string {
  const hosts = [...new Set(objects.map(hostOf))];
  const what =
    page !== undefined
      ? typeof page === "string"
        ? page
        : pageName(page)
      : hosts.length === 1
        ? (hosts[0] ?? "")
        : count(hosts.length, "host");
  return `fetch ${what}`.replaceAll(/[^A-Za-z0-9._ -]+/g, "-").slice(0, 120);
}

/** The objects that the words name; none where they name a plan. */
export async function objectsOf({ object = [] }: Pick<FetchOptions, "object">): Promise<NamedObjects> {
  return namedPlan(object) === null ? await namedObjects(object) : { urls: [], left: [] };
}

/**
 * `urls`: what the words name. `page`: as plans name that of --page, once it is imported or recorded. `served`: the lanes of --servers, once
 * it is known what these can. UserError in one line.
 */
export function fetchPlanFrom(
  options: FetchOptions,
  urls: readonly string[],
  page?: PlanPage,
  served?: ServedLanes,
): FetchPlan {
  const words = options.object ?? [];
  const named = namedPlan(words);
  const links = options.link.length > 0 ? { links: options.link } : {};
  const of = page ?? options.page;
  if (named !== null) {
    const plan = changedFetchPlan(named, {
      ...links,
      ...(of === undefined ? {} : { page: of }),
      ...termsOf(options),
      ...served,
    });
    refuseMore(plan.objects, options.most);
    return plan;
  }
  if (words.length > 0 && urls.length === 0) throw new UserError(`${words.join(", ")}: no object to fetch in it`);
  refuseMore(urls, options.most);
  for (const link of options.link) refuseGivenWithoutDelay(link);
  const document = {
    name: planName(urls, of),
    ...(urls.length > 0 ? { objects: urls } : {}),
    lanes: usualLanes,
    repetitions: usualRuns,
    ...(of === undefined ? {} : { page: of }),
    ...links,
    ...termsOf(options),
    ...served,
  };
  return planOfOptions("fetch", () => fetchPlanOf(document, "fetch"));
}
