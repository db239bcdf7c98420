// Joins the shards of a plan into one file of results: a sweep as if one machine had run it, which knows who ran what. Each
// cell comes from one machine, whole; a second shard of it is named and not merged. Reads shards through read_shard.ts, writes through
// cli/results/store/merge_file.ts.
import { existsSync, realpathSync, statSync } from "node:fs";
import type { Merged } from "../../../schemas/generated/merged.ts";
import { UserError } from "../../base/errors.ts";
import { version } from "../../base/version.ts";
import { isOtherMachine } from "../../results/store/hosts.ts";
import { type MergedPart, type MergedSweep, writeMerged } from "../../results/store/merge_file.ts";
import { isReference } from "../../results/store/reference_sweeps.ts";
import { type AnySweep, type HostFacts, openResultsFile } from "../../results/store/results.ts";
import { recordingsEnvironment, recordingsIn } from "../../results/store/sweep_recordings.ts";
import { hostFlags } from "./host_flags.ts";
import { type Part, readShard } from "./read_shard.ts";
import { shardsIn } from "./shards.ts";

export interface MergeOptions {
  /** Files, and folders of shards. */
  readonly words: readonly string[];
  readonly out: string;
  /** Differences of reference cells up to so many per cent do not matter. */
  readonly tolerance_percent: number;
  readonly command: readonly string[];
  /** How many a sweep's plan has for machines. */
  readonly cellsIn: (sweep: AnySweep) => number;
}

/** In the environment of a sweep that was merged. */
const mergedMark = "hosts";

type LeftOut = Merged["left_out"][number];

/** Every file once, whatever names it was given by. */
function filesOf(words: readonly string[]): string[] {
  const paths = words.flatMap((word) => {
    if (!existsSync(word))
      throw new UserError(`${word}: no such file or folder: name shards, or the folder they are in`);
    if (!statSync(word).isDirectory()) return [word];
    const found = shardsIn(word).map(({ path }) => path);
    if (found.length === 0)
      throw new UserError(`${word}: no shards in it: run \`trilane cell\` or \`trilane submit\` first`);
    return found;
  });
  return [...new Map(paths.map((path) => [realpathSync(path), path])).values()];
}

/** The first path that gave each name a value. @throws what `refusal` makes of a name with two. */
function refuseUnlike<Value>(
  given: readonly { readonly path: string; readonly name: string; readonly value: Value }[],
  refusal: (one: { path: string; name: string; value: Value }, before: { path: string; value: Value }) => string,
): void {
  const known = new Map<string, { path: string; value: Value }>();
  for (const one of given) {
    const before = known.get(one.name) ?? one;
    known.set(one.name, before);
    if (before.value !== one.value) throw new UserError(`${one.path}: ${refusal(one, before)}: leave it out`);
  }
}

const short = (digest: string): string => digest.slice(0, 12);

/** UserError for a part that is of another sweep than the first. */
function refuseOthers(parts: readonly Part[], what: string): void {
  const [first] = parts;
  if (!first) return;
  for (const { path, sweep } of parts) {
    if (sweep.plan_digest === first.sweep.plan_digest) continue;
    const { name, seed, plan_digest } = sweep;
    const why =
      name === first.sweep.name && seed !== first.sweep.seed
        ? `seed ${seed}, ${first.path} has seed ${first.sweep.seed}`
        : `${name} ${short(plan_digest)}, ${first.path} is of ${first.sweep.name} ${short(first.sweep.plan_digest)}`;
    throw new UserError(`${path}: of another ${what} (${why}): leave it out`);
  }
  refuseUnlike(
    parts.flatMap(({ path, recordings }) => [...recordings].map(([name, value]) => ({ path, name, value }))),
    ({ name, value }, before) =>
      `of another recording ${name} (${short(value)}, that of ${before.path} is ${short(before.value)})`,
  );
  refuseUnlike(
    parts.flatMap(({ path, links }) =>
      links.map(({ link, link_profile }) => ({ path, name: link ?? "", value: JSON.stringify(link_profile) })),
    ),
    ({ name }, before) => `link ${name} has other files than in ${before.path}`,
  );
}

