// What `trilane fetch` is to run: reads a plan, checks it against schemas/fetch-plan.schema.json and expands it into cells. Pure but
// for reading files; the order of fetches is fetch_order.ts's.

import { createHash } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import { join, resolve } from "node:path";
import type { FetchLabel, FetchPlanDocument } from "../../../../schemas/generated/fetch_plan.ts";
import type { FetchIp } from "../../../../schemas/generated/fetch_record.ts";
import type { PlanPage } from "../../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../../base/errors.ts";
import { liveServer } from "../../../base/factors.ts";
import {
  checkedDocument,
  plansIn,
  readDocument,
  refuseControls,
  withinPlan,
} from "../../../sweep/plan/plan_document.ts";
import { absoluteLinks, expandLinks, linksOf } from "../../../sweep/plan/plan_links.ts";
import { untilFault } from "../../../sweep/plan/until.ts";
import { bareLane, isPlainTcp, serverOfLane } from "../metrics/fetched.ts";
import type { FetchVariant, NewFetchCell } from "../store/fetch_runs.ts";
import type { StoredFetchPlan } from "../store/stored_plan.ts";
import { refuseLongUrl } from "./objects.ts";

/** A plan with every default filled in; without objects it means all of its page's. */
export interface FetchPlan extends StoredFetchPlan {
  readonly seed: number;
  readonly syscalls: number;
  readonly verify: boolean;
  readonly follow: number;
  readonly timeout_s: number;
  readonly pause_ms: number;
}

const shippedFolder = join(import.meta.dirname, "..", "plans");
/** More than this is a mistake in a plan, not a plan. */
const maximumFetches = 1_000_000;

