// Which parts of shards are merged: all of one plan, each cell from one machine, whole. A second shard of a cell is named and not taken; what is
// of another plan, seed, recording or link is refused. Reads shards through read_shard.ts; writes nothing.
import { existsSync, realpathSync, statSync } from "node:fs";
import type { Merged } from "../../../schemas/generated/merged.ts";
import { UserError } from "../../base/errors.ts";
import { isOtherMachine } from "../../results/store/hosts.ts";
import { isReference } from "../../results/store/reference_sweeps.ts";
import { type Part, readShard } from "./read_shard.ts";
import { shardsIn } from "./shards.ts";

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

/** UserError if one name stands for two machines: their loads would be taken for one machine's. */
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

interface TakenParts {
  /** In the plan's order, each once. */
  readonly cells: readonly [Part, ...Part[]];
  /** One of each machine that has them. */
  readonly references: readonly Part[];
  readonly left_out: LeftOut[];
}

/** Of files, and folders of shards. UserError unless all is of one plan. */
export function takenParts(words: readonly string[]): TakenParts {
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
  const cells = choose([first, ...others], ({ place }) => String(place));
  const references = choose(ofReference, ({ host }) => host.name);
  return {
    cells: cells.chosen.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0)) as [Part, ...Part[]],
    references: references.chosen,
    left_out: [...empty, ...cells.left_out, ...references.left_out],
  };
}
