// cli/instruments/fetch/run/runner.ts: every planned fetch has one outcome, whatever servers do; hosts have their pause. What all instruments have
// from the engine is test/cli/engine/runner.test.ts's.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { NoRoomError } from "../../../../../cli/base/errors.ts";
import { type FetchPlan, fetchCellsOf, fetchPlanOf } from "../../../../../cli/instruments/fetch/plan/plan.ts";
import type { FetchAttempt, FetchAttemptRequest } from "../../../../../cli/instruments/fetch/run/attempt.ts";
import { HostManners } from "../../../../../cli/instruments/fetch/run/host_manners.ts";
import { type FetchRunnerOptions, fetchTasks, runFetchSweep } from "../../../../../cli/instruments/fetch/run/runner.ts";
import { addedFetches, fetchesOf } from "../../../../../cli/instruments/fetch/store/fetch_runs.ts";
import { fetchSweeps } from "../../../../../cli/instruments/fetch/store/stored_plan.ts";
import { openResults, type Results } from "../../../../../cli/results/store/results.ts";
import type { FetchHttpsRecord } from "../../../../../schemas/generated/fetch_record.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { fetchRecord } from "../records.ts";

const plan = fetchPlanOf(
  {
    name: "test",
    objects: ["https://a.example/", "https://b.example/"],
    lanes: ["h2", "h3"],
    repetitions: 2,
    pause_ms: 100,
  },
  "test",
);

const good: FetchAttempt = { status: "valid", reasons: [], wall_ms: 5, record: fetchRecord(), cost: null };
const refused: FetchAttempt = {
  status: "failed",
  reasons: ["connect: Connection refused"],
  wall_ms: 5,
  record: fetchRecord({ error: { stage: "connect", reason: "Connection refused" } }),
  cost: null,
};

