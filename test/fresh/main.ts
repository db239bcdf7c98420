// `npm run bench -- fresh`: the README's commands on machines that nobody prepared. Makes clean root file systems of Debian, runs
// the commands in them as root and as an ordinary user, and prints a table. Exit status 1 if one failed. What runs is what is
// committed; `deb` and `npm`: what `npm run packages` made. Needs root and mmdebstrap; leaves nothing but the logs in build/fresh. Options: --root NAME,... --user root|ordinary
// --command setup|start|test|deb|npm,... --limit MINUTES (of each command) --folder PARENT (of the roots; else /var/tmp) --json.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkout } from "../../cli/base/programs.ts";
import { textTable } from "../../cli/base/text_table.ts";
import { notInstalled } from "../../cli/install/requirements.ts";
import { type Ending, lastLine, type Outcome, outcomeOf } from "./outcome.ts";

/** As people have them: npm is what the README asks for. */
const minimal = ["npm", "sudo"];
/** With the things that once misled set-up: LLVM without libclang, and a Rust that is too old. */
const developers = [...minimal, "git", "build-essential", "python3", "clang-format", "llvm-runtime", "rustc", "cargo"];

const roots = {
  "debian-12-bare": { suite: "bookworm", packages: ["sudo", "git"] },
  "debian-13-bare": { suite: "trixie", packages: ["sudo", "git"] },
  "debian-12-minimal": { suite: "bookworm", packages: minimal },
  "debian-12-developer": { suite: "bookworm", packages: developers },
  "debian-13-minimal": { suite: "trixie", packages: minimal },
  "debian-13-developer": { suite: "trixie", packages: developers },
} as const;
type RootName = keyof typeof roots;
const rootNames = Object.keys(roots) as RootName[];

const users = { root: "root", ordinary: "fresh" } as const;
type UserName = keyof typeof users;

const commands = {
  setup: { words: ["npm", "run", "setup"], limit_min: 40 },
  start: { words: ["npm", "start"], limit_min: 60 },
  test: { words: ["npm", "test"], limit_min: 100 },
  deb: { words: ["bash", "test/fresh/deb.sh"], limit_min: 10 },
  npm: { words: ["bash", "test/fresh/npm.sh"], limit_min: 10 },
} as const;
export type CommandName = keyof typeof commands;

/** What these roots share with this machine, so that nothing is said of it. */
const notCovered = [
  "the kernel and its switches (sysctl, AppArmor) are this machine's: a root cannot have its own",
  "devices are made as udev makes them, /dev/net/tun for everyone; udev itself does not run",
  "systemd, D-Bus and snaps do not run: limits.d, user units and Ubuntu's snap of Chromium are not tried",
  "Ubuntu: its packages have other names and versions, and its archive is not among this machine's",
];

const say = (line: string): void => console.error(`fresh: ${line}`);

interface Row extends Outcome {
  readonly root: RootName;
  readonly user: UserName;
  readonly command: CommandName;
  readonly took_s: number;
}

/** Mounts and processes that go when this process does, whatever ends it. */
const confined = ["--pdeathsig", "KILL", "unshare", "--mount", "--mount-proc", "--pid", "--ipc", "--uts", "--fork"];

/** The one there is now, so that a signal ends it. */
let running: ReturnType<typeof spawn> | null = null;

/** Runs a script of this folder. */
function run(script: string, words: readonly string[], log: string, limit_min: number): Promise<Ending> {
  const output = openSync(log, "w");
  return new Promise((resolve, reject) => {
    const program = [...confined, "--kill-child=KILL", "bash", join(import.meta.dirname, script), ...words];
    const child = spawn("setpriv", program, { stdio: ["ignore", output, output] });
    closeSync(output);
    running = child;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, limit_min * 60_000);
    child.once("error", reject);
    child.once("close", (status) => {
      clearTimeout(timer);
      running = null;
      resolve({ status, isLate, limit_min, output: readFileSync(log, "utf8") });
    });
  });
}

