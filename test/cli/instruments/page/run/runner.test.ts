// cli/instruments/page/run/runner.ts: every planned load exactly once, whatever is killed or fails; retries to the limit and no further.
// What all instruments have from the engine is test/cli/engine/runner.test.ts's.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { LoadRequest } from "../../../../../cli/instruments/page/run/request.ts";
import { type Load, openResults, type Sweep } from "../../../../../cli/results/store/results.ts";
import { placeDecisions } from "../../../../../cli/results/verdict/load_stopping_outcome.ts";
import { cellsOf } from "../../../../../cli/sweep/plan/plan.ts";
import type { SweepEvent } from "../../../../../schemas/generated/sweep_event.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { pageLoad } from "../../../sweep/page_load.ts";
import { fastPlan, fastRun, loggedLoads, storedLoads, validLoad } from "./fast_runner.ts";

const place = (load: Load) => `${load.page} ${load.link} ${load.lane} ${load.block}`;

function sweepsIn(home: string): Sweep[] {
  using results = openResults(home);
  return results.listSweeps();
}

const isFinished = (home: string): boolean => sweepsIn(home)[0]?.finished_at != null;

/** Every cell and block has one valid load, in the planned order, and nothing else is stored. */
function assertWhole(home: string, plan = fastPlan()): void {
  const loads = storedLoads(home);
  const expected = cellsOf(plan).flatMap((cell) =>
    Array.from({ length: plan.repetitions }, (_, block) => `${cell.page} ${cell.link} ${cell.lane} ${block}`),
  );
  assert.deepEqual(loads.map(place).sort(), expected.sort());
  assert.deepEqual(
    loads.map((load) => load.position),
    loads.map((_, index) => index),
  );
}

