// `import { openLab } from "trilane"`: a browser behind a link for the tests of others, with a link that can be changed and looked at
// while they run. A lab is a folder with the script that starts browsers (browser_wrapper.ts), the link's form, which each
// reads at its start, and a control socket for each that runs, named by its process.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { makeProcessFolder, sweepProcessFolders } from "../base/process_folder.ts";
import { browserProgram, chromiumPath } from "../base/programs.ts";
import { removedAtEnd } from "../base/removed_at_end.ts";
import { shellWord } from "../base/shell_word.ts";
import { LinkControl } from "../link/control_client.ts";
import { withAbsoluteFiles } from "../link/files.ts";
import { defaultSeed, formatLink, type LinkProfile } from "../link/link.ts";
import { readGivenLink } from "../link/profile_file.ts";
import { spkiList } from "../load/lab.ts";
import { browserWrapper, networksThen } from "../load/reach/browser_wrapper.ts";
import type { Reach } from "../load/reach/reach.ts";
import { reachChoiceOf, reachHere, wantedOf } from "../load/reach/wanted.ts";
import { withArchive } from "../recording/archive/client.ts";
import type { Lab, LabOptions, LinkChange, LinkStats } from "./types.d.ts";

export type { DirectionStats, Lab, LabOptions, LinkChange, LinkStats } from "./types.d.ts";

/** A socket's path may have 107 bytes. */
const parent = (): string => (Buffer.byteLength(tmpdir()) <= 80 ? tmpdir() : "/tmp");

/** A running link keeps its seed. */
const formOf = (link: LinkProfile): string => formatLink({ ...link, seed: defaultSeed });
/** Files are named from wherever it runs. */
const linkOf = (text: string): LinkProfile => withAbsoluteFiles(readGivenLink(text, process.cwd()), process.cwd());

/** A setting of both directions replaces those of one. */
const halves: Readonly<Record<string, readonly string[]>> = {
  rate: ["down", "up"],
  rtt: ["delay_down", "delay_up"],
};

const halvesOf = (key: string): readonly string[] => halves[key] ?? [`${key}_down`, `${key}_up`];

/** A link's short form with some settings changed, as text; whether that is a link, trilane-shaper says. */
export function changedForm(form: string, change: LinkChange): string {
  const parts = form.split(",");
  // RATE/RTT, or a name.
  const [first = ""] = parts;
  const base = first.includes("=") ? [] : [first];
  const settings = new Map(
    parts.slice(base.length).map((part) => {
      const at = part.indexOf("=");
      return [part.slice(0, at), part.slice(at + 1)];
    }),
  );
  for (const [key, value] of Object.entries(change)) {
    for (const half of halvesOf(key)) settings.delete(half);
    settings.set(key, value);
  }
  return [...base, ...[...settings].map(([key, value]) => `${key}=${value}`)].join(",");
}

/** The browsers' first processes, by their control sockets. */
function runningIn(folder: string): { pid: number; socket: string }[] {
  return readdirSync(folder).flatMap((name) =>
    /^\d+$/.test(name) ? [{ pid: Number(name), socket: join(folder, name) }] : [],
  );
}

/** Whether the process is one that this lab's script became. */
function isOf(folder: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder);
  } catch {
    return false;
  }
}

/** What `work` gives for each running link; one that ended meanwhile gives nothing. */
async function ofEach<Result>(folder: string, work: (control: LinkControl) => Promise<Result>): Promise<Result[]> {
  const results = runningIn(folder).map(async ({ pid, socket }) => {
    const control = await LinkControl.connect(socket).catch(() => null);
    try {
      return control ? [await work(control)] : [];
    } catch (error) {
      if (isOf(folder, pid)) throw error;
      return [];
    } finally {
      control?.close();
    }
  });
  return (await Promise.all(results)).flat();
}

const patience_ms = 3000;
const look_ms = 20;

async function endBrowsers(folder: string): Promise<void> {
  const left = () => runningIn(folder).filter(({ pid }) => isOf(folder, pid));
  const signal = (name: NodeJS.Signals): void => {
    for (const { pid } of left()) process.kill(pid, name);
  };
  signal("SIGTERM");
  for (let waited_ms = 0; left().length > 0 && waited_ms < patience_ms; waited_ms += look_ms) await delay(look_ms);
  signal("SIGKILL");
}

async function reachOf(options: LabOptions, home: string): Promise<Reach> {
  const { recording, outside = false, allowLocalNetwork = false } = options;
  const reach = typeof options.reach === "string" ? [options.reach] : [...(options.reach ?? [])];
  const choice = reachChoiceOf({ recording, reach, outside, "allow-local-network": allowLocalNetwork });
  const exchanges =
    choice.kind === "recording" ? (await withArchive(home, (archive) => archive.show(choice.name))).exchanges : [];
  const wanted = await wantedOf(choice, exchanges);
  const isGuarded = wanted.kind === "outside" && wanted.refused !== null;
  return reachHere(isGuarded ? { kind: "outside", refused: { own: networksThen } } : wanted);
}

/** @throws UserError for a link, a reach or a browser that is none. */
export async function openLab(options: LabOptions): Promise<Lab> {
  if (typeof options.link !== "string") throw new UserError('openLab: name a link, as { link: "slow-4g" }');
  const home = homeFolder(options.home);
  const link = linkOf(options.link);
  let form = formOf(link);
  const browser = options.browser === undefined ? chromiumPath() : browserProgram(options.browser);
  const recording = options.recording ?? null;
  const reached = await reachOf(options, home);
  const spkis = recording === null ? null : await spkiList(home);
  await sweepProcessFolders(parent(), "lab");
  const folder = makeProcessFolder(parent(), "lab");
  const keep = removedAtEnd(folder);
  const linkFile = join(folder, "link");
  const executablePath = join(folder, "browser");
  const wrapped = { home, link, recording, reached, spkis, browser };
  const control = "@control@";
  const script = browserWrapper(
    { ...wrapped, shaperOptions: ["--control", control] },
    new Map([
      [form, `"$(cat ${shellWord(linkFile)})"`],
      [control, `${shellWord(folder)}/$$`],
    ]),
  );
  writeFileSync(linkFile, form);
  writeFileSync(executablePath, script);
  chmodSync(executablePath, 0o755);
  const close = async (): Promise<void> => {
    await endBrowsers(folder);
    rmSync(folder, { recursive: true, force: true });
    keep();
  };
  return {
    executablePath,
    reaches: reached.sentence,
    change: async (change: string | LinkChange) => {
      form = formOf(linkOf(typeof change === "string" ? change : changedForm(form, change)));
      writeFileSync(linkFile, form);
      // A link in full replaces the whole of the one that runs.
      const whole = /^[a-z_]+=/.test(form) ? `unlimited,${form}` : form;
      await ofEach(folder, (control) => control.steer(whole));
    },
    stats: () => ofEach<LinkStats>(folder, (control) => control.stats()),
    close,
    [Symbol.asyncDispose]: close,
  };
}
