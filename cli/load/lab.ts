// One lab's command line: trilane-replay makes the far namespace and serves the recording, trilane-shaper the near one
// behind the link, and the command runs in it. With flows, trilane-flows stands at both ends of the link. Composes such command
// lines, runs one (runLab), and tries whether this machine allows a lab.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { debugLine } from "../base/debug.ts";
import { RunError, UserError } from "../base/errors.ts";
import { takePrecedence } from "../base/precedence.ts";
import { type Exit, exitOf, killedBy, killGroup, settles } from "../base/process_group.ts";
import { programPath } from "../base/programs.ts";
import { ProgramFailure, runProgram } from "../base/run_program.ts";
import type { StartError } from "../browser/browser.ts";
import { refuseChangedFiles } from "../link/files.ts";
import { askAhead, defaultSeed, formatLink, type LinkProfile } from "../link/link.ts";

// A lab's command line, or that of one of our programs outside of labs, from its start to its end: everything it started is gone when
// this settles, whoever ended it. Reads no file that it left and judges nothing.

/** A lab's far end gives its command 3 s, and writes its report then. */
const terminatePatience_ms = 5000;

export interface LabEnd {
  readonly exit: Exit;
  /** It took longer than it may, and was ended. */
  readonly timedOut: boolean;
}

/** Why it left no record. UserError and RunError for what would fail every attempt. `what`: it runs in the lab, for `limit_ms` at most. */
export function labFailure({ exit, timedOut }: LabEnd, what: string, limit_ms: number): string {
  if (timedOut) return `${what} had not ended after ${(limit_ms / 1000).toFixed(0)} s`;
  const killed = killedBy(exit);
  if (killed !== null) return `${what} was killed (${killed})`;
  const line = exit.stderr.trim().split("\n").at(-1) ?? "";
  const reason = line.replace(/^trilane-[a-z]+: /, "") || `${what} ended with status ${exit.code} and left no record`;
  if (exit.code === 2) throw new UserError(reason);
  // It could not even be started.
  if (exit.code === null && exit.signal === null) throw new RunError(reason);
  return reason;
}

interface LabLimits {
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
  /** Given what its programs print, piece by piece. Default: that is dropped. */
  readonly printed?: (text: string) => void;
  /** Default: ours. */
  readonly environment?: NodeJS.ProcessEnv;
  /** The only CPUs that it may run on. Default: all. */
  readonly cpus?: readonly number[] | undefined;
}

/** Resolves when all is gone: by itself, for it took too long, or because the signal came. */
export async function runLab(
  commandLine: readonly string[],
  { timeout_ms, signal, printed, environment = process.env, cpus }: LabLimits,
): Promise<LabEnd> {
  signal.throwIfAborted();
  const [program = "", ...words] = [...boundTo(cpus), ...commandLine];
  debugLine("lab", () => [program, ...words].join(" "));
  // A process group of its own: Ctrl-C in the terminal is for the command line, which then ends the lab in order.
  const child = spawn(program, words, {
    detached: true,
    stdio: ["ignore", printed ? "pipe" : "ignore", "pipe"],
    env: environment,
  });
  if (printed) child.stdout?.setEncoding("utf8").on("data", printed);
  takePrecedence(child.pid);
  const exited = exitOf(child);
  // Killed with -9, we are missed by the far end itself (PR_SET_PDEATHSIG), which takes the rest with it.
  const onExit = (): void => killGroup(child, "SIGKILL");
  process.prependOnceListener("exit", onExit);
  const stopped = Promise.withResolvers<void>();
  const stop = (): void => stopped.resolve();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const ended = await settles(Promise.race([exited, stopped.promise]), timeout_ms);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      if (!(await settles(exited, terminatePatience_ms))) killGroup(child, "SIGKILL");
    }
    return { exit: await exited, timedOut: !ended };
  } finally {
    signal.removeEventListener("abort", stop);
    process.off("exit", onExit);
  }
}

// Which CPUs each of several labs has for itself. Pure but for reading what this process may run on; binds nothing.

/** The browser's main thread and its others, beside the server and the shaper, need two. */
const leastPerLab = 2;

/** As Linux writes sets of CPUs: `0-3,8`. */
export function parseCpuList(text: string): number[] {
  return text
    .trim()
    .split(",")
    .flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}

