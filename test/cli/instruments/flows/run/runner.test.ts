// cli/instruments/flows/run/runner.ts: every planned run once, whatever fails; retries to the limit and no further. Runs are made up: no lab.
// What all instruments have from the engine is test/cli/engine/runner.test.ts's.

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { writeWait_ms } from "../../../../../cli/engine/blocking_conditions.ts";
import type { RunOutcome } from "../../../../../cli/engine/measuring.ts";
import { flowResult } from "../../../../../cli/instruments/flows/metrics/flow_result.ts";
import { cellsOf, type FlowPlan, flowPlanDigest, flowPlanOf } from "../../../../../cli/instruments/flows/plan/plan.ts";
import { unpackRecords } from "../../../../../cli/instruments/flows/records/stored_records.ts";
import type { FlowAttempt, FlowAttemptRequest } from "../../../../../cli/instruments/flows/run/attempt.ts";
import { type FlowRunnerOptions, runFlowSweep } from "../../../../../cli/instruments/flows/run/runner.ts";
import { flowTasks, runCells } from "../../../../../cli/instruments/flows/run/tasks.ts";
import {
  addedFlows,
  type FlowRunRow,
  flowRunsOf,
  flowSeriesOf,
} from "../../../../../cli/instruments/flows/store/flow_runs.ts";
import { groupsOf } from "../../../../../cli/link/flows/flow_run.ts";
import { disturbedRunReason } from "../../../../../cli/load/disturbance.ts";
import { openResults } from "../../../../../cli/results/store/results.ts";
import type { SweepEvent } from "../../../../../schemas/generated/sweep_event.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { twoFlows } from "../records/two_flows.ts";

const plan = flowPlanOf(
  {
    name: "shares",
    links: ["5mbit/50ms", "10mbit/50ms"],
    mixes: [{ flows: ["tcp:cubic", "quic:reno@20ms,up"] }, { flows: ["2*tcp:reno"] }],
    for_s: 0.1,
    repetitions: 3,
    retries: 2,
  },
  "test",
);

const valid = async (): Promise<FlowAttempt> => ({
  ...{ status: "valid", reasons: [], wall_ms: 110 },
  ...{ records: twoFlows(), pageLoad: null },
});
const invalid = (reason: string): FlowAttempt => ({
  status: "invalid",
  reasons: [reason],
  wall_ms: 110,
  records: null,
  pageLoad: null,
});

