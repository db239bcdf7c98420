// A sweep of each instrument, stopped by SIGINT, SIGTERM and SIGHUP and killed with -9 in an attempt, each time at a moment of chance,
// and begun again by the same command: in the end it has each attempt once, and nothing stays behind.
// Beside others: nothing here depends on how busy the machine is.
// Long: six runs of each instrument.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { randomSource } from "../../cli/base/random.ts";
import { type LocalServers, startServers } from "../fetch/local_servers.ts";
import { familyOf, labFolders, labProcesses, living, type Started, start } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import {
  fetchesFrom,
  flowsBeside,
  type Interruptible,
  interruptibles,
  isBegun,
  isEnded,
  type Stored,
  storedIn,
  tasksWrong,
} from "./interruptible.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const;

/** Each signal drops an attempt after one was stored, of the shorter ones and of those side by side after two. */
const tasks = { pages: 6, flows: 12, fetches: 24, commands: 10 } as const;
/** Resolves when an attempt is stored and another one is under way. */
async function inAttempt({ events, until }: Started): Promise<void> {
  await until("an attempt is stored and another one under way", () => {
    const stored = events.findLastIndex(isEnded);
    return stored >= 0 && events.findLastIndex(isBegun) > stored;
  });
}

describe("stopped, killed and resumed", () => {
  let servers: LocalServers;
  before(async () => {
    servers = await startServers((path) => `this is ${path}`);
  });
  after(() => servers.close());

  for (const name of Object.keys(tasks) as (keyof typeof tasks)[])
    test(`a sweep of ${name} has each attempt once, and leaves nothing behind`, async () => {
      const home = tempFolder(`trilane-interrupted-`);
      const seed = Date.now() % 1_000_000;
      const random = randomSource(seed, name);
      const instruments: Record<typeof name, Interruptible> = {
        ...interruptibles,
        ...{ flows: flowsBeside, fetches: fetchesFrom(servers) },
      };
      const instrument = instruments[name];
      const plan = join(home, "plan.json");
      writeFileSync(plan, JSON.stringify(instrument.plan(tasks[name] / instrument.each)));
      const words = ["sweep", plan, "--json", ...(instrument.words ?? [])];
      const stored = (): Stored => storedIn(home, instrument);
      const ids = (): number[] => stored().rows.map(({ id }) => id);
      const said = (more: unknown): string => `seed ${seed}: ${JSON.stringify(more)}`;

      let kept: number[] = [];
      for (const [times, signal] of signals.entries()) {
        const started = start(home, words);
        await inAttempt(started);
        await delay(random() * 200);
        const seen = familyOf(started.pid);
        // As a terminal does it for Ctrl-C: to the whole process group. -9 meets us alone.
        process.kill(signal === "SIGKILL" ? started.pid : -started.pid, signal);
        const { status, signal: endedBy, stderr } = await started.ended;
        if (signal === "SIGKILL") assert.equal(endedBy, signal);
        else {
          assert.equal(status, 128 + constants.signals[signal], said(stderr));
          const last = started.events.at(-1);
          assert.ok(last?.event === "sweep-stopped" && last.signal === signal, said(last));
          assert.deepEqual([...labFolders(started.pid), ...labProcesses(started.pid)], [], signal);
        }
        assert.deepEqual(await living(seen), [], said(signal));
        assert.deepEqual(labProcesses(started.pid), [], signal);
        const begun = started.events.find(({ event }) => event === "sweep-started");
        assert.ok(begun?.event === "sweep-started" && begun.resumed === times > 0 && begun.sweep === 1, said(begun));
        const { rows, integrity, sweeps } = stored();
        assert.deepEqual([integrity, sweeps.length, sweeps[0]?.finished_at], ["ok", 1, null], said(signal));
        // What was stored is still there, and what was cut off is no row.
        assert.deepEqual(ids().slice(0, kept.length), kept, said(signal));
        assert.ok(rows.length > kept.length && rows.every(({ status: of }) => of !== "failed"), said(rows));
        kept = ids();
      }

      const resumed = start(home, words);
      const { status, stderr } = await resumed.ended;
      assert.equal(status, 0, said(stderr));
      const whole = stored();
      assert.deepEqual(ids().slice(0, kept.length), kept);
      assert.deepEqual(tasksWrong(whole.rows, tasks[name]), [], said(whole.rows));
      assert.deepEqual([whole.integrity, whole.sweeps.length], ["ok", 1]);
      const labs = instrument.words ? /^up to 2 side by side on slow links, / : /^one after another$/;
      assert.match(String(whole.sweeps[0]?.environment.labs), labs);
      assert.notEqual(whole.sweeps[0]?.finished_at, null);
      // The folder of the one that was killed is the next one's to remove.
      assert.deepEqual([...familyOf(resumed.pid), ...labFolders(resumed.pid)], []);

      // A finished sweep is not resumed: the same command begins another one, and the first stays as it is.
      const another = start(home, words);
      await another.until("another sweep begins", () => another.events.some(isBegun));
      process.kill(-another.pid, "SIGINT");
      assert.equal((await another.ended).status, 130);
      const begun = another.events.find(({ event }) => event === "sweep-started");
      assert.ok(begun?.event === "sweep-started" && !begun.resumed && begun.sweep === 2, said(begun));
      assert.deepEqual(
        ids(),
        whole.rows.map(({ id }) => id),
      );
    });
});
