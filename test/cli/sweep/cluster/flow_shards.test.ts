// Plans of flows shared out among machines: what a cell is, what is submitted, and shards that become one sweep which knows who ran what.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, test } from "node:test";
import { version } from "../../../../cli/base/version.ts";
import { clusterPlans } from "../../../../cli/commands/cell.ts";
import { instrumentOf } from "../../../../cli/instruments/all.ts";
import { flowResult } from "../../../../cli/instruments/flows/metrics/flow_result.ts";
import {
  cellsOf,
  type FlowPlan,
  flowPlanDigest,
  flowPlanOf,
  sharedFlows,
  sharedLink,
} from "../../../../cli/instruments/flows/plan/plan.ts";
import { packRecords } from "../../../../cli/instruments/flows/records/stored_records.ts";
import { gatherFlowReport } from "../../../../cli/instruments/flows/report/flow_data.ts";
import { buildFlowReport } from "../../../../cli/instruments/flows/report/flow_report.ts";
import {
  addedFlows,
  flowCellsOf,
  flowRunsOf,
  flowSeriesOf,
  recordFlowRun,
} from "../../../../cli/instruments/flows/store/flow_runs.ts";
import { pages as source } from "../../../../cli/pages/source.ts";
import { openResultsFile, openSharedResults } from "../../../../cli/results/store/results.ts";
import { merge } from "../../../../cli/sweep/cluster/merge.ts";
import { isFinished, shardPath } from "../../../../cli/sweep/cluster/shards.ts";
import { refuseUnknownCell } from "../../../../cli/sweep/cluster/shared_plan.ts";
import { slurmDryRun } from "../../../../cli/sweep/cluster/submit.ts";
import { hostFacts } from "../../../../cli/sweep/cluster/this_host.ts";
import { mergedLines } from "../../../../cli/sweep/cluster/words.ts";
import { schemaErrors } from "../../../schemas/schema_errors.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { twoFlows } from "../../instruments/flows/records/two_flows.ts";
import { testedLink } from "../../load/selftest/tested.ts";

const plan: FlowPlan = flowPlanOf(
  {
    name: "shares",
    links: ["5mbit/50ms", "10mbit/50ms", "20mbit/50ms"],
    mixes: [{ name: "both", flows: ["tcp:cubic", "quic:reno@20ms,up"] }, { flows: ["2*tcp:reno"] }],
    for_s: 0.1,
    repetitions: 2,
    seed: 7,
  },
  "test",
);

/** As `trilane cell` leaves it. Its path. */
function madeShard(folder: string, host: string, place: number, blocks = plan.repetitions): string {
  const path = shardPath(folder, place, host);
  using results = openSharedResults(path);
  const link = sharedLink(plan, place);
  const flowCells = cellsOf(plan).filter((cell) => cell.link === link);
  const named = { name: host, facts: { ...hostFacts(), machine_id: host.repeat(32) } };
  const terms = { name: plan.name, plan, plan_digest: flowPlanDigest(plan), seed: plan.seed };
  const asked = { ...terms, command: ["trilane", "cell"], environment: { trilane: version }, flowCells, host: named };
  const begun = results.beginOnce(addedFlows(asked));
  assert.ok(begun);
  const { sweep } = begun;
  const cells = flowCellsOf(results, sweep.id);
  results.recordHost(sweep.id, { ...named, cells: cells.map(({ id }) => ({ cell: id, place })) });
  results.recordLinkTest(sweep.id, "a machine", { ...testedLink(link) });
  let position = 0;
  for (let block = 0; block < blocks; block++)
    for (const { id } of cells)
      recordFlowRun(results, {
        ...{ cell: id, block, attempt: 0, position: position++, status: "valid", reasons: [], wall_ms: 100 },
        started_at: new Date(Date.UTC(2026, 0, place, 1, block, position)).toISOString(),
        ...{ result: flowResult(twoFlows(), [0, 1]), series: packRecords(twoFlows()), pageLoad: null },
      });
  if (blocks === plan.repetitions) results.finishSweep(sweep.id);
  results.release(sweep.id);
  assert.equal(results.beginOnce(addedFlows(asked)) === null, blocks === plan.repetitions);
  return path;
}

