// What Trilane needs of a machine: each requirement is tried for real and, where it fails, comes with its remedy.
// Changes nothing. Does not print.
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { freeBytes } from "../../base/disk_room.ts";
import { RunError, UserError } from "../../base/errors.ts";
import { existingFolder } from "../../base/home.ts";
import { formatSize } from "../../base/numbers.ts";
import { checkout, chromiumPath, type Program, programPath } from "../../base/programs.ts";
import { shellWord } from "../../base/shell_word.ts";
import { majorVersion } from "../../browser/browser_binary.ts";
import { scratchParent } from "../../browser/scratch.ts";
import { applicationId as resultsApplicationId } from "../../results/store/database.ts";
import { explainFailure } from "../../results/store/failure.ts";
import { openSqlite } from "../../results/store/sqlite.ts";
import { isInstalled, requirements } from "../requirements.ts";
import { attempt, type Check, checkNames, firstLine, ok } from "./check.ts";
import { hostChecks } from "./host_checks.ts";

export type { Check };

function node(): Check {
  const major = Number(process.versions.node.split(".")[0]);
  if (major >= 24) return ok("Node", process.versions.node);
  return { name: "Node", outcome: "missing", found: process.versions.node, remedy: "start it as `npx trilane`" };
}

const programs = (
  [
    "trilane-host",
    "trilane-replay",
    "trilane-server",
    "trilane-shaper",
    "trilane-probe",
    "trilane-flows",
    "trilane-command",
    "trilane-fetch",
    "trilane-guard",
  ] satisfies Program[]
).map((program) => () => attempt(program, "run `npm run setup`", () => firstLine(programPath(program), ["--version"])));

function browser(): Check {
  return attempt("Chromium", "install it (apt install chromium) or name it in TRILANE_BROWSER", () => {
    const path = chromiumPath();
    const printed = firstLine(path, ["--version"]);
    majorVersion(printed, path);
    return printed;
  });
}

/** Programs that loads and commands start: without those of `run` there are none, the others serve one command each. */
function systemPrograms(): Check[] {
  return requirements.flatMap(({ use, package: name, programs, why }) => {
    if ((use !== "run" && use !== "command") || programs.length === 0) return [];
    const missing = programs.filter((program) => !isInstalled(program));
    if (missing.length === 0) return [ok(programs.join(", "), why)];
    const outcome = use === "run" ? "missing" : "warning";
    const found = `not installed: ${missing.join(", ")}`;
    return [{ name: programs.join(", "), outcome, found, remedy: `apt install ${name}, for ${why}` }];
  });
}

function tun(): Check {
  return attempt(checkNames.tun, "load the module (modprobe tun) and let users open /dev/net/tun (chmod 666)", () => {
    try {
      accessSync("/dev/net/tun", constants.R_OK | constants.W_OK);
      return "/dev/net/tun can be opened";
    } catch (error) {
      if (shaperReport("device") !== "veth") throw error;
      return "/dev/net/tun cannot be opened: links use pairs of Ethernet devices (veth), as exact at 10 Mbit/s and nearly so up to 200; beyond, `trilane selftest LINK` says";
    }
  });
}

/** The switches by which systems forbid unprivileged user namespaces, each with its remedy. */
const namespaceSwitches: readonly { path: string; forbids: string; remedy: string }[] = [
  { path: "kernel/unprivileged_userns_clone", forbids: "0", remedy: "sysctl -w kernel.unprivileged_userns_clone=1" },
  {
    path: "kernel/apparmor_restrict_unprivileged_userns",
    forbids: "1",
    remedy: "install Trilane's AppArmor profile, as cli/install/apparmor.profile says",
  },
  { path: "user/max_user_namespaces", forbids: "0", remedy: "sysctl -w user.max_user_namespaces=10000" },
];

function namespaceRemedy(): string {
  const closed = namespaceSwitches.find(
    ({ path, forbids }) =>
      existsSync(`/proc/sys/${path}`) && readFileSync(`/proc/sys/${path}`, "utf8").trim() === forbids,
  );
  return closed
    ? `as root: ${closed.remedy}`
    : "allow unprivileged user namespaces (not possible inside a chroot; in a container `docker run --security-opt seccomp=cli/install/seccomp.json`)";
}