/** UserError where one name stands for two machines: their loads would be taken for one machine's. */
function refuseNamesakes(parts: readonly Part[]): void {
  const known = new Map<string, Part>();
  for (const part of parts) {
    const { host, path } = part;
    const before = known.get(host.name);
    if (before && isOtherMachine(before.host, host))
      throw new UserError(
        `${path}: from another machine called ${host.name} than ${before.path}: leave it out, and run its cells again there with --host NAME`,
      );
    if (host.facts.machine_id !== undefined) known.set(host.name, part);
  }
}

/** Finished before unfinished, then more valid loads. */
function isBetter(a: Part, b: Part): boolean {
  const [endA, endB] = [a, b].map(({ finished_at }) => Number(finished_at !== null)) as [number, number];
  return endA !== endB ? endA > endB : a.valid > b.valid;
}

const nameOf = ({ place, host }: Part): string =>
  place === null ? `the reference cells of ${host.name}` : `cell ${place}`;

/** Of several parts of one cell the best; what is said of the others. */
function choose(parts: readonly Part[], keyOf: (part: Part) => string): { chosen: Part[]; left_out: LeftOut[] } {
  const chosen = new Map<string, Part>();
  for (const part of parts) {
    const before = chosen.get(keyOf(part));
    if (!before || isBetter(part, before)) chosen.set(keyOf(part), part);
  }
  const left_out = parts.flatMap((part): LeftOut[] => {
    const taken = chosen.get(keyOf(part)) ?? part;
    if (taken === part) return [];
    const isSame = taken.firstLoad_at === part.firstLoad_at && taken.host.name === part.host.name;
    const why = isSame ? "the same loads as in" : `${nameOf(part)} is taken from`;
    return [{ path: part.path, reason: `${why} ${taken.path}` }];
  });
  return { chosen: [...chosen.values()], left_out };
}

function factsOf(parts: readonly Part[]): HostFacts {
  const [first] = parts as readonly [Part, ...Part[]];
  const versions = new Map<string, Set<string>>();
  const add = (product: string, seen: readonly string[]): void => {
    versions.set(product, new Set([...(versions.get(product) ?? []), ...seen]));
  };
  for (const part of parts) {
    for (const [product, seen] of Object.entries(part.host.facts.versions)) add(product, seen);
    for (const each of part.versions) for (const [product, seen] of Object.entries(each)) add(product, [seen]);
  }
  return {
    ...first.host.facts,
    versions: Object.fromEntries([...versions].sort().map(([product, seen]) => [product, [...seen].sort()])),
  };
}

function partOf(part: Part): MergedPart {
  const cells = part.placed.map((placed) => ({ ...placed, finished_at: part.finished_at }));
  return { path: part.path, sweep: part.sweep.id, host: part.host.name, cells };
}

/** For shards that are merged into this file later. */
const notedRecordings = (parts: readonly Part[]) =>
  recordingsEnvironment(
    new Map(
      parts.flatMap(({ sweep }) => [...recordingsIn(sweep.environment)].map(([name, digest]) => [name, { digest }])),
    ),
  );

const earliest = (parts: readonly Part[]): string => parts.map(({ sweep }) => sweep.created_at).sort()[0] ?? "";

/** Null unless all are finished. */
function lastEnd(parts: readonly Part[]): string | null {
  const ends = parts.map(({ finished_at }) => finished_at);
  return ends.includes(null) ? null : (ends.sort().at(-1) ?? null);
}

function isMergeOf(path: string, plan_digest: string): boolean {
  try {
    using results = openResultsFile(path);
    const [newest] = results.listAllSweeps();
    return newest?.plan_digest === plan_digest && typeof newest.environment[mergedMark] === "number";
  } catch {
    // Not a merge, whatever it is.
    return false;
  }
}

/** Results of another sweep, a shard, or no results are not written over. */
function refuseForeign(out: string, plan_digest: string): void {
  if (existsSync(out) && !isMergeOf(out, plan_digest))
    throw new UserError(`--out ${out}: is there, and not what an earlier merge of this plan made: name another file`);
}