describe("plans of flows on several machines", () => {
  let folder: string;
  beforeEach(() => {
    folder = tempFolder("trilane-flow-shards-");
  });
  const merged = (...words: string[]) =>
    merge({
      words: words.length > 0 ? words : [folder],
      out: join(folder, "merged.db"),
      tolerance_percent: 3,
      command: ["trilane", "merge"],
    });

  test("a cell is a link with all its mixes; one that is not there is refused", async () => {
    const file = join(folder, "plan.json");
    writeFileSync(file, JSON.stringify(plan));
    for (const plans of [file, "carlucci-2015-s2"]) assert.equal(instrumentOf(plans)?.sweeps, "flows");
    for (const other of ["carlucci-2015-s3", join(folder, "none.json")]) assert.equal(instrumentOf(other), null);
    const options = { plan: file, shards: undefined, reference: undefined, as: undefined, compute: "timer" };
    const shared = await clusterPlans(folder, source, options, "none");
    assert.deepEqual([shared.plan.cells, shared.plan.digest, shared.reference], [3, flowPlanDigest(plan), null]);
    assert.match(shared.shards, /shares-shards$/);
    assert.match(sharedLink(plan, 2), /^10mbit/);
    assert.throws(
      () => refuseUnknownCell(shared.plan, 4),
      /plan shares has no cell 4: name one from 1 to 3; each is a link/,
    );
    await assert.rejects(
      clusterPlans(folder, source, { ...options, as: "model" }, "none"),
      /^UserError: --as: plan .* is of flows/,
    );
  });

  test("only links that no machine has finished are submitted", () => {
    madeShard(folder, "a", 1);
    madeShard(folder, "a", 2, 1);
    const said: string[] = [];
    const submitting = { home: "/home", source, plan: sharedFlows(plan), shards: folder, reference: null };
    const script = slurmDryRun({ ...submitting, say: (line) => said.push(line) }, { cpus: null, options: [] });
    assert.match(script, /^#SBATCH --array=2-3$/m);
    assert.match(script, /'?--reference'? '?none/);
    assert.deepEqual(said, []);
  });

  test("shards are one finished sweep, whose runs keep results and series, and which knows who ran what", async () => {
    madeShard(folder, "a", 1);
    madeShard(folder, "a", 3);
    const other = madeShard(folder, "b", 2);
    assert.equal(isFinished(other, flowPlanDigest(plan)), true);
    const said = await merged();
    assert.equal(schemaErrors("merged", said), null);
    assert.deepEqual([said.kind, said.cells, said.missing, said.loads], ["flows", 3, [], 12]);
    assert.deepEqual(
      said.hosts.map(({ name, cells, loads }) => [name, cells, loads]),
      [
        ["a", [1, 3], 8],
        ["b", [2], 4],
      ],
    );
    assert.ok(mergedLines(said).includes("3 of 3 cells, 12 runs"));
    const results = openResultsFile(join(folder, "merged.db"));
    try {
      const [sweep] = results.listAllSweeps();
      assert.ok(sweep?.kind === "flows" && sweep.finished_at !== null);
      const runs = flowRunsOf(results, sweep.id);
      assert.equal(new Set(runs.map(({ mix, link, block }) => `${mix} ${link} ${block}`)).size, 12);
      assert.deepEqual(runs[0]?.result, flowResult(twoFlows(), [0, 1]));
      assert.ok(flowSeriesOf(results, runs[0]?.id ?? 0));
      const cells = new Map(flowCellsOf(results, sweep.id).map(({ id, link }) => [id, link]));
      const ofB = results.hostsOf(sweep.id).find(({ name }) => name === "b");
      assert.deepEqual([...new Set(ofB?.cells.map(({ cell }) => cells.get(cell)))], [sharedLink(plan, 2)]);
      assert.equal(results.linkTestsOf(sweep.id).length, 3);
      const report = buildFlowReport(gatherFlowReport(results, sweep.id, "1"));
      assert.match(report, /2 machines ran the runs; none is unlike the others/);
    } finally {
      results.close();
    }
    // What was merged is merged again, and a shard that came later joins it.
    rmSync(join(folder, "cell-0002-b.db"));
    const again = await merged(join(folder, "merged.db"));
    assert.deepEqual([again.missing, again.loads], [[], 12]);
  });

  test("what is missing, unfinished, or of another plan is named", async () => {
    madeShard(folder, "a", 1);
    madeShard(folder, "a", 2, 1);
    const said = await merged();
    assert.deepEqual([said.missing, said.unfinished], [[3], [2]]);
    const path = madeShard(folder, "b", 3);
    const results = openSharedResults(path);
    results.begin(
      addedFlows({
        ...{ name: "other", plan, plan_digest: "other", seed: 1, command: [], environment: {} },
        flowCells: cellsOf(plan).slice(0, 2),
      }),
      false,
    );
    results.close();
    assert.throws(() => isFinished(path, flowPlanDigest(plan)), /UserError: .*has loads of another plan \(other/);
  });
});