export function allowedCpus(): number[] {
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
  return list === undefined ? [] : parseCpuList(list);
}

/** Sets of neighbouring CPUs, as large as each other; null if there are too few for so many labs. */
export function labCpus(cpus: readonly number[], labs: number): number[][] | null {
  const each = Math.floor(cpus.length / labs);
  if (labs < 2 || each < leastPerLab) return null;
  return Array.from({ length: labs }, (_, lab) => cpus.slice(lab * each, (lab + 1) * each));
}

/** For the terms of a study. */
export function labsWords(labs: number, cpus: readonly number[]): string {
  if (labs === 1) return "one after another";
  const sets = labCpus(cpus, labs);
  const how = sets
    ? `each bound to ${sets[0]?.length} CPUs of its own`
    : `not bound to CPUs: ${cpus.length} are too few`;
  return `up to ${labs} side by side on slow links, ${how}`;
}

/** util-linux's taskset runs what follows with that set of CPUs, which its children inherit. */
export const boundTo = (cpus: readonly number[] | undefined): string[] =>
  cpus ? ["taskset", "-c", cpus.join(",")] : [];

export interface LabOptions {
  readonly home: string;
  /** null: no recording is served; the far namespace holds the link's other end and nothing else. */
  readonly recording: string | null;
  /** Without a recording: the words that make the far namespace. Default: none, the shaper makes an empty one. */
  readonly far?: readonly string[];
  readonly link: LinkProfile;
  /** Files to write; null: none. */
  readonly reports: { readonly replay: string; readonly shaper: string } | null;
  /** Further options of trilane-replay: what the lane asks of the origins, how they serve. */
  readonly replayOptions?: readonly string[];
  /** Further options of trilane-shaper: what it shall leave behind, its control socket. */
  readonly shaperOptions?: readonly string[];
  /** The words that run another server in front of trilane-replay. Default: none. */
  readonly server?: readonly string[];
  /** Bulk flows that run beside the command. Default: none. */
  readonly flows?: LabFlows;
}

/** Paths of a run of trilane-flows. */
export interface LabFlows {
  /** RUN.json (schemas/flow-run.schema.json). */
  readonly run: string;
  readonly near: FlowEndFiles;
  readonly far: FlowEndFiles;
  /** Where the near end says when the run began; null: nowhere. */
  readonly begun: string | null;
  /** A folder for a qlog of each QUIC connection; null: none are written. */
  readonly qlogs: string | null;
}

interface FlowEndFiles {
  readonly report: string;
  /** null: none are taken. */
  readonly samples: string | null;
}

interface LabCommand {
  /** trilane-replay, and the far end of flows. */
  readonly replay: readonly string[];
  /** trilane-shaper, and the near end of flows. Up to and with the last `--`: the command to run in the near namespace follows. */
  readonly shaper: readonly string[];
}

/** A sweep gives each load's link a seed of its own: what is said of the link with the default one serves all. */
const unseeded = (link: LinkProfile): LinkProfile => ({ ...link, seed: defaultSeed });

/** For labs over these links, all at once: else the first lab over each waits for its form, and everything beside it. */
export function askLabLinks(links: readonly LinkProfile[]): void {
  askAhead(links.map(unseeded));
}

function flowsEnd(end: "near" | "far", { run, begun, qlogs, ...ends }: LabFlows): string[] {
  const { report, samples } = ends[end];
  return [
    ...[programPath("trilane-flows"), end, run, "--report", report],
    ...(samples === null ? [] : ["--samples", samples]),
    ...(end === "near" && begun !== null ? ["--begun", begun] : []),
    ...(qlogs === null ? [] : ["--qlog", qlogs]),
    "--",
  ];
}

