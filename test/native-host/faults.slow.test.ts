// Calls fail one after another in our programs: the n-th malloc, write, fsync, accept and so on, n counting up until nothing
// fails any more. Each time the program ends in order with one line, or continues; none crashes, hangs or leaves half of a recording.
// Takes some n; with TRILANE_WIDE more, and all calls after the n-th fail too. Each n by hand: TRILANE_FAULTS=all (an hour).
// Wide: native-host, shaper, cli/recording/archive.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { RunError, UserError } from "../../cli/base/errors.ts";
import { checkout, programPath } from "../../cli/base/programs.ts";
import { tempFolder } from "../temp_folder.ts";
import { hostWith, storeRecording, wholeRecordings } from "./stored_recordings.ts";

const folder = tempFolder("trilane-faults-");
const library = join(folder, "faults.so");
const source = join(checkout, "test", "native", "faults.c");
execFileSync("cc", ["-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-o", library, source]);

const isWide = (process.env.TRILANE_WIDE ?? "") !== "";
const isWhole = process.env.TRILANE_FAULTS === "all";
/** The next n: the first one, then ever fewer. */
const next = (number: number): number => (isWhole ? number + 1 : Math.ceil(number * (isWide ? 1.5 : 2.5)));

interface Fault {
  readonly call: string;
  readonly number: number;
  /** All calls after it fail, too. */
  readonly stays: boolean;
}

const variablesOf = ({ call, number, stays }: Fault, done: string): Record<string, string> => ({
  LD_PRELOAD: library,
  TRILANE_FAULT: `${call}:${number}`,
  TRILANE_FAULT_DONE: done,
  ...(stays ? { TRILANE_FAULT_STAYS: "1" } : {}),
});

/** Has `attempt` make its calls with ever later faults, until one is not met. Returns how many there were. */
async function sweep(call: string, attempt: (fault: Fault, done: string) => Promise<void> | void): Promise<number> {
  let met = 0;
  for (const stays of isWide || isWhole ? [false, true] : [false])
    for (let number = 1; ; number = next(number)) {
      const done = join(folder, "done");
      writeFileSync(done, "-");
      await attempt({ call, number, stays }, done);
      if (readFileSync(done, "utf8") === "-") break;
      met++;
    }
  return met;
}

for (const call of ["malloc", "write", "pwrite64", "fsync", "fdatasync", "renameat", "mkdirat", "openat"])
  test(`trilane-host stores a recording or leaves the archive as it was, whichever ${call} fails`, async () => {
    let homes = 0;
    const met = await sweep(call, async (fault, done) => {
      const home = join(folder, `${call}-${++homes}`);
      await storeRecording(home, "kept", programPath("trilane-host"));
      const program = hostWith(join(folder, "host"), variablesOf(fault, done));
      let error: unknown = null;
      await storeRecording(home, "new", program).catch((reason: unknown) => {
        error = reason;
      });
      const what = `${call} ${fault.number}${fault.stays ? " and on" : ""}: ${error}`;
      assert.ok(error === null || error instanceof RunError || error instanceof UserError, what);
      assert.doesNotMatch(String(error), /was killed by|\n/, what);
      const names = await wholeRecordings(home);
      assert.ok(names.includes("kept"), what);
      if (error === null) assert.ok(names.includes("new"), what);
      rmSync(home, { recursive: true });
    });
    assert.ok(met > 0 || call === "fdatasync" || call === "pwrite64", `${call} was never called`);
  });

const lab = join(folder, "lab");
const link = ["--link", "100mbit/1ms"];

/** What is run while calls of one of its programs fail. */
type Command = readonly string[];

/** A fetch from a replay over a link. */
function fetchOver(lane: string): Command {
  const shaper = [programPath("trilane-shaper"), ...link, "--"];
  const fetch = [programPath("trilane-fetch"), "--lane", lane, "--insecure", "--timeout", "2", "https://a.example/"];
  return [programPath("trilane-replay"), "--home", lab, "--recording", "page", "--", ...shaper, ...fetch];
}
/** Over each transport that has the call; memory over one, as there are hundreds of calls. */
const fetchesOf = (call: string): readonly Command[] => {
  const lanes = call === "malloc" ? ["h2"] : /mmsg$/.test(call) ? ["h3"] : ["h1", "h3"];
  return lanes.map(fetchOver);
};

const outputs = join(folder, "outputs");
const output = (name: string): string => join(outputs, name);