const withAbsolutePaths = (text: string): string =>
  text.replaceAll(/\bcli\/install\//g, `${join(checkout, "cli", "install")}/`);

/** What the shaper says of why it cannot run often names the remedy, and knows better than what can be seen from here. */
export function labFailure(check: Check): Check {
  if (check.outcome === "ok") return check;
  const [, found = check.found, remedy = check.remedy] =
    /^(.*?): (run `.*|install .*|leave .*)$/.exec(check.found) ?? [];
  return { ...check, found, remedy: remedy && withAbsolutePaths(remedy) };
}

/** A whole lab, made and removed: namespaces, devices at both ends, the forwarding between them. */
function lab(): Check {
  const check = attempt(checkNames.lab, namespaceRemedy(), () => {
    firstLine(programPath("trilane-shaper"), ["--link", "10mbit/10ms", "--", "/bin/true"]);
    return "made and removed; `trilane selftest` measures how exact its link is";
  });
  return labFailure(check);
}

/** A lab, and what it may do here: the latter is only known with the former. */
function labs(): Check[] {
  const made = lab();
  if (made.outcome === "ok") return [made, scheduling(), precedence(), quickWakeUps()];
  const untried = { outcome: "warning", found: "not tried: no lab can be made here" } as const;
  const remedy = "make labs work first, see above";
  return [
    made,
    ...[checkNames.scheduling, precedenceName, checkNames.wakeUps].map((name) => ({ name, ...untried, remedy })),
  ];
}

/** What a shaper's report says of how it ran. */
function shaperReport(member: "scheduling" | "cpu_idle" | "device"): unknown {
  const folder = mkdtempSync(join(tmpdir(), "trilane-doctor-"));
  try {
    const path = join(folder, "shaper.json");
    firstLine(programPath("trilane-shaper"), ["--link", "10mbit/10ms", "--report", path, "--", "/bin/true"]);
    const report: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof report === "object" && report !== null ? (report as Record<string, unknown>)[member] : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const precedenceName = "precedence";

/** Whether the link may run before the browser does (native-host/base/schedule.h); it works without, less exactly. */
function scheduling(): Check {
  const remedy = withAbsolutePaths(
    "as root: cp cli/install/limits.conf /etc/security/limits.d/trilane.conf, then log in again; without it more loads are " +
      "invalid because a busy machine made the link late",
  );
  return attempt(
    checkNames.scheduling,
    remedy,
    () => {
      const found = shaperReport("scheduling");
      if (found !== "fifo") throw new RunError(`not allowed; the shaper runs with: ${found}`);
      return "the link runs before the browser";
    },
    "warning",
  );
}

/** Whether labs get CPU time before other sessions' programs (cli/base/precedence.ts); loads count without it. */
function precedence(): Check {
  const remedy =
    "if other programs keep this machine busy, run Trilane as root on a kernel with autogroups (sysctl kernel.sched_autogroup_enabled=1); " +
    "without it intervals are wider there";
  return attempt(
    precedenceName,
    remedy,
    () => {
      const path = "/proc/sys/kernel/sched_autogroup_enabled";
      if (!existsSync(path) || readFileSync(path, "latin1").trim() !== "1")
        throw new RunError("this kernel does not share CPUs between sessions");
      if (process.getuid?.() !== 0) throw new RunError("only root may raise a session's share of the CPUs");
      return "labs get CPU time before other sessions' programs";
    },
    "warning",
  );
}

/** Whether idle CPUs may be kept awake while a lab runs (native-host/base/schedule.h); it works without, less exactly. */
function quickWakeUps(): Check {
  const remedy =
    'as root: echo \'KERNEL=="cpu_dma_latency", MODE="0666"\' > /etc/udev/rules.d/70-trilane.rules && udevadm trigger; ' +
    "without it some packets are late by tenths of a millisecond";
  return attempt(
    checkNames.wakeUps,
    remedy,
    () => {
      if (shaperReport("cpu_idle") !== "shallow")
        throw new RunError("/dev/cpu_dma_latency cannot be opened for writing");
      return "CPUs do not sleep deeply while a lab runs";
    },
    "warning",
  );
}

function congestionControl(): Check {
  return attempt(checkNames.cubic, "load the module (modprobe tcp_cubic)", () => {
    const available = readFileSync("/proc/sys/net/ipv4/tcp_available_congestion_control", "utf8").trim();
    if (!available.split(" ").includes("cubic")) throw new RunError(`the kernel offers only: ${available}`);
    return `the kernel offers ${available}`;
  });
}

/** Without those of ours (native-host/congestion/) all else works: set-up could not build them into this quiche. */
function quicCongestionControl(): Check {
  const remedy =
    "run `npm run setup`; cubic-n1 and its like come only with the quiche that native-host/quic/Cargo.lock names";
  return attempt(
    "QUIC's congestion control",
    remedy,
    () => {
      const found = firstLine(programPath("trilane-replay"), ["--print-congestion"]);
      if (!found.includes("cubic-n1")) throw new RunError(`only ${found}`);
      return found;
    },
    "warning",
  );
}

/** What walls in our programs once they serve strangers (SECURITY.md). */
function walls(): Check {
  const name = "walls around programs";
  const remedy = "use a kernel with seccomp and Landlock (5.13 or later, `lsm=landlock,...`)";
  const check = attempt(name, remedy, () => firstLine(programPath("trilane-guard"), ["--walls"]), "warning");
  if (check.outcome !== "ok" || check.found.endsWith("files")) return check;
  return { name, outcome: "warning", found: `${check.found}; not files: this kernel has no Landlock`, remedy };
}

function cores(): Check {
  const count = availableParallelism();
  if (count >= 2) return ok("CPU cores", String(count));
  const remedy = "measure on a machine with 2 cores or more: browser and shaper would wait for each other here";
  return { name: "CPU cores", outcome: "warning", found: String(count), remedy };
}

const roomNeeded_bytes = 500e6;

const inWords = (free_bytes: number): string =>
  Number.isFinite(free_bytes) ? `${(free_bytes / 1e9).toFixed(1)} GB free` : "free room unknown";

function dataFolder(home: string): Check {
  const check = attempt("data folder", "name another one with --home or TRILANE_HOME", () => {
    const folder = existingFolder(home);
    if (!statSync(folder).isDirectory()) throw new RunError(`${folder} is a file`);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    // /proc and its like report neither that they cannot be written nor their free room.
    const free_bytes = freeBytes(folder);
    if (!Number.isFinite(free_bytes)) rmdirSync(mkdtempSync(join(folder, ".trilane-")));
    if (free_bytes < roomNeeded_bytes) throw new RunError(`${home}: only ${inWords(free_bytes)}`);
    return `${home}, ${inWords(free_bytes)}`;
  });
  const mode = (statSync(home, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if (check.outcome !== "ok" || (mode & 0o077) === 0) return check;
  const found = `${home}: open to other users (mode ${mode.toString(8)}): its recordings may hold what pages show you`;
  return { name: check.name, outcome: "warning", found, remedy: `chmod 700 ${shellWord(home)}` };
}

function loadsFolder(): Check {
  return attempt("folder of loads", "free some, or name another folder in TMPDIR", () => {
    const folder = scratchParent();
    return `${folder}, ${inWords(freeBytes(folder))}`;
  });
}

/** A larger one is not read whole, which takes seconds for each gigabyte. */
const wholeCheck_bytes = 200e6;

interface DataFile {
  readonly file: string;
  readonly holds: string;
  /** `PRAGMA application_id`, in schemas/archive.sql and schemas/results.sql. */
  readonly applicationId: number;
}

const dataFiles: readonly DataFile[] = [
  { file: "archive.db", holds: "recordings", applicationId: 1953655148 },
  { file: "results.db", holds: "results", applicationId: resultsApplicationId },
];

/** Opened and read as far as it takes to tell that it is ours and whole; nothing in it is changed. */
function dataFile(home: string, { file, holds, applicationId }: DataFile): Check {
  const path = join(home, file);
  const remedy = `move it away (or repair it with \`sqlite3 ${path} .recover\`), or name another folder with --home`;
  return attempt(holds, remedy, () => {
    const { size } = statSync(path);
    const database = openSqlite(path, { timeout: 5000 });
    try {
      // One transaction: between two reads another process may make the tables.
      database.exec("PRAGMA query_only = ON; BEGIN");
      const found = database.prepare("PRAGMA application_id").get()?.application_id;
      const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
      if (isEmpty && found === 0) return `${path}, empty`;
      if (found !== applicationId) throw new RunError(`${path}: not Trilane's ${holds}`);
      if (size > wholeCheck_bytes) return `${path}, ${formatSize(size)}, not read whole`;
      const [row] = database.prepare("PRAGMA quick_check(1)").all();
      if (row?.quick_check !== "ok") throw new RunError(`${path}: damaged`);
      return `${path}, ${formatSize(size)}`;
    } catch (error) {
      throw doctored(explainFailure(error, path));
    } finally {
      database.close();
    }
  });
}

/** The remedy stands beside it. */
const doctored = (error: unknown): unknown => (error instanceof UserError ? new RunError(error.message) : error);

/** Copies of databases from before they were migrated: users forget them. */
function keptCopies(home: string): Check[] {
  const names = readdirSync(home).filter((name) => /^(archive|results)\.db\.v\d+-backup(-\d+)?$/.test(name));
  if (names.length === 0) return [];
  const bytes = names.reduce((sum, name) => sum + statSync(join(home, name)).size, 0);
  return [ok("copies from before updates", `${names.join(", ")}, ${formatSize(bytes)}: yours to remove`)];
}

/** The home, and what is in it: that a new one has no databases is no fault. */
export function dataChecks(home: string): Check[] {
  const there = dataFiles.filter(({ file }) => existsSync(join(home, file)));
  return [
    dataFolder(home),
    ...there.map((each) => dataFile(home, each)),
    ...(there.length > 0 ? keptCopies(home) : []),
  ];
}

/** All checks in the order a set-up would go; each takes well under a second but the lab's and the browser's. */
export function runChecks(home: string): Check[] {
  return [
    node(),
    ...programs.map((check) => check()),
    browser(),
    tun(),
    ...labs(),
    congestionControl(),
    quicCongestionControl(),
    walls(),
    cores(),
    ...systemPrograms(),
    ...hostChecks(),
    loadsFolder(),
    ...dataChecks(home),
  ];
}
