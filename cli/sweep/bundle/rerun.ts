// A bundle's pages and plan made ready to be loaded again, in a data folder of their own: no recording of the user's is touched, and
// the same command resumes a rerun that was stopped. A plan of somebody else's names no file and no program of this machine:
// each file of a link is the bundle's own, or the plan is refused.
import { createReadStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Bundle } from "../../../schemas/generated/bundle.ts";
import type { BundledRecording } from "../../../schemas/generated/bundled_recording.ts";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { atomicWrite } from "../../base/atomic_write.ts";
import { boundedJson } from "../../base/bounded_json.ts";
import { UserError } from "../../base/errors.ts";
import { explainSchemaErrors, schemaValidator } from "../../base/schema_error.ts";
import { filesOf, mapFiles } from "../../link/files.ts";
import { formatLink, parseLink } from "../../link/link.ts";
import { namesProfile } from "../../link/profile_file.ts";
import type { Archive, Recording } from "../../recording/archive/archive.ts";
import { withArchive } from "../../recording/archive/client.ts";
import { type CopiedRecording, copyRecording } from "../../recording/archive/copy_recording.ts";
import { openResults, openResultsFile } from "../../results/store/results.ts";
import { pageName } from "../plan/page_patterns.ts";
import { planOf } from "../plan/plan.ts";
import type { Plan } from "../plan/plan_document.ts";
import { trialKey } from "../plan/recording_trial.ts";
import type { RerunRequest } from "./bundled_sweeps.ts";
import { bodyMember, fileMember, planName, recordingMember } from "./layout.ts";

async function jsonOf({ bundle, unpacked }: RerunRequest, name: string): Promise<unknown> {
  try {
    return boundedJson(await readFile(join(unpacked, name)));
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new UserError(`${bundle}: ${isMissing ? `has no ${name}` : `${name} is no JSON`}: get the file again`);
  }
}

async function recordingOf(request: RerunRequest, name: string): Promise<BundledRecording> {
  const document = await jsonOf(request, recordingMember(name));
  const validate = schemaValidator<BundledRecording>("bundled-recording", { allowUnionTypes: true, allErrors: false });
  if (!validate(document))
    throw new UserError(
      `${request.bundle}: ${recordingMember(name)}: ${explainSchemaErrors(validate.errors ?? [], "schemas/bundled-recording.schema.json")}`,
    );
  if (document.name !== name)
    throw new UserError(`${request.bundle}: ${recordingMember(name)} is of ${document.name}: get the file again`);
  return document;
}

/** The recording in the archive, unless it is there since an earlier time. */
async function addRecording(
  request: RerunRequest,
  archive: Archive,
  { name, digest }: Bundle["recordings"][number],
): Promise<void> {
  const there = (await archive.list()).find((recording) => recording.name === name);
  if (there?.digest === digest) return;
  if (there) await archive.remove(name);
  const { exchanges, ...recording } = await recordingOf(request, name);
  const listed = new Set(request.manifest.members.map((member) => member.name));
  const bodyOf = (sha256: string) => {
    if (!listed.has(bodyMember(sha256)))
      throw new UserError(
        `${request.bundle}: has no body ${sha256.slice(0, 12)} of recording ${name}: get the file again`,
      );
    return createReadStream(join(request.unpacked, bodyMember(sha256)));
  };
  const copied = await copyRecording({ recording, exchanges } as unknown as CopiedRecording, bodyOf, archive);
  if (copied.digest === digest) return;
  await archive.remove(name);
  throw new UserError(`${request.bundle}: recording ${name} is not what its manifest says: get the file again`);
}

/** By the paths in the plan, those here: called as they were, which links are named after. */
async function addFiles({ bundle, manifest, unpacked, home }: RerunRequest): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  for (const { path, sha256 } of manifest.files) {
    const name = basename(path);
    if (!/^[^/\0]{1,200}$/.test(name) || name === "." || name === "..")
      throw new UserError(`${bundle}: ${JSON.stringify(path)} is no file's name: get the file again`);
    const to = join(home, "files", sha256, name);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await atomicWrite(to, createReadStream(join(unpacked, fileMember(sha256))) as AsyncIterable<Uint8Array>);
    paths.set(path, to);
  }
  return paths;
}