describe("runner", () => {
  let home: string;
  beforeEach(() => {
    home = tempFolder("trilane-runner-");
  });

  test("every planned load once, with what it was asked, and the sweep is finished", async () => {
    const plan = fastPlan({ timeout_s: 9, settle_ms: 30 });
    const asked: LoadRequest[] = [];
    const events: SweepEvent[] = [];
    const outcome = await fastRun({
      home,
      plan,
      measure: (request) => {
        asked.push(request);
        return validLoad(request);
      },
      tell: (event) => events.push(event),
    });
    const loads = cellsOf(plan).length * plan.repetitions;
    assert.deepEqual([outcome.state, outcome.done, outcome.all], ["finished", loads, loads]);
    assertWhole(home, plan);
    assert.ok(asked.every((request) => request.timeout_ms === 9000 && request.settle_ms === 30));
    assert.ok(
      asked.every(({ recording: { name, digest, url } }) => digest === `digest of ${name}` && url.includes(name)),
    );
    // The lanes of a page and link in a block meet the same losses, all others different ones.
    const places = new Set(cellsOf(plan).map(({ page, link }) => `${page} ${link}`)).size;
    assert.equal(new Set(asked.map((request) => request.link.seed)).size, plan.repetitions * places);
    assert.equal(events.filter((event) => event.event === "load-finished").length, loads);
    const last = events.at(-1);
    assert.ok(last?.event === "load-finished" && last.done === loads && last.left_s === 0);
    using results = openResults(home);
    assert.notEqual(results.listSweeps()[0]?.finished_at, null);
  });

  test("a load that is not valid is tried again at once, up to the limit, and every attempt is stored", async () => {
    const plan = fastPlan({ pages: ["a"], links: ["1mbit/20ms"], repetitions: 1, retries: 2 });
    const calls = new Map<string, number>();
    const outcome = await fastRun({
      home,
      plan,
      async measure(request) {
        const { lane, link, recording } = request;
        const call = (calls.get(lane) ?? 0) + 1;
        calls.set(lane, call);
        // h1 works, h2 crashes once, h3 is never valid.
        const status = lane === "h1" || (lane === "h2" && call > 1) ? "valid" : lane === "h2" ? "failed" : "invalid";
        const reasons = status === "valid" ? [] : [`${lane} did not work`];
        return pageLoad({ page: "a", recording_digest: recording.digest, lane, link, status, reasons });
      },
    });
    assert.deepEqual(Object.fromEntries(calls), { h1: 1, h2: 2, h3: 3 });
    assert.deepEqual([outcome.state, outcome.done], ["finished", 3]);
    const statuses = (lane: string) =>
      storedLoads(home)
        .filter((load) => load.lane === lane)
        .map((load) => `${load.attempt} ${load.status} ${load.reasons.join()}`);
    assert.deepEqual(statuses("h1"), ["0 valid "]);
    assert.deepEqual(statuses("h2"), ["0 failed h2 did not work", "1 valid "]);
    assert.deepEqual(
      statuses("h3"),
      [0, 1, 2].map((attempt) => `${attempt} invalid h3 did not work`),
    );
    // Attempts of one planned load follow each other, so that its neighbours in time stay its neighbours.
    const order = storedLoads(home).map((load) => load.lane);
    assert.equal(order.filter((lane, index) => lane !== order[index - 1]).length, 3);
  });

  test("a browser that was updated in mid-sweep, in a run or between two, is told with the first load of it", async () => {
    const plan = fastPlan({ pages: ["a"], lanes: ["h1"], links: ["1mbit/20ms"], repetitions: 6 });
    const changes: SweepEvent[] = [];
    // The first digit of the binary's hash after a slash.
    const run = async (versions: string[], stopAfter: number) => {
      const stop = new AbortController();
      let loads = 0;
      await fastRun({
        home,
        plan,
        signal: stop.signal,
        measure: async (request) => {
          const load = await validLoad(request);
          const [version, binary] = (versions[loads++] ?? "none").split("/");
          load.log.browser.version = version ?? "";
          if (binary) load.log._trilane.environment.browser_sha256 = binary.repeat(64);
          return load;
        },
        tell: (event) => {
          if (event.event === "browser-changed") changes.push(event);
          if (event.event === "load-finished" && loads === stopAfter) stop.abort();
        },
      });
    };
    await run(["156.0", "156.0", "156.1"], 3);
    await run(["157.0/a", "157.0/b", "157.0"], 9);
    assert.deepEqual(changes, [
      { event: "browser-changed", before: "156.0", now: "156.1", load: 3 },
      { event: "browser-changed", before: "156.1", now: "157.0", load: 4 },
      { event: "browser-changed", before: "157.0 (binary aaaaaaaa)", now: "157.0 (binary bbbbbbbb)", load: 5 },
    ]);
  });

  /** Loads of twenty minutes each, in virtual time. */
  function longLoads(context: TestContext) {
    context.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 0, 1) });
    const measure = async (request: LoadRequest) => {
      const load = await validLoad(request);
      load.log._trilane.wall_ms = 1_200_000;
      context.mock.timers.tick(1_200_000);
      return load;
    };
    return { measure, now_ms: () => Date.now() };
  }

  test("a plan's time is over: the load in flight counts, what has not begun is left out, the sweep is finished", async (context) => {
    const plan = fastPlan({ time_limit_s: 3600 });
    const stop = new AbortController();
    const clock = longLoads(context);
    let loads = 0;
    const tell = (event: SweepEvent) => {
      if (event.event === "load-finished" && ++loads === 2) stop.abort();
    };
    const first = await fastRun({ home, plan, ...clock, signal: stop.signal, tell });
    assert.deepEqual([first.state, first.done], ["stopped", 2]);
    // A night between two runs does not count; the block that has begun is gone on with.
    context.mock.timers.tick(8 * 3_600_000);
    const outcome = await fastRun({ home, plan, ...clock });
    assert.deepEqual([outcome.state, outcome.done, outcome.all], ["finished", 3, 3]);
    assert.equal(isFinished(home), true);
  });

  test("a plan's time also ends the films", async (context) => {
    const plan = fastPlan({ pages: ["a"], links: ["1mbit/20ms"], repetitions: 1, time_limit_s: 4800 });
    const clock = longLoads(context);
    let films = 0;
    const film = async (request: LoadRequest) => {
      films++;
      return { load: await clock.measure(request), frames: [], visual: null };
    };
    const outcome = await fastRun({ home, plan, ...clock, film });
    assert.deepEqual([outcome.state, outcome.done, films], ["finished", 3, 1]);
    assert.equal(isFinished(home), true);
  });

  test("a run's time is over: it ends after the load in flight, mid-block and between tries, with what it has", async () => {
    const plan = fastPlan({ lead_blocks: 2 });
    let loads = 0;
    const events: SweepEvent[] = [];
    const outcome = await fastRun({
      home,
      plan,
      measure: (request) => {
        loads++;
        return validLoad(request);
      },
      most_ms: () => (8 - loads) * 1000,
      tell: (event) => events.push(event),
    });
    const planned = plan.pages.length * 4 * 3 * plan.repetitions;
    assert.deepEqual([outcome.state, outcome.done, outcome.cut], ["finished", 8, planned - 8]);
    const begun = events.flatMap((event) => (event.event === "load-started" ? [event] : []));
    assert.equal(new Set(begun.slice(0, 6).map(({ page, link }) => `${page} ${link}`)).size, 1, "the first page leads");
    assert.equal(isFinished(home), true);
  });

  test("the system's clock may jump: order and durations are the monotonic clock's", async (context) => {
    const plan = fastPlan();
    const events: SweepEvent[] = [];
    context.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 0, 1) });
    let hours = 0;
    const outcome = await fastRun({
      home,
      plan,
      measure: (request) => {
        // A day on, two days back, and so on.
        context.mock.timers.setTime(Date.UTC(2026, 0, 1) + (hours++ % 2 === 0 ? 24 : -24) * 3_600_000);
        return validLoad(request);
      },
      tell: (event) => events.push(event),
    });
    assert.equal(outcome.state, "finished");
    assertWhole(home, plan);
    for (const event of events)
      if (event.event === "load-finished") assert.ok(event.left_s >= 0 && event.left_s < 60 && event.wall_ms === 5);
  });

  test("attempts used up in an earlier run stay used up", async () => {
    const plan = fastPlan({ pages: ["a"], lanes: ["h1"], links: ["1mbit/20ms"], repetitions: 2, retries: 1 });
    const stop = new AbortController();
    const invalid = ({ recording, lane, link }: LoadRequest) =>
      Promise.resolve(
        pageLoad({ page: recording.name, recording_digest: recording.digest, lane, link, status: "invalid" }),
      );
    await fastRun({
      home,
      plan,
      measure: invalid,
      signal: stop.signal,
      tell: (event) => {
        if (event.event === "load-finished" && event.attempt === 0) stop.abort();
      },
    });
    assert.equal(storedLoads(home).length, 1);
    await fastRun({ home, plan, measure: invalid });
    assert.deepEqual(
      storedLoads(home).map((load) => `${load.block} ${load.attempt}`),
      ["0 0", "0 1", "1 0", "1 1"],
    );
  });

  test("killed at any moment and started again: every planned load exactly once", async () => {
    const log = join(home, "log");
    const script = join(import.meta.dirname, "fast_runner.ts");
    let kills = 0;
    for (let runs = 0; ; runs++) {
      assert.ok(runs < 200, "it comes to no end");
      const before = loggedLoads(log);
      writeFileSync(`${log}.limit`, String(before + 14));
      const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, home, log, "15"], {
        stdio: ["ignore", "ignore", "inherit"],
      });
      const exited = once(child, "exit");
      // Some loads further on, and then at a moment of chance within a load or its storing.
      while (child.exitCode === null && child.signalCode === null && loggedLoads(log) < before + 12) await delay(5);
      await delay(Math.random() * 20);
      if (child.kill("SIGKILL")) kills++;
      const [code] = await exited;
      // A kill may come after the last load and before the exit: started again it would be another sweep.
      if (code === 0 || isFinished(home)) break;
    }
    assert.ok(kills >= 3, `killed ${kills} times`);
    assertWhole(home);
    const [sweep, ...others] = sweepsIn(home);
    assert.notEqual(sweep?.finished_at, null);
    assert.equal(others.length, 0);
    // At each kill at most the one load under way was measured in vain.
    const measured = loggedLoads(log);
    const stored = storedLoads(home).length;
    assert.ok(
      measured >= stored && measured <= stored + kills,
      `${measured} measured, ${stored} stored, ${kills} kills`,
    );
  });

  test("two runners at once: one runs, the other is refused, nothing twice", async () => {
    const log = join(home, "log");
    const script = join(import.meta.dirname, "fast_runner.ts");
    const start = () => {
      const words = ["--disable-warning=ExperimentalWarning", script, home, log, "10"];
      const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "pipe"] });
      const said: string[] = [];
      child.stderr.on("data", (chunk) => said.push(String(chunk)));
      return once(child, "close").then(([code]) => ({ code, said: said.join("") }));
    };
    // Nothing is measured before one of them has ended: the other is surely running then.
    writeFileSync(`${log}.limit`, "0");
    const [one, other] = [start(), start()];
    await Promise.race([one, other]);
    rmSync(`${log}.limit`);
    const [first, second] = [await one, await other];
    const refused = first.code === 0 ? second : first;
    assert.deepEqual([first.code === 0, second.code === 0].sort(), [false, true], first.said + second.said);
    assert.match(refused.said, /sweep 1 is being run by process \d+: wait for it/);
    assertWhole(home);
  });
});