interface Gathered {
  /** With loads. */
  readonly ofPlan: readonly [Part, ...Part[]];
  readonly ofReference: readonly Part[];
  readonly empty: readonly LeftOut[];
}

/** UserError unless all is of one plan. */
function gather(words: readonly string[]): Gathered {
  const read = filesOf(words).map((path) => ({ path, parts: readShard(path) }));
  const empty = read.flatMap(({ path, parts }) =>
    parts.every(({ attempts }) => attempts === 0) ? [{ path, reason: "no load in it yet" }] : [],
  );
  const parts = read.flatMap((each) => each.parts).filter(({ attempts }) => attempts > 0);
  const ofReference = parts.filter(({ sweep }) => isReference(sweep.environment));
  const [first, ...others] = parts.filter(({ sweep }) => !isReference(sweep.environment));
  if (!first) throw new UserError(`${words.join(", ")}: no loads of a plan's cells in it: run \`trilane cell\` first`);
  refuseOthers([first, ...others], "plan");
  refuseOthers(ofReference, "reference");
  refuseNamesakes(parts);
  return { ofPlan: [first, ...others], ofReference, empty };
}

function referenceSweep(name: string, part: Part): MergedSweep {
  const { created_at, command, environment } = part.sweep;
  const hosts = [{ name, facts: factsOf([part]) }];
  const terms = { created_at, finished_at: part.finished_at, command, environment };
  return { name: `reference of ${name}`, ...terms, hosts, parts: [partOf(part)] };
}

/** Merges, or throws with nothing written. */
export async function merge({ words, out, tolerance_percent, command, cellsIn }: MergeOptions): Promise<Merged> {
  const { ofPlan, ofReference, empty } = gather(words);
  const [first] = ofPlan;
  refuseForeign(out, first.sweep.plan_digest);
  const cells = choose(ofPlan, ({ place }) => String(place));
  const references = choose(ofReference, ({ host }) => host.name);
  const main = cells.chosen.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0));
  const byHost = Map.groupBy(main, ({ host }) => host.name);
  const referenceOf = new Map(references.chosen.map((part) => [part.host.name, part]));
  const hosts = [...byHost]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, own]) => {
      const reference = referenceOf.get(name);
      return { name, facts: factsOf(reference ? [...own, reference] : own) };
    });
  const referenceLoads = [...referenceOf].map(([host, { loads }]) => ({ host, loads }));
  const flags = hostFlags(hosts, referenceLoads, tolerance_percent);
  const places = cellsIn(first.sweep);
  const there = new Set(main.map(({ place }) => place));
  const missing = Array.from({ length: places }, (_, index) => index + 1).filter((place) => !there.has(place));
  const unfinished = main.flatMap(({ place, finished_at }) => (finished_at === null && place !== null ? [place] : []));
  const sweep: MergedSweep = {
    name: first.sweep.name,
    created_at: earliest(main),
    finished_at: missing.length > 0 ? null : lastEnd(main),
    command,
    environment: { trilane: version, [mergedMark]: hosts.length, ...notedRecordings(main) },
    hosts: hosts.map((host) => ({ ...host, flags: flags.get(host.name) ?? [] })),
    parts: main.map(partOf),
  };
  const referenceSweeps = [...referenceOf].sort().map(([name, part]) => referenceSweep(name, part));
  // The plan's sweep last: it is the one that `trilane report FILE` is on.
  await writeMerged(out, [...referenceSweeps, sweep]);
  return {
    schema: "trilane/merged/1",
    kind: first.sweep.kind,
    path: out,
    name: first.sweep.name,
    plan_digest: first.sweep.plan_digest,
    cells: places,
    missing,
    unfinished,
    loads: main.reduce((sum, { attempts }) => sum + attempts, 0),
    tolerance_percent,
    hosts: hosts.map(({ name }) => ({
      name,
      cells: (byHost.get(name) ?? []).flatMap(({ place }) => place ?? []),
      loads: (byHost.get(name) ?? []).reduce((sum, { attempts }) => sum + attempts, 0),
      reference_loads: referenceOf.get(name)?.attempts ?? 0,
      flags: flags.get(name) ?? [],
    })),
    left_out: [...empty, ...cells.left_out, ...references.left_out],
  };
}
