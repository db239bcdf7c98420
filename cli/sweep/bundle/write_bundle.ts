// A sweep and all that it takes to make its figures again, or its loads, in one file: `trilane bundle`. The same sweep gives the same
// bytes: nothing in it says when, where or by whom it was bundled. Written whole or not at all.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bundle, RanOn } from "../../../schemas/generated/bundle.ts";
import type { Bundled } from "../../../schemas/generated/bundled.ts";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import { atomicWrite } from "../../base/atomic_write.ts";
import { UserError } from "../../base/errors.ts";
import { makeProcessFolder, sweepProcessFolders } from "../../base/process_folder.ts";
import { checkout } from "../../base/programs.ts";
import { removedAtEnd } from "../../base/removed_at_end.ts";
import { schemaTexts } from "../../base/schema_error.ts";
import { version } from "../../base/version.ts";
import { filesOf, refuseChangedFiles } from "../../link/files.ts";
import { notedPrograms } from "../../load/program_digests.ts";
import { withArchive } from "../../recording/archive/client.ts";
import { copySweeps } from "../../results/store/copy_sweep.ts";
import { formatVersion } from "../../results/store/migrations.ts";
import { referenceSweeps } from "../../results/store/reference_sweeps.ts";
import { type AnySweep, type Cell, openResultsFile, type Results } from "../../results/store/results.ts";
import { browsersOf } from "../../results/verdict/browsers.ts";
import { sortLanes } from "../../results/verdict/sample.ts";
import type { BundledKinds, BundledSweeps } from "./bundled_sweeps.ts";
import { figuresOf } from "./figures.ts";
import {
  byName,
  fileMember,
  isFigure,
  manifestName,
  planName,
  readmeName,
  recordingMember,
  resultsName,
  schemaMember,
} from "./layout.ts";
import { bundlePieces, diskMember, type Member, refuseTooLarge, textMember } from "./members.ts";
import { readmeText } from "./readme.ts";
import { type RecordingMembers, recordingMembers } from "./recording_members.ts";

export interface BundleRequest {
  /** Where the recordings are. */
  readonly home: string;
  /** The file of results. */
  readonly results: string;
  readonly sweep: number;
  readonly out: string;
  readonly keepCredentials: boolean;
  /** Without recordings and the files of links. */
  readonly resultsOnly: boolean;
  readonly kinds: BundledKinds;
}

/** What the sweep is, before anything is copied. */
interface Chosen {
  readonly sweep: AnySweep;
  readonly kind: BundledSweeps;
  /** Of pages. */
  readonly cells: readonly Cell[];
  /** Of its cells, those that go over one. */
  readonly links: readonly Pick<Cell, "link" | "link_profile">[];
  /** With the sweeps of reference cells that its report compares machines by. */
  readonly sweeps: readonly number[];
}

async function choose(results: Results, id: number, kinds: BundledKinds): Promise<Chosen> {
  const sweep = results.anySweep(id);
  const kind = await kinds(sweep.kind);
  if (!kind)
    throw new UserError(`sweep ${id} is of ${sweep.kind}: such sweeps are not bundled, take \`trilane export\``);
  if (results.progressOf(sweep).running)
    throw new UserError(`sweep ${id} is being run: wait for its end, or stop it first`);
  if (results.attemptsOf(sweep).length === 0)
    throw new UserError(`sweep ${id} has no ${kind.nouns[1]} yet: the command that began it resumes it`);
  const sweeps = [...referenceSweeps(results, id), id];
  const links = results
    .cellLinksOf(sweep)
    .flatMap(({ link, link_profile }) => (link !== null && link_profile !== null ? [{ link, link_profile }] : []));
  return { sweep, kind, cells: results.cellsOf(id), links, sweeps };
}

/** What loads ran on, each once. */
class RanOnCounter {
  readonly #counts = new Map<string, number>();

