// A sweep over machines that are reached by ssh, through GNU parallel: one cell after another on each. Recordings are sent there
// first, shards are brought back in the end; what was brought back by then is not run again.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { RunError, UserError } from "../../base/errors.ts";
import { type Stop, watchSignals } from "../../base/interruption.ts";
import { ProgramFailure, runProgram } from "../../base/run_program.ts";
import { shellWord } from "../../base/shell_word.ts";
import { say } from "../../base/terminal_text.ts";
import { version } from "../../base/version.ts";
import { shardNames } from "./shards.ts";
import { collect, onHost, packFolder, type Remote, ship } from "./ship.ts";

export interface SshTerms {
  readonly hosts: readonly string[];
  /** The program and its options. */
  readonly ssh: readonly string[];
  /** Of `trilane` there. */
  readonly program: string;
  /** Of the sweep there, relative to the user's home. */
  readonly folder: string;
  /** Here. */
  readonly shards: string;
  readonly reference: boolean;
  /** How many the plan has. */
  readonly cells: number;
  /** What its cells need on each host besides Trilane. */
  readonly programs: readonly string[];
  readonly say: (line: string) => void;
}

export async function requireParallel(): Promise<void> {
  const remedy = "install GNU parallel (apt install parallel)";
  const said = await runProgram("parallel", ["--version"], { timeout_ms: 20_000 }).catch((error: unknown) => {
    if (error instanceof ProgramFailure) throw new UserError(`no parallel here: ${remedy}`);
    throw error;
  });
  // The package moreutils has another program of this name.
  if (!said.startsWith("GNU parallel")) throw new UserError(`parallel is not GNU's: ${remedy}`);
}

/** The command line of one cell on a host; `{}` is its number. */
function remoteCell({ program, folder, reference }: SshTerms): string {
  const shards = `${folder}/shards`;
  const words = [
    ...[program, "cell", `${shards}/plan.json`, "{}", "--shards", shards, "--home", `${folder}/home`],
    ...["--reference", reference ? `${shards}/reference.json` : "none"],
  ];
  return `${words.map((word) => (word === "{}" ? word : shellWord(word))).join(" ")} --host "$PARALLEL_SSHHOST"`;
}

/** Words of GNU parallel. */
export function parallelWords(terms: SshTerms, hosts: readonly string[], cells: readonly number[]): string[] {
  return [
    ...["--sshlogin", hosts.map((host) => `1/${host}`).join(",")],
    ...["--ssh", terms.ssh.map(shellWord).join(" ")],
    // A host that went away is no reason to lose a cell.
    ...["--retries", "3", "--line-buffer", "--tagstring", "cell {}"],
    ...["--joblog", join(terms.shards, "joblog")],
    ...[remoteCell(terms), ":::", ...cells.map(String)],
  ];
}

/** What is said where a host does not do it; null: it did. */
async function refusal(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof RunError) return error.message;
    throw error;
  }
}

/** Which of the plan's programs are not on the host. */
async function missingPrograms(remote: Remote, programs: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const program of programs) {
    const found = await onHost(remote, `command -v ${shellWord(program)} >/dev/null && echo yes || echo no`);
    if (found.trim() !== "yes") missing.push(program);
  }
  return missing;
}

/** Why the host cannot run cells; null: it can. */
async function unusable(remote: Remote, { program, programs, say }: SshTerms): Promise<string | null> {
  const unreached = await refusal(() => onHost(remote, "true"));
  if (unreached !== null) return `${unreached}: not reached`;
  let there = "";
  const absent = await refusal(async () => {
    there = (await onHost(remote, `${shellWord(program)} --version`)).trim();
  });
  if (absent !== null) return `${absent}: install Trilane there, or say where it is with --program`;
  const missing = await missingPrograms(remote, programs);
  if (missing.length > 0)
    return `${remote.host}: no ${missing.join(" and no ")}, which the plan's cells run: install it there`;
  if (there !== version) say(`${remote.host}: Trilane ${there}, here ${version}: \`trilane merge\` will report it`);
  return null;
}

/** Hosts that can run cells; prints why others cannot. RunError if there is no such host. */
export async function usableHosts(terms: SshTerms): Promise<Remote[]> {
  const usable: Remote[] = [];
  for (const host of terms.hosts) {
    const remote: Remote = { host, ssh: terms.ssh, folder: terms.folder };
    const why = await unusable(remote, terms);
    if (why === null) usable.push(remote);
    else terms.say(`${why}; not used`);
  }
  if (usable.length === 0) throw new RunError(`none of ${terms.hosts.join(", ")} can be used: see above`);
  return usable;
}

/** Shards of all hosts; one that has gone away is reported, and its cells are missing. */
export async function collectAll(terms: SshTerms, remotes: readonly Remote[]): Promise<void> {
  for (const remote of remotes) {
    // As GNU parallel names it to the cell: without the user.
    const expected = shardNames(remote.host.replace(/^.*@/, ""), terms);
    const why = await refusal(() => collect(remote, terms.shards, expected));
    if (why !== null) terms.say(`${why}: its shards are not here`);
  }
}

/** When all is here, nothing is left there: recordings may hold what is private. */
export async function clearAll(terms: SshTerms, remotes: readonly Remote[]): Promise<void> {
  for (const remote of remotes) {
    const why = await refusal(() => onHost(remote, `rm -rf ${shellWord(remote.folder)}`));
    if (why !== null) terms.say(`${why}: remove ${remote.folder} there`);
  }
}

const parallelsEnd_ms = 20_000;

/** GNU parallel to its end; at a signal it ends its cells, and is waited for. */
export async function runParallel(words: readonly string[]): Promise<Stop | null> {
  const interruption = watchSignals();
  const child = spawn("parallel", words, { stdio: ["ignore", "pipe", "pipe"] });
  // What cells say is no result of this command, and hosts may say anything.
  for (const said of [child.stdout, child.stderr]) createInterface({ input: said }).on("line", say);
  let hardly: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill("SIGTERM");
    hardly = setTimeout(() => {
      child.kill("SIGKILL");
      // What it leaves behind may hold them open.
      for (const said of [child.stdout, child.stderr]) said.destroy();
    }, parallelsEnd_ms);
  };
  interruption.signal.addEventListener("abort", end, { once: true });
  try {
    await once(child, "close");
    return interruption.received();
  } finally {
    clearTimeout(hardly);
    interruption.ignore();
  }
}

/** Runs the cells, whatever becomes of them: their shards say. The signal that stopped it, or null. */
export async function runThere(
  terms: SshTerms,
  remotes: readonly Remote[],
  cells: readonly number[],
  sent: { home: string; digests: Readonly<Record<string, string>>; files: readonly string[] },
): Promise<Stop | null> {
  const packed = await packFolder(sent.home, sent.digests, sent.files);
  const ready: string[] = [];
  try {
    // One after another: hosts may share their users' homes.
    for (const remote of remotes) {
      const why = await refusal(async () => {
        if (await ship(remote, packed.path)) terms.say(`${remote.host}: recordings sent`);
      });
      if (why === null) ready.push(remote.host);
      else terms.say(`${why}; not used`);
    }
  } finally {
    await packed.remove();
  }
  if (ready.length === 0) throw new RunError("no host has the recordings: see above");
  return await runParallel(parallelWords(terms, ready, cells));
}