describe("runner of flows", () => {
  let home: string;
  let events: SweepEvent[];
  beforeEach(() => {
    home = tempFolder("trilane-flow-runner-");
    events = [];
  });

  async function run(
    attempt: FlowRunnerOptions["attempt"],
    more: Partial<FlowRunnerOptions> = {},
    asked: FlowPlan = plan,
  ): Promise<RunOutcome> {
    const results = openResults(home, writeWait_ms);
    const flowCells = cellsOf(asked);
    const head = {
      name: asked.name,
      plan_digest: flowPlanDigest(asked),
      seed: asked.seed,
      command: [],
      environment: {},
    };
    const { sweep, resumed } = results.begin(addedFlows({ ...head, plan: asked, flowCells }), false);
    try {
      const cells = runCells(results, sweep, flowCells);
      return await runFlowSweep({
        ...{ home, results, sweep, plan: asked, resumed, attempt },
        tasks: flowTasks(results, sweep, asked, cells),
        resultOf: (records, { flows }) => flowResult(records, groupsOf(flows)),
        guess_ms: () => 110,
        signal: new AbortController().signal,
        tell: (event) => events.push(event),
        // Does not tell: nothing waits.
        machine: () => ({ stalled_us: null, used_ms: null, stolen_ms: null }),
        ...more,
      });
    } finally {
      results.release(sweep.id);
      results.close();
    }
  }

  function stored(): FlowRunRow[] {
    using results = openResults(home);
    return results.listAllSweeps().flatMap(({ id }) => flowRunsOf(results, id));
  }

  test("a run is held to its plan's tolerance", async () => {
    const asked: FlowAttemptRequest[] = [];
    const attempt = async (request: FlowAttemptRequest) => {
      asked.push(request);
      return valid();
    };
    const tolerance = { share: 0.05, ms: 50 };
    await run(attempt, {}, { ...plan, repetitions: 1, tolerance });
    assert.ok(asked.length > 0 && asked.every((request) => request.tolerance === tolerance));
  });

  test("every planned run once, in blocks, with what it was asked; each is stored with its result and records", async () => {
    const asked: FlowAttemptRequest[] = [];
    const outcome = await run(async (request) => {
      asked.push(request);
      return valid();
    });
    assert.deepEqual([outcome.state, outcome.done, outcome.all], ["finished", 12, 12]);
    const runs = stored();
    assert.deepEqual(
      runs.map(({ position }) => position),
      runs.map((_, index) => index),
    );
    // The mixes of a link in a block run next to one another, over the same luck.
    const places = runs.map(({ block, link }) => `${block} ${link}`);
    assert.equal(places.filter((place, index) => place !== places[index - 1]).length, 6);
    assert.equal(new Set(asked.map(({ link }) => link.seed)).size, 6);
    assert.deepEqual(asked.map(({ run: { flows } }) => flows.map(({ congestion }) => congestion).join()).toSorted(), [
      ...Array(6).fill("cubic,reno"),
      ...Array(6).fill("reno,reno"),
    ]);
    assert.equal(runs[0]?.result?.flows.length, 2);
    const results = openResults(home);
    assert.deepEqual(unpackRecords(flowSeriesOf(results, 1) ?? new Uint8Array(), "run 1"), twoFlows());
    assert.notEqual(results.listAllSweeps()[0]?.finished_at, null);
    results.close();
    const last = events.at(-1);
    assert.ok(last?.event === "flow-run-finished" && last.done === 12 && last.runs === 12 && last.left_s === 0);
  });

  test("a run that is not valid is tried again at once, up to the limit, and every attempt is stored", async () => {
    let calls = 0;
    const one = flowPlanOf({ ...plan, links: ["5mbit/50ms"], repetitions: 1, mixes: plan.mixes.slice(0, 1) }, "test");
    const outcome = await run(async () => invalid(`fault ${calls++}`), {}, one);
    assert.deepEqual([outcome.state, outcome.done], ["finished", 1]);
    assert.deepEqual(
      stored().map(({ attempt, reasons, result }) => [attempt, reasons, result]),
      [0, 1, 2].map((attempt) => [attempt, [`fault ${attempt}`], null]),
    );
  });

  test("a disturbed run waits for the end, when it is tried again", async () => {
    const seen = new Map<string, number>();
    const outcome = await run(async ({ run: { flows }, link }) => {
      const place = `${flows[1]?.congestion} ${flows.length} ${flows[0]?.congestion} ${link.seed}`;
      const tries = (seen.get(place) ?? 0) + 1;
      seen.set(place, tries);
      const isFirst = [...seen.keys()][0] === place;
      return isFirst && tries <= 2 ? invalid(`${disturbedRunReason}: it held the link up for 9 ms`) : valid();
    });
    assert.deepEqual([outcome.state, outcome.done], ["finished", 12]);
    const runs = stored();
    assert.equal(runs.length, 14);
    assert.deepEqual([runs.at(-1)?.position, runs.at(-1)?.attempt, runs.at(-1)?.status], [0, 2, "valid"]);
  });

  test("mixes of one flow each are compared with the plan's first one, whichever ran first", async () => {
    const three = (seed: number) =>
      flowPlanOf(
        {
          ...{ name: "three", links: ["5mbit/50ms"], for_s: 0.1, repetitions: 30, retries: 0, seed },
          mixes: ["tcp:cubic", "tcp:reno", "quic:reno"].map((flow) => ({ flows: [flow] })),
          until: { decided_percent: 1 },
        },
        "test",
      );
    // The two others are far from the first one, and cannot be told apart.
    const goodput = new Map([
      ["tcp:cubic", 4e6],
      ["tcp:reno", 2e6],
      ["quic:reno", 2e6],
    ]);
    for (const seed of [1, 2, 3, 4]) {
      let runs = 0;
      const resultOf: FlowRunnerOptions["resultOf"] = (records, { mix, flows }) => {
        const result = flowResult(records, [0, 0]);
        const [group] = result.groups;
        if (!group) throw new Error("no group");
        const goodput_bps = (goodput.get(mix) ?? 0) * (1 + ((runs++ * 7) % 13) / 100);
        return {
          ...result,
          groups: [{ ...group, group: 0, flows: flows.length, metrics: { ...group.metrics, goodput_bps } }],
        };
      };
      const outcome = await run(valid, { resultOf }, three(seed));
      assert.ok(outcome.all < 24, `seed ${seed}: ${outcome.all} runs`);
    }
  });
});