  add({ log }: PageLoad): void {
    const { versions, kernel, architecture, cpu, cpus, memory_bytes } = log._trilane.environment;
    const key = JSON.stringify({ versions, kernel, architecture, cpu, cpus, memory_bytes });
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  all(): RanOn[] {
    return [...this.#counts].map(([key, loads]) => ({ loads, ...(JSON.parse(key) as Omit<RanOn, "loads">) }));
  }
}

function linksOf(placed: Chosen["links"]): Bundle["links"] {
  return [...new Map(placed.map(({ link, link_profile }) => [link, { link, profile: link_profile }])).values()];
}

/** UserError for a file that is no longer what it was. */
async function linkFiles(links: Chosen["links"]): Promise<{ files: Bundle["files"]; members: Member[] }> {
  const files = new Map<string, string>();
  for (const { link_profile } of links) {
    refuseChangedFiles(link_profile, "leave it and all recordings out with --results-only");
    for (const { file, sha256 } of filesOf(link_profile)) if (sha256 !== undefined) files.set(file, sha256);
  }
  const bySum = new Map([...files].map(([path, sha256]) => [sha256, path]));
  const members = await Promise.all([...bySum].map(([sha256, path]) => diskMember(fileMember(sha256), path)));
  return {
    files: [...files].map(([path, sha256]) => ({ path, sha256 })).sort((a, b) => (a.path < b.path ? -1 : 1)),
    members,
  };
}

/** The formats of what lies in a bundle. */
function schemaMembers({ planSchema }: BundledSweeps): Member[] {
  const texts = new Map(["bundle", "bundled-recording", planSchema].flatMap((name) => [...schemaTexts(name)]));
  texts.set("results.sql", readFileSync(join(checkout, "schemas", "results.sql"), "utf8"));
  return [...texts].map(([file, text]) => textMember(schemaMember(file), text));
}

interface Gathered {
  readonly manifest: Omit<Bundle, "members">;
  readonly members: readonly Member[];
}

/** All but what describes it. `folder`: an empty one, which has to stay until the members have been read. */
async function gather(
  request: BundleRequest,
  chosen: Chosen,
  pages: RecordingMembers,
  folder: string,
): Promise<Gathered> {
  const { cells, kind } = chosen;
  const links = request.resultsOnly ? { files: [], members: [] } : await linkFiles(chosen.links);
  const masking = request.keepCredentials ? undefined : kind.masking?.();
  const path = join(folder, resultsName);
  const ranOn = new RanOnCounter();
  copySweeps(path, {
    from: request.results,
    sweeps: chosen.sweeps,
    keepCredentials: request.keepCredentials,
    digests: new Map(pages.facts.map(({ name, digest }) => [name, digest])),
    ...(masking ? { mask: masking.row } : {}),
    onPageLoad: (load) => ranOn.add(load),
  });
  const copy = openResultsFile(path);
  try {
    const sweep = copy.anySweep(request.sweep);
    const attempts = copy.attemptsOf(sweep);
    const { id, name, plan_digest, seed, command, created_at, finished_at } = sweep;
    const facts = { id, name, plan_digest, seed, command: [...command], created_at, finished_at };
    const figures = figuresOf(copy, sweep.id, kind).map(({ name: of, text }) => textMember(of, text));
    const plan = textMember(planName, `${JSON.stringify(sweep.plan, null, 2)}\n`);
    const members = [
      plan,
      await diskMember(resultsName, path),
      ...figures,
      ...links.members,
      ...pages.members,
      ...schemaMembers(kind),
    ];
    const manifest: Gathered["manifest"] = {
      schema: "trilane/bundle/1",
      trilane: version,
      results_format: formatVersion,
      sweep: {
        ...facts,
        ...(kind.isUnnamed ? {} : { kind: sweep.kind }),
        ...{ loads: attempts.length, valid: attempts.filter(({ status }) => status === "valid").length },
      },
      lanes: sortLanes(cells.map(({ lane }) => lane)) as Bundle["lanes"],
      links: linksOf(chosen.links),
      files: links.files,
      recordings: [...pages.facts],
      environment: { ...sweep.environment },
      ran_on: ranOn.all(),
      browsers: browsersOf(copy.loadsOf(sweep.id)),
      programs: notedPrograms(sweep.environment),
      credentials: request.keepCredentials ? "kept" : "masked",
      ...(masking?.counts ? { masked: masking.counts() } : {}),
    };
    return { manifest, members: members.toSorted(byName) };
  } finally {
    copy.close();
  }
}

/** README and manifest, which the others are checked by, come first. */
function described({ manifest, members }: Gathered, kind: BundledSweeps): Member[] {
  const listed = members.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 }));
  const document: Bundle = { ...manifest, members: listed as Bundle["members"] };
  const head = [
    textMember(readmeName, readmeText(manifest, kind)),
    textMember(manifestName, `${JSON.stringify(document, null, 1)}\n`),
  ];
  return [...head, ...members];
}

async function write(request: BundleRequest, gathered: Gathered, kind: BundledSweeps): Promise<Bundled> {
  const members = described(gathered, kind);
  refuseTooLarge(members);
  const hash = createHash("sha256");
  let bytes = 0;
  await atomicWrite(
    request.out,
    (async function* () {
      for await (const piece of bundlePieces(members)) {
        hash.update(piece);
        bytes += piece.length;
        yield piece;
      }
    })(),
  );
  const { sweep, credentials, masked } = gathered.manifest;
  return {
    schema: "trilane/bundled/1",
    path: request.out,
    sha256: hash.digest("hex"),
    bytes,
    unpacked_bytes: members.reduce((sum, member) => sum + member.bytes, 0),
    sweep: sweep.id,
    loads: sweep.loads,
    recordings: members.filter(({ name }) => name === recordingMember(name.slice(11, -5))).length,
    figures: members.filter(({ name }) => isFigure(name)).length - 2,
    credentials,
    ...(masked ? { masked } : {}),
  };
}

interface WrittenBundle extends Pick<BundledSweeps, "nouns"> {
  readonly bundled: Bundled;
}

/** UserError for a sweep that is being run or has no attempts, and for a recording or a link's file that is not what was loaded. */
export async function writeBundle(request: BundleRequest): Promise<WrittenBundle> {
  const results = openResultsFile(request.results);
  let chosen: Chosen;
  try {
    chosen = await choose(results, request.sweep, request.kinds);
  } finally {
    results.close();
  }
  // Recordings may hold what is private: one that was killed leaves it no longer than until the next.
  await sweepProcessFolders(tmpdir(), "bundle");
  const folder = makeProcessFolder(tmpdir(), "bundle");
  const keep = removedAtEnd(folder);
  const loaded = new Map(chosen.cells.map(({ page, recording_digest }) => [page, recording_digest]));
  const bundled = async (pages: RecordingMembers): Promise<WrittenBundle> => {
    const written = await write(request, await gather(request, chosen, pages, folder), chosen.kind);
    return { bundled: written, nouns: chosen.kind.nouns };
  };
  try {
    if (loaded.size === 0) return await bundled({ facts: [], members: [] });
    if (request.resultsOnly) {
      const facts = [...loaded].map(([name, digest]) => ({ name, digest, loaded_digest: digest, included: false }));
      return await bundled({ facts, members: [] });
    }
    const { keepCredentials } = request;
    const scratch = (name: string): string => join(folder, "recordings", name);
    return await withArchive(request.home, async (archive) =>
      bundled(await recordingMembers(archive, { loaded, keepCredentials, scratch })),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
    keep();
  }
}
