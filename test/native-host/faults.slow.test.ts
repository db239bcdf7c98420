// Calls fail one after another in the programs that serve: the n-th malloc, write, fsync, accept and so on, n counting up until nothing
// fails any more. Each time the program ends in order with one line, or continues; none crashes, hangs or leaves half of a recording.
// Takes some n; with TRILANE_WIDE more, and all calls after the n-th fail too. Each n by hand: TRILANE_FAULTS=all (an hour).
// Wide: native-host, shaper, cli/recording/archive.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { RunError, UserError } from "../../cli/base/errors.ts";
import { checkout, programPath } from "../../cli/base/programs.ts";
import { hostWith, storeRecording, wholeRecordings } from "./stored_recordings.ts";

const folder = mkdtempSync(join(tmpdir(), "trilane-faults-"));
after(() => rmSync(folder, { recursive: true, force: true }));
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
      rmSync(done, { force: true });
      await attempt({ call, number, stays }, done);
      if (!existsSync(done)) break;
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
/** Over each transport that has the call; memory over one, as there are hundreds of calls. */
const lanesOf = (call: string): readonly string[] =>
  call === "malloc" ? ["h2"] : /mmsg$/.test(call) ? ["h3"] : ["h1", "h3"];
const programs = {
  "trilane-replay": ["malloc", "write", "openat", "socket", "accept4", "recvmmsg", "sendmsg"],
  "trilane-shaper": ["malloc", "write", "openat", "socket"],
  "trilane-fetch": ["malloc", "write", "openat", "socket", "recvmmsg", "sendmsg"],
} as const;

for (const [program, calls] of Object.entries(programs))
  for (const call of calls)
    test(`${program} ends in order, whichever ${call} fails`, async () => {
      if (!existsSync(lab)) await storeRecording(lab, "page", programPath("trilane-host"));
      const shaper = ["--home", lab, "--recording", "page", "--", programPath("trilane-shaper"), ...link, "--"];
      for (const lane of lanesOf(call)) {
        const fetch = ["--lane", lane, "--insecure", "--timeout", "2", "https://a.example/"];
        await sweep(call, (fault, done) => {
          const words = [...shaper, programPath("trilane-fetch"), ...fetch];
          const { status, signal, stderr } = spawnSync(programPath("trilane-replay"), words, {
            env: { ...process.env, ...variablesOf(fault, done), TRILANE_FAULT_PROGRAM: program },
            encoding: "utf8",
            timeout: 30_000,
          });
          const what = `${lane} ${call} ${fault.number}${fault.stays ? " and on" : ""}: ${signal ?? status} ${stderr}`;
          // So Rust, and with it quiche, ends without memory.
          if (/^memory allocation of \d+ bytes failed$/m.test(stderr)) return;
          assert.ok(signal === null && status !== null && status < 128, what);
          assert.doesNotMatch(stderr, /killed by|signal|stack smashing|panicked/, what);
          assert.ok(stderr.trimEnd().split("\n").length <= 3, what);
        });
      }
    });