/** Only what earlier runs that were killed left. */
function removeLeft(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(/^trilane-fresh-([0-9]+)-/.exec(name)?.[1]);
    if (pid > 0 && !statSync(`/proc/${pid}`, { throwIfNoEntry: false }))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** The values of an option, each checked; all of them if it is not given. */
function chosen<Name extends string>(option: string, given: string | undefined, known: readonly Name[]): Name[] {
  if (given === undefined) return [...known];
  return given.split(",").map((word) => {
    const name = known.find((each) => each === word);
    if (name === undefined) throw new Error(`--${option}: no ${JSON.stringify(word)}: use ${known.join(", ")}`);
    return name;
  });
}

const minutes = (seconds: number): string => `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;

function table(rows: readonly Row[]): string[] {
  const cells = rows.map((row) => [
    row.root,
    row.user,
    row.command,
    row.result,
    minutes(row.took_s),
    row.last.slice(0, 100),
  ]);
  return textTable([["root", "user", "command", "result", "time", "last line"], ...cells]);
}

async function makeRoot(name: RootName, folder: string, logs: string): Promise<string | null> {
  const { suite, packages } = roots[name];
  const log = join(logs, `${name}.log`);
  say(`${name}: making the root (log: ${log})`);
  const { status, output } = await run("make_root.sh", [folder, checkout, suite, ...packages], log, 20);
  return status === 0 ? null : lastLine(output);
}

async function main(): Promise<number> {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { root: text, user: text, command: text, limit: text, folder: text, json: { type: "boolean" } },
  });
  // Those that have no npm are for packages alone.
  const wantedRoots = chosen(
    "root",
    values.root ?? rootNames.filter((name) => name.endsWith("-bare") === (values.command === "deb")).join(","),
    rootNames,
  );
  const wantedUsers = chosen("user", values.user, Object.keys(users) as UserName[]);
  // As the README has them: setup alone only if it is asked for.
  const wantedCommands = chosen("command", values.command ?? "start,test", Object.keys(commands) as CommandName[]);
  const limit_min = values.limit === undefined ? null : Number(values.limit);
  if (limit_min !== null && !(limit_min > 0)) throw new Error("--limit: minutes above 0");
  if (process.getuid?.() !== 0) throw new Error("needs root, to make and enter root file systems: run it with sudo");
  const lacking = notInstalled(["mmdebstrap"]);
  if (lacking !== null) throw new Error(lacking);

  // Gigabytes: not in /tmp, which may be memory.
  const parent = values.folder ?? "/var/tmp";
  removeLeft(parent);
  const place = mkdtempSync(join(parent, `trilane-fresh-${process.pid}-`));
  const remove = (): void => rmSync(place, { recursive: true, force: true });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      running?.kill("SIGKILL");
      running?.once("close", () => {
        remove();
        process.exit(130);
      });
      if (!running) process.exit(130);
    });
  process.on("exit", remove);
  const logs = join(checkout, "build", "fresh");
  mkdirSync(logs, { recursive: true });

  const rows: Row[] = [];
  for (const root of wantedRoots) {
    const folder = join(place, root);
    const made_ms = performance.now();
    const problem = await makeRoot(root, folder, logs);
    for (const user of wantedUsers) {
      // Both commands one after the other on the same machine, a new one for each user.
      const changes = join(place, "changes");
      mkdirSync(changes, { recursive: true });
      for (const command of wantedCommands) {
        if (problem !== null) {
          const took_s = (performance.now() - made_ms) / 1000;
          rows.push({ root, user, command, took_s, passed: false, result: "no root", last: problem });
          continue;
        }
        const log = join(logs, `${root}-${user}-${command}.log`);
        say(`${root}, ${user}: ${commands[command].words.join(" ")} (log: ${log})`);
        const began_ms = performance.now();
        const words = [folder, changes, users[user], ...commands[command].words];
        const ending = await run("enter.sh", words, log, limit_min ?? commands[command].limit_min);
        const row = {
          root,
          user,
          command,
          took_s: (performance.now() - began_ms) / 1000,
          ...outcomeOf(command, ending),
        };
        say(`${root}, ${user}: ${row.result}: ${row.last}`);
        rows.push(row);
      }
      rmSync(changes, { recursive: true, force: true });
    }
    rmSync(folder, { recursive: true, force: true });
  }
  if (values.json) console.log(JSON.stringify({ schema: "trilane/fresh/1", rows, not_covered: notCovered }));
  else
    console.log(
      [...table(rows), "", "Not covered by these roots:", ...notCovered.map((each) => `- ${each}`)].join("\n"),
    );
  return rows.every(({ passed }) => passed) ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