/** @throws UserError if a file that the link names is not what it was when the link was planned */
export function labCommand({
  home,
  recording,
  far: farSide = [],
  link,
  reports,
  replayOptions = [],
  shaperOptions = [],
  server = [],
  flows,
}: LabOptions): LabCommand {
  refuseChangedFiles(link);
  const replay =
    recording === null
      ? farSide
      : [
          programPath("trilane-replay"),
          ...["--home", home, "--recording", recording],
          ...(reports ? ["--report", reports.replay] : []),
          ...replayOptions,
          "--",
        ];
  const far = flows ? flowsEnd("far", flows) : [];
  const shaper = [
    programPath("trilane-shaper"),
    ...["--link", formatLink(unseeded(link))],
    ...(link.seed === defaultSeed ? [] : ["--seed", String(link.seed)]),
    ...(reports ? ["--report", reports.shaper] : []),
    // trilane-replay sees to it if there is one: a killed command leaves no lab.
    ...(recording === null ? ["--die-with-parent"] : []),
    ...shaperOptions,
    // The near end may choose any congestion control of the kernel; it gives its command none of the capabilities.
    ...(flows ? ["--keep-capabilities", "--", ...flowsEnd("near", flows)] : ["--"]),
  ];
  return { replay: [...replay, ...server, ...far], shaper };
}

/**
 * For a user's command behind a link: no proxies, which nothing in a lab can reach; and the origins' certificate authority where programs look for one. Browsers look
 * in none of these: what Chromium's --ignore-certificate-errors-spki-list takes is in TRILANE_SPKI_LIST.
 */
export function commandEnvironment(
  authority: { readonly home: string; readonly spkis: string } | null,
): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(https?|ftp|all|no)_proxy$/i.test(name));
  if (authority === null) return Object.fromEntries(own);
  const file = join(authority.home, "ca", "ca.pem");
  return {
    ...Object.fromEntries(own),
    CURL_CA_BUNDLE: file,
    SSL_CERT_FILE: file,
    NODE_EXTRA_CA_CERTS: file,
    TRILANE_SPKI_LIST: authority.spkis,
  };
}

/** Why one of our programs ended, by its last line, which it begins with its name. */
function failureOf(program: string, error: unknown): unknown {
  if (!(error instanceof ProgramFailure)) return error;
  const { status, lastLine, message } = error;
  const why = lastLine ? lastLine.replace(`${program}: `, "") : `${program} ended without a word: ${message}`;
  return status === 2 ? new UserError(why) : new RunError(why);
}

const ownLine = /^trilane-(replay|server|shaper|flows): /;

/** Our own programs say in their last line why they cannot run: that is no accident of one load. */
export function throwWhatFailsEveryLoad(error: StartError): void {
  const line = error.exit?.stderr
    .trim()
    .split("\n")
    .find((text) => ownLine.test(text));
  if (!line) return;
  const message = line.replace(ownLine, "");
  throw error.exit?.code === 2 ? new UserError(message) : new RunError(message);
}

/** Of Node, its modules and pipes, and the browser; a page of 100 hosts on h1 takes some hundreds in the browser. */
const leastDescriptors = 256;

/** UserError if this process may open too few files: what then fails is a module that is loaded, in the midst of a load. */
export function refuseFewDescriptors(limits = readFileSync("/proc/self/limits", "latin1")): void {
  const allowed = /^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1];
  if (allowed === undefined || Number(allowed) >= leastDescriptors) return;
  throw new UserError(
    `this process may open ${allowed} files, and a lab needs ${leastDescriptors}: allow more (ulimit -n 4096, or nofile in /etc/security/limits.conf)`,
  );
}

/** Makes an empty lab and removes it (10 ms). @throws UserError or RunError if this machine allows none */
export async function tryLab(): Promise<void> {
  refuseFewDescriptors();
  const path = programPath("trilane-shaper");
  try {
    await runProgram(path, ["--link", "10mbit/10ms", "--", "/bin/true"]);
  } catch (error) {
    throw failureOf("trilane-shaper", error);
  }
}

const spkiLists = new Map<string, Promise<string>>();

/** The keys that a browser has to trust for this home's origins; makes them at first use. */
export function spkiList(home: string): Promise<string> {
  const known = spkiLists.get(home);
  if (known) return known;
  const list = askSpkiList(home);
  spkiLists.set(home, list);
  // A failure may pass (a full disk), so it is not remembered.
  list.catch(() => spkiLists.delete(home));
  return list;
}

async function askSpkiList(home: string): Promise<string> {
  const program = programPath("trilane-replay");
  try {
    return (await runProgram(program, ["--home", home, "--print-spki"])).trim();
  } catch (error) {
    throw failureOf("trilane-replay", error);
  }
}