describe("loads that are enough", () => {
  let home: string;
  beforeEach(() => {
    home = tempFolder("trilane-runner-");
  });

  const plan = fastPlan({
    pages: ["clear", "doubtful"],
    links: ["1mbit/20ms"],
    lanes: ["h1", "h3"],
    repetitions: 12,
    until: { decided_percent: 3 },
  });
  /** On one page h3 takes half of h1's time, on the other now more, now less, which more loads would hardly decide. */
  const measure = (counts: Map<string, number>) => async (request: LoadRequest) => {
    const { lane, link, recording } = request;
    const key = `${recording.name} ${lane}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const half = recording.name === "clear" ? 0.5 : count % 2 === 0 ? 0.8 : 1.2;
    const plt_ms = 1000 * (lane === "h3" ? half : 1) + count;
    return pageLoad({ page: recording.name, recording_digest: recording.digest, lane, link, plt_ms, wall_ms: 5 });
  };

  test("go where they are needed", async () => {
    const counts = new Map<string, number>();
    const events: SweepEvent[] = [];
    const outcome = await fastRun({ home, plan, measure: measure(counts), tell: (event) => events.push(event) });
    assert.deepEqual(Object.fromEntries(counts), { "clear h1": 6, "clear h3": 6, "doubtful h1": 9, "doubtful h3": 9 });
    assert.deepEqual([outcome.state, outcome.done, outcome.all], ["finished", 30, 30]);
    const last = events.at(-1);
    // What is given up is planned until the next load would begin.
    assert.ok(last?.event === "load-finished" && last.done === 30 && last.loads === 36);
    assert.equal(isFinished(home), true);
  });

  test("are not enough while a busy machine alone may have decided them", async () => {
    const counts = new Map<string, number>();
    const waiting = async ({ lane, link, recording }: LoadRequest) => {
      const count = (counts.get(lane) ?? 0) + 1;
      counts.set(lane, count);
      // h3 is 10 % behind; without what it waited for CPUs it is now ahead, now behind.
      const estimate_ms = lane === "h1" ? 0 : count % 2 === 0 ? 20 : 280;
      const disturbance = { bound_ms: 400, link_ms: 0, cpu_ms: 400, calm_ms: 0, tolerated_ms: 10, estimate_ms };
      const plt_ms = (lane === "h1" ? 1000 : 1100) + count;
      return pageLoad({ page: "a", recording_digest: recording.digest, lane, link, plt_ms, disturbance });
    };
    const one = fastPlan({ ...plan, pages: ["a"] });
    await fastRun({ home, plan: one, measure: waiting });
    const [decision] = placeDecisions(cellsOf(one), storedLoads(home), 3);
    assert.deepEqual([decision?.decision, decision?.givenUp], ["undecided", true]);
    assert.equal(counts.get("h1"), decision?.blocks);
  });
});

describe("several labs", () => {
  let home: string;
  beforeEach(() => {
    home = tempFolder("trilane-runner-");
  });

  const plan = fastPlan({ links: ["1mbit/20ms", "1mbit/200ms", "10mbit/20ms"], repetitions: 2 });
  const labs = { most: 2, mayShare: ({ down }: LoadRequest["link"]) => (down.rate_bps ?? 0) <= 1e6 };

  test("slow links' loads share the machine, each once; fast ones and self-tests are alone; lanes of a block are not mixed", async () => {
    const running = new Map<LoadRequest, string>();
    let mostAtOnce = 0;
    const measure = async (request: LoadRequest) => {
      const rate_bps = request.link.down.rate_bps ?? 0;
      running.set(request, `${request.recording.name} ${request.link.rtt_ms}`);
      mostAtOnce = Math.max(mostAtOnce, running.size);
      assert.ok(rate_bps <= 1e6 || running.size === 1, "a fast link's load had others beside it");
      assert.equal(new Set(running.values()).size, running.size, "two lanes of one place ran at once");
      await delay(2);
      running.delete(request);
      return validLoad(request);
    };
    const linkFault = async () => {
      return null;
    };
    const outcome = await fastRun({ home, plan, measure, labs, linkFault });
    assert.equal(outcome.state, "finished");
    assert.equal(mostAtOnce, 2);
    assert.deepEqual(
      storedLoads(home).map(place).sort(),
      cellsOf(plan)
        .flatMap((cell) => [0, 1].map((block) => `${cell.page} ${cell.link} ${cell.lane} ${block}`))
        .sort(),
    );
  });
});