/** Of ADDRESS, ADDRESS:PORT or [IPv6]:PORT. UserError for what is none. */
function versionOfServer(connect: string): FetchIp {
  const [, mapped] = /^\[?::ffff:(\d+(?:\.\d+){3})\]?/i.exec(connect) ?? [];
  if (mapped !== undefined) throw new UserError(`--connect: ${connect} is ${mapped}, written as IPv6: write ${mapped}`);
  if (isIPv6(connect)) return 6;
  const [, inBrackets, plain, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(connect) ?? [];
  const isPort = port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
  if (isPort && isIPv6(inBrackets ?? "")) return 6;
  if (isPort && isIPv4(plain ?? "")) return 4;
  throw new UserError(
    `--connect must be ADDRESS or ADDRESS:PORT, with [IPv6] in brackets (got ${JSON.stringify(connect)})`,
  );
}

function settledIp({ connect, ip }: { connect?: string; ip?: readonly FetchIp[] }): readonly FetchIp[] {
  if (connect === undefined) return ip ?? [4];
  const version = versionOfServer(connect);
  const other = ip?.find((each) => each !== version);
  if (other !== undefined)
    throw new UserError(
      `IPv${other} is asked for, and ${connect} is an address of IPv${version}: leave one of them out`,
    );
  return [version];
}

/** Over a link to the outside every lane says that its servers are live. */
function settledLanes({ outside = false, lanes }: Pick<FetchPlan, "outside" | "lanes">): readonly FetchLabel[] {
  if (!outside) return lanes;
  const other = lanes.find((lane) => ![null, liveServer].includes(serverOfLane(lane)));
  if (other !== undefined)
    throw new UserError(`${other}: with --outside the servers are live ones: leave one of them out`);
  return lanes.map((lane): FetchLabel => `${bareLane(lane)}+${liveServer}`);
}

function refuseContradictions(plan: FetchPlan): void {
  const { links, page, objects, ca, verify, lanes, ip, outside = false } = plan;
  if (outside && (links === undefined || page !== undefined))
    throw new UserError(
      "--outside: live servers through a link: name it (--link 10mbit/50ms), and no --page; or leave --outside out",
    );
  if (plan.allow_local_network && !outside)
    throw new UserError("--allow-local-network: is for --outside: give that too");
  const served = outside ? undefined : lanes.find((lane) => serverOfLane(lane) !== null);
  if (served !== undefined && page === undefined)
    throw new UserError(
      `${served}: a server stands in a lab, in front of a recording: name one and its link (--page, --link), or leave --servers out`,
    );
  if (served !== undefined && ip.includes(6))
    throw new UserError(`${served}: servers listen on a recording’s addresses, which are of IPv4: leave --ip 6 out`);
  if (links !== undefined && page === undefined && !outside)
    throw new UserError(
      "a lab reaches no network: name the recording whose servers it has (--page), take live ones (--outside), or leave --link out",
    );
  if (page !== undefined && links === undefined)
    throw new UserError("a page's servers are in a lab: name its link (--link 10mbit/50ms), or leave --page out");
  if (page === undefined && objects.length === 0)
    throw new UserError(
      "no object: name a URL (https://shop.example/), a file of URLs or a HAR, or a recording's with --page",
    );
  if (ca !== undefined && !verify)
    throw new UserError("with any certificate taken, none need be named: leave --trust or --insecure out");
}

/** The rule ends a lane's fetches, of which those that count system calls are the last. */
function refuseStopping(plan: FetchPlan): void {
  const fault = untilFault(plan, variantsOf(plan).length - 1, "lanes, and there is one: add a lane");
  if (fault !== null) throw new UserError(fault);
  if (plan.until && plan.syscalls > 0)
    throw new UserError("until: ends fetches before the ones that count system calls: leave until or syscalls out");
}

/** The plan in a parsed document. UserError, naming `source` and the place in it, where it is not one. */
export function fetchPlanOf(document: unknown, source: string, folder = process.cwd()): FetchPlan {
  const checked = checkedDocument<FetchPlan>(document, source, "fetch-plan");
  const { description = "", reference = "", objects = [], user_agent = "", links } = checked;
  const forms = (links ?? []).filter((link) => typeof link === "string");
  refuseControls([description, reference, user_agent, ...objects, ...forms], source);
  for (const object of objects) refuseLongUrl(object, `plan ${source}: `);
  const read = (): FetchPlan => {
    const plan: FetchPlan = {
      ...checked,
      objects: [...new Set(objects)],
      tls: checked.tls ?? ["1.3"],
      ip: settledIp(checked),
      lanes: settledLanes(checked),
      ...(links === undefined ? {} : { links: absoluteLinks(links, folder) }),
      ...(checked.ca === undefined ? {} : { ca: resolve(folder, checked.ca) }),
    };
    refuseContradictions(plan);
    refuseStopping(plan);
    // A link that cannot be, or stands there twice.
    plannedLinks(plan);
    refuseTooMany(plan);
    return plan;
  };
  // Options of the command are named by themselves.
  return source === "fetch" ? read() : withinPlan(source, read);
}

export function refuseTooMany(plan: FetchPlan): void {
  const links = plan.links === undefined ? 1 : plannedLinks(plan).length;
  const fetches = plan.objects.length * links * variantsOf(plan).length * blocksOf(plan);
  if (fetches > maximumFetches) throw new UserError(`${fetches} fetches: ask for at most ${maximumFetches}`);
}

export const shippedFetchPlans = (): string[] => plansIn(shippedFolder);

/** A plan from a file, or one of those shipped with Trilane by its name. */
export function readFetchPlan(pathOrName: string): FetchPlan {
  const { document, folder } = readDocument(pathOrName, shippedFolder);
  return fetchPlanOf(document, pathOrName, folder);
}

/** The same with `changes` in place of what it says; files in them are named from where we are. */
export function changedFetchPlan(pathOrName: string, changes: object): FetchPlan {
  const { document, folder } = readDocument(pathOrName, shippedFolder);
  const { ip, objects, ...plan } = fetchPlanOf(document, pathOrName, folder);
  // A version of IP that the plan does not ask for follows the server.
  const own = (document as FetchPlanDocument).ip === undefined ? {} : { ip };
  return fetchPlanOf({ ...plan, ...own, ...(objects.length > 0 ? { objects } : {}), ...changes }, pathOrName);
}

/** How often each object is fetched over each thing; the last ones to count system calls. */
export const blocksOf = ({ repetitions, syscalls }: Pick<FetchPlan, "repetitions" | "syscalls">): number =>
  repetitions + syscalls;

/** Lanes x versions of TLS x versions of IP; what has TLS 1.3 always has it once. */
export function variantsOf({ lanes, tls, ip }: Pick<FetchPlan, "lanes" | "tls" | "ip">): FetchVariant[] {
  return lanes.flatMap((lane) =>
    (isPlainTcp(lane) ? tls : (["1.3"] as const)).flatMap((version) =>
      ip.map((each): FetchVariant => ({ lane, tls: version, ip: each })),
    ),
  );
}

type Placed = Pick<NewFetchCell, "link" | "link_profile">;

/** Files of links are read. */
function plannedLinks({ name, links }: Pick<FetchPlan, "name" | "links">): readonly Placed[] {
  return links === undefined ? [{ link: null, link_profile: null }] : linksOf({ name, links });
}

/** Links x objects x what they are fetched over, in the plan's order. */
export function fetchCellsOf(plan: FetchPlan): NewFetchCell[] {
  const variants = variantsOf(plan);
  return plannedLinks(plan).flatMap((placed) =>
    plan.objects.flatMap((object) => variants.map((variant) => ({ object, ...variant, ...placed }))),
  );
}

const nameOfPage = (page: PlanPage): string => (typeof page === "string" ? page : page.synth);

/**
 * SHA-256 over what decides the fetches: not the words for people, nor the pause between them. `recording`: the digest of the page's
 * recording; null: there is none.
 */
export function fetchPlanDigest(plan: FetchPlan, recording: string | null): string {
  const { name, objects, lanes, tls, ip, repetitions, seed, connect, ca, verify, follow, timeout_s } = plan;
  const { max_body_bytes, tolerance, user_agent, page, servers: programs } = plan;
  const links = plan.links && expandLinks({ name, links: plan.links }).map(({ form, profile }) => ({ form, profile }));
  const { outside, allow_local_network } = plan;
  const servers = { connect, ca, verify, links, page: page && nameOfPage(page), recording };
  const limits = { follow, timeout_s, max_body_bytes, tolerance, user_agent };
  const counted = plan.syscalls > 0 ? { syscalls: plan.syscalls } : {};
  const ruled = plan.until ? { until: plan.until } : {};
  const defined = { ...ruled, ...(programs ? { programs } : {}), ...(outside ? { outside, allow_local_network } : {}) };
  const decisive = { name, objects, lanes, tls, ip, repetitions, seed, ...servers, ...limits, ...counted, ...defined };
  return createHash("sha256").update(JSON.stringify(decisive)).digest("hex");
}