function linkHere(
  link: SweepPlan["links"][number],
  paths: ReadonlyMap<string, string>,
  bundle: string,
): SweepPlan["links"][number] {
  if (typeof link !== "string") return link;
  const refuse = (file: string): never => {
    throw new UserError(`${bundle}: its plan names ${JSON.stringify(file)}, which is not in it: do not run it`);
  };
  if (namesProfile(link)) return refuse(link);
  // Then its parse decides, not its text: the language that it is read by knows no file of a profile, at no depth.
  const profile = parseLink(link);
  if (filesOf(profile).length === 0) return link;
  return formatLink(mapFiles(profile, (file) => ({ ...file, file: paths.get(file.file) ?? refuse(file.file) })));
}

/** Pages by their recordings' names: made anew, a synthetic page might be another one. */
async function planHere(request: RerunRequest, paths: ReadonlyMap<string, string>): Promise<Plan> {
  const source = `${request.bundle}: ${planName}`;
  const document = await jsonOf(request, planName);
  const validate = schemaValidator<SweepPlan>("sweep-plan");
  if (!validate(document))
    throw new UserError(`${source}: ${explainSchemaErrors(validate.errors ?? [], "schemas/sweep-plan.schema.json")}`);
  if (document.interleaved?.of === "browsers")
    throw new UserError(
      `${request.bundle}: its plan names programs of another machine (two browsers): run it with yours by \`trilane compare --interleaved\``,
    );
  const browsers = [document.browser ?? "", ...Object.values(document.browsers ?? {})];
  const path = browsers.find((browser) => browser.includes("/"));
  // A configuration has its program open files and run others.
  const server = Object.values(document.servers ?? {}).find((each) => each.command ?? each.configuration);
  const program = path ?? server?.command ?? server?.configuration;
  if (program !== undefined)
    throw new UserError(
      `${request.bundle}: its plan names a program of another machine (${program.slice(0, 200)}): run it with yours by \`trilane sweep PLAN ${path === undefined ? "--server NAME=..." : "--browser"}\``,
    );
  if (Object.values(document.servers ?? {}).some(({ live }) => live))
    throw new UserError(
      `${request.bundle}: its servers are live, and a rerun never goes out to the internet: race the page by \`trilane race URL --outside\``,
    );
  const links = document.links.map((link) => linkHere(link, paths, request.bundle));
  return planOf({ ...document, pages: document.pages.map(pageName), links }, source);
}

/** To which moments the clocks of the sweep's loads were set: those of the rerun's are set to the same, and nothing is tried anew. */
function keepPinnings({ manifest, results: path, home }: RerunRequest, recordings: readonly Recording[]): void {
  const [before, results] = [openResultsFile(path), openResults(home)];
  try {
    for (const [page, moment_ms] of before.pinningsOf(manifest.sweep.id)) {
      const recording = recordings.find(({ name }) => name === page);
      if (recording && results.trialOf(trialKey(recording)) === null)
        results.recordTrial(trialKey(recording), { moment_ms, outside: [] });
    }
  } finally {
    before.close();
    results.close();
  }
}

/** The plan to run in the data folder. UserError for a bundle without recordings, or with a plan that names what is not in it. */
export async function prepareRerun(request: RerunRequest): Promise<Plan> {
  const { bundle, manifest, home } = request;
  if (manifest.recordings.some(({ included }) => !included))
    throw new UserError(
      `${bundle}: holds no recordings (--results-only): its figures can be reproduced, its loads not run again`,
    );
  await mkdir(home, { recursive: true, mode: 0o700 });
  const plan = await planHere(request, await addFiles(request));
  const recordings = await withArchive(home, async (archive) => {
    for (const recording of manifest.recordings) await addRecording(request, archive, recording);
    return await archive.list();
  });
  keepPinnings(request, recordings);
  return plan;
}