/** A flow of each transport. */
const flows = (): readonly Command[] => {
  const flow = { congestion: "cubic", direction: "down", start_ms: 0, duration_ms: null, size_bytes: 20_000 };
  const run = { schema: "trilane/flow-run/1", for_ms: 500, sample_ms: 50, ping_ms: 100 };
  const flows = ["tcp", "tls", "quic"].map((transport) => ({ transport, ...flow }));
  writeFileSync(join(folder, "run.json"), JSON.stringify({ ...run, flows }));
  const end = (name: string): string[] => [
    ...[programPath("trilane-flows"), name, join(folder, "run.json")],
    ...["--report", output(`${name}.json`), "--samples", output(`${name}.samples`)],
  ];
  return [[...end("far"), "--", programPath("trilane-shaper"), "--keep-capabilities", ...link, "--", ...end("near")]];
};
const recorded = ["--record", output("record.json"), "--output", output("printed")];
const timed: Command = [programPath("trilane-command"), ...recorded, "--", "sh", "-c", "echo 1; sleep 0.05 & echo 2"];
const guarded: Command = [programPath("trilane-guard"), "--", "bash", "-c", ": >/dev/tcp/127.0.0.1/9"];

interface Swept {
  readonly calls: readonly string[];
  readonly commands: (call: string) => readonly Command[];
  /** The status that it ends with when nothing fails; default 0. */
  readonly usual?: number;
}

/** What each of them begins with. */
const setUp = ["malloc", "epoll_create1", "epoll_ctl"];
const files = ["open", "fopen", "fclose"];
const serving = [...setUp, ...files, "socket", "timerfd_create"];
const programs: Readonly<Record<string, Swept>> = {
  "trilane-replay": {
    calls: [...serving, "signalfd", "fork", "write", "openat", "accept4", "recvmmsg", "sendmsg"],
    commands: fetchesOf,
  },
  "trilane-shaper": { calls: [...serving, "signalfd", "fork", "write"], commands: fetchesOf },
  "trilane-fetch": { calls: [...serving, "recvmmsg", "send", "recv"], commands: fetchesOf },
  "trilane-flows": {
    calls: [...serving, "signalfd", "fork", "write", "accept4", "recvmmsg", "send", "recv"],
    commands: flows,
  },
  "trilane-command": { calls: ["malloc", "open", "pipe2", "fork", ...files, "rename"], commands: () => [timed] },
  "trilane-guard": { calls: [...setUp, "signalfd", "write"], commands: () => [guarded], usual: 1 },
};

for (const [program, { calls, commands, usual = 0 }] of Object.entries(programs))
  for (const call of calls)
    test(`${program} ends in order, whichever ${call} fails`, async () => {
      if (!existsSync(lab)) await storeRecording(lab, "page", programPath("trilane-host"));
      let met = 0;
      for (const [first = "", ...words] of commands(call)) {
        let last: number | null = null;
        met += await sweep(call, (fault, done) => {
          rmSync(outputs, { recursive: true, force: true });
          mkdirSync(outputs);
          const { status, signal, stderr } = spawnSync(first, words, {
            env: { ...process.env, ...variablesOf(fault, done), TRILANE_FAULT_PROGRAM: program },
            encoding: "utf8",
            timeout: 120_000,
          });
          const what = `${call} ${fault.number}${fault.stays ? " and on" : ""}: ${signal ?? status} ${stderr}`;
          // So Rust, and with it quiche, ends without memory.
          if (/^memory allocation of \d+ bytes failed$/m.test(stderr)) return;
          assert.ok(signal === null && status !== null && status < 128, what);
          assert.doesNotMatch(stderr, /killed by|by signal|stack smashing|panicked/, what);
          assert.ok(stderr.trimEnd().split("\n").length <= 3, what);
          for (const name of readdirSync(outputs).filter((each) => each.endsWith(".json")))
            assert.doesNotThrow(() => JSON.parse(readFileSync(output(name), "utf8")), `${what}: half of ${name}`);
          last = status;
        });
        // The fetch's two seconds, which end the runs whose fault leaves it waiting, may be too few on a busy machine.
        if (last !== usual) {
          const patient = words.map((word, place) => (words[place - 1] === "--timeout" ? "60" : word));
          last = spawnSync(first, patient, { stdio: "ignore", timeout: 120_000 }).status;
        }
        assert.equal(last, usual, "what it ends with when nothing fails");
      }
      assert.ok(met > 0, `${program} never called ${call}`);
    });