describe("the runner of fetches", () => {
  let home: string;
  let results: Results;
  const waits: number[] = [];
  beforeEach(() => {
    home = tempFolder("trilane-fetch-runner-");
    results = openResults(home);
    waits.length = 0;
  });
  afterEach(() => {
    results.close();
    rmSync(home, { recursive: true });
  });

  function begin(
    attempt: FetchRunnerOptions["attempt"],
    more: Partial<FetchRunnerOptions> = {},
    terms: Partial<Pick<FetchPlan, "connect" | "follow">> = {},
  ) {
    const asked = { name: "test", plan, plan_digest: "d", seed: 1, command: [], environment: {} };
    const { sweep, resumed } = results.begin(addedFetches({ ...asked, fetchCells: fetchCellsOf(plan) }), false);
    const { signal } = more.signal ? more : new AbortController();
    const events: string[] = [];
    const manners = new HostManners({
      plan: { ...plan, ...terms },
      signal: signal as AbortSignal,
      now_ms: () => 0,
      pause: async (time_ms) => void waits.push(time_ms),
    });
    const done = runFetchSweep({
      ...{ results, sweep, resumed, manners, attempt },
      tasks: fetchTasks(results, sweep, plan),
      requestOf: ({ object, lane, tls, ip }) => ({
        plan,
        object,
        lane,
        tls,
        ip,
        ca: null,
        lab: null,
        countsCalls: false,
        signal: signal as AbortSignal,
      }),
      guess_ms: () => 10,
      links: null,
      signal: signal as AbortSignal,
      tell: ({ event }) => events.push(event),
      ...more,
    });
    return { sweep, done, events };
  }

  test("each planned fetch has a row, those that fail one alone", async () => {
    const { sweep, done } = begin(async ({ lane }) => (lane === "h3" ? refused : good));
    assert.deepEqual(await done, { state: "finished", done: 8, all: 8, cut: 0, wall_ms: 40, endReason: null });
    const all = fetchesOf(results, sweep.id);
    assert.equal(all.length, 8);
    assert.equal(all.filter(({ status }) => status === "failed").length, 4);
    assert.deepEqual([...new Set(all.map(({ attempt }) => attempt))], [0]);
    assert.equal(results.sweepOf(fetchSweeps, sweep.id).finished_at === null, false);
    assert.equal(all[0]?.record?.schema, "trilane/fetch-record/1");
  });

  test("a host that was just asked has its pause, another has none", async () => {
    const { done } = begin(async () => good);
    await done;
    // The first fetch from either host waits for nothing.
    assert.deepEqual(waits, Array(6).fill(100));
  });

  test("names on one server, and what redirects lead to, have their pause, too", async () => {
    await begin(async () => good, {}, { connect: "192.0.2.1:443" }).done;
    assert.deepEqual(waits, Array(7).fill(100));
    waits.length = 0;
    results.close();
    results = openResults(mkdtempSync(join(home, "led-")));
    const toTheOther = async ({ object }: FetchAttemptRequest): Promise<FetchAttempt> => {
      const final_url = plan.objects.find((each) => each !== object) ?? "";
      return { ...good, record: fetchRecord({ url: object, final_url }) };
    };
    await begin(toTheOther, {}, { follow: 1 }).done;
    assert.deepEqual(waits, Array(7).fill(100));
  });

  test("while the disk is full a fetch that was made is held, and asked for no second time", async () => {
    let full = 3;
    let made = 0;
    const write = results.write.bind(results);
    results.write = (work) => {
      if (made > 0 && full-- > 0) throw new NoRoomError("results.db: no space left: free some");
      return write(work);
    };
    const paused: number[] = [];
    const attempt = async (): Promise<FetchAttempt> => {
      made += 1;
      return good;
    };
    const { sweep, done, events } = begin(attempt, { pause: async (time_ms) => void paused.push(time_ms) });
    assert.equal((await done).state, "finished");
    assert.deepEqual([made, fetchesOf(results, sweep.id).length, paused.length], [8, 8, 3]);
    assert.equal(events.filter((event) => event === "sweep-paused").length, 1);
  });

  test("a host's HTTPS records are asked for once, and stand in all of its rows", async () => {
    const asked: FetchAttemptRequest[] = [];
    const state = (object: string, askHttpsRecord: boolean) =>
      fetchRecord({
        url: object,
        final_url: object,
        https_record: askHttpsRecord
          ? { state: "absent", reason: null, lookup_ms: 3, records: [] }
          : { state: "not-asked", reason: null, lookup_ms: null, records: [] },
      });
    const { sweep, done } = begin(async (request) => {
      asked.push(request);
      return { ...good, record: state(request.object, request.askHttpsRecord) };
    });
    await done;
    assert.equal(asked.filter(({ askHttpsRecord }) => askHttpsRecord).length, 2);
    assert.ok(fetchesOf(results, sweep.id).every(({ record }) => record?.https_record.state === "absent"));
  });

  test("those of a host that redirects lead to are asked for although the first host's are known", async () => {
    const asked: string[] = [];
    const attempt = async ({ object, askHttpsRecord }: FetchAttemptRequest): Promise<FetchAttempt> => {
      const final_url = object === "https://a.example/" ? "https://www.example/" : object;
      if (askHttpsRecord) asked.push(final_url);
      const state = askHttpsRecord ? "absent" : "not-asked";
      const https_record: FetchHttpsRecord = { state, reason: null, lookup_ms: null, records: [] };
      return { ...good, record: fetchRecord({ url: object, final_url, https_record }) };
    };
    const manners = new HostManners({ plan: { pause_ms: 0, follow: 3 }, signal: new AbortController().signal });
    manners.completed(
      fetchRecord({
        url: "https://a.example/x",
        final_url: "https://a.example/x",
        https_record: { state: "present", reason: null, lookup_ms: 1, records: [] },
      }),
    );
    const { sweep, done } = begin(attempt, { manners });
    await done;
    assert.deepEqual(asked.toSorted(), ["https://b.example/", "https://www.example/"]);
    const states = fetchesOf(results, sweep.id).map(({ record }) => record?.https_record.state);
    assert.deepEqual(states, Array(8).fill("absent"));
  });

  test("whoever resumes a sweep says how long it may take, which is stored with it", async () => {
    const beginWith = (limited: FetchPlan) => {
      const asked = { name: "test", plan: limited, plan_digest: "limited", seed: 1, command: [], environment: {} };
      const begun = results.begin(addedFetches({ ...asked, fetchCells: fetchCellsOf(plan) }), false);
      results.release(begun.sweep.id);
      return begun;
    };
    const { sweep } = beginWith({ ...plan, time_limit_s: 4 });
    for (const limited of [{ ...plan, time_limit_s: 60 }, plan]) {
      const again = beginWith(limited);
      assert.deepEqual([again.resumed, again.sweep.id], [true, sweep.id]);
      assert.deepEqual(again.sweep.plan, limited);
      assert.deepEqual(results.sweepOf(fetchSweeps, sweep.id).plan, limited);
    }
  });
});
