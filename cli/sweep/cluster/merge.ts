// Joins the shards of a plan into one file of results: a sweep as if one machine had run it, which knows who ran what. Which parts it takes is
// taken_parts.ts's; writes through cli/results/store/merge_file.ts.
import { existsSync } from "node:fs";
import type { Merged } from "../../../schemas/generated/merged.ts";
import { UserError } from "../../base/errors.ts";
import { version } from "../../base/version.ts";
import { type MergedPart, type MergedSweep, writeMerged } from "../../results/store/merge_file.ts";
import { type AnySweep, type HostFacts, openResultsFile } from "../../results/store/results.ts";
import { recordingsEnvironment, recordingsIn } from "../../results/store/sweep_recordings.ts";
import { hostFlags } from "./host_flags.ts";
import type { Part } from "./read_shard.ts";
import { takenParts } from "./taken_parts.ts";

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

function referenceSweep(name: string, part: Part): MergedSweep {
  const { created_at, command, environment } = part.sweep;
  const hosts = [{ name, facts: factsOf([part]) }];
  const terms = { created_at, finished_at: part.finished_at, command, environment };
  return { name: `reference of ${name}`, ...terms, hosts, parts: [partOf(part)] };
}

/** Merges, or throws with nothing written. */
export async function merge({ words, out, tolerance_percent, command, cellsIn }: MergeOptions): Promise<Merged> {
  const { cells: main, references, left_out } = takenParts(words);
  const [first] = main;
  refuseForeign(out, first.sweep.plan_digest);
  const byHost = Map.groupBy(main, ({ host }) => host.name);
  const referenceOf = new Map(references.map((part) => [part.host.name, part]));
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
    left_out,
  };
}
