// Plans of every instrument but pages shared out among machines: what a cell is, what is submitted, and shards that become one sweep which knows
// who ran what. Shards are stored as an execution stores them, with made-up attempts.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, test } from "node:test";
import { version } from "../../../../cli/base/version.ts";
import { clusterPlans } from "../../../../cli/commands/cell.ts";
import { cellsIn } from "../../../../cli/commands/merge.ts";
import { begunSweep } from "../../../../cli/engine/session.ts";
import { instrumentOf, kindOfSweeps } from "../../../../cli/instruments/all.ts";
import { commandCellsAt, commandPlanOf } from "../../../../cli/instruments/command/plan/plan.ts";
import type { CommandSweep } from "../../../../cli/instruments/command/plan/stored_plan.ts";
import { addedMeasured, recordMeasuredRun } from "../../../../cli/instruments/command/store/measured_runs.ts";
import { fetchPlanOf } from "../../../../cli/instruments/fetch/plan/plan.ts";
import { fetchCellsAt } from "../../../../cli/instruments/fetch/plan/shares.ts";
import { addedFetches, recordFetch } from "../../../../cli/instruments/fetch/store/fetch_runs.ts";
import { flowResult } from "../../../../cli/instruments/flows/metrics/flow_result.ts";
import { cellsOf, flowPlanOf } from "../../../../cli/instruments/flows/plan/plan.ts";
import { packRecords } from "../../../../cli/instruments/flows/records/stored_records.ts";
import { addedFlows, recordFlowRun } from "../../../../cli/instruments/flows/store/flow_runs.ts";
import { pages as source } from "../../../../cli/pages/source.ts";
import {
  type AnySweep,
  type Host,
  openResultsFile,
  openSharedResults,
  type Results,
} from "../../../../cli/results/store/results.ts";
import { recordingsEnvironment } from "../../../../cli/results/store/sweep_recordings.ts";
import type { AddedSweep, BegunSweep } from "../../../../cli/results/store/sweep_store.ts";
import { merge } from "../../../../cli/sweep/cluster/merge.ts";
import { refuseUnknownCell } from "../../../../cli/sweep/cluster/run_cell.ts";
import { isFinished, shardPath } from "../../../../cli/sweep/cluster/shards.ts";
import { cellsOfShard, type Shard } from "../../../../cli/sweep/cluster/shared_plan.ts";
import { slurmDryRun, sshDryRun } from "../../../../cli/sweep/cluster/submit.ts";
import { hostFacts } from "../../../../cli/sweep/cluster/this_host.ts";
import { mergedLines, plannedLines } from "../../../../cli/sweep/cluster/words.ts";
import { schemaErrors } from "../../../schemas/schema_errors.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { commandRun } from "../../instruments/command/runs.ts";
import { storedFetch } from "../../instruments/fetch/records.ts";
import { twoFlows } from "../../instruments/flows/records/two_flows.ts";
import { testedLink } from "../../load/selftest/tested.ts";

const repetitions = 2;
const links = ["5mbit/50ms", "10mbit/50ms", "20mbit/50ms"];
/** What a sweep begins with, and what each attempt has. */
type Facts = Pick<AddedSweep<AnySweep>, "command" | "environment" | "host">;
interface Place {
  readonly cell: number;
  readonly block: number;
  readonly attempt: number;
  readonly position: number;
  readonly started_at: string;
}

interface Case {
  readonly kind: AnySweep["kind"];
  readonly document: object;
  /** Of the plan, each of `each` cells of its sweep. */
  readonly cells: number;
  readonly each: number;
  readonly programs: readonly string[];
  readonly begin: (results: Results, document: object, shard: Shard, facts: Facts) => BegunSweep<AnySweep> | null;
  readonly record: (results: Results, place: Place) => void;
  /** Documents that each attempt keeps. */
  readonly left: number;
  readonly counted: string;
}

const cases: readonly Case[] = [
  {
    kind: "flows",
    document: {
      ...{ name: "shares", links, for_s: 0.1, repetitions, seed: 7 },
      mixes: [{ name: "both", flows: ["tcp:cubic", "quic:reno@20ms,up"] }, { flows: ["2*tcp:reno"] }],
    },
    ...{ cells: 3, each: 2, programs: [] },
    begin: (results, document, shard, facts) => {
      const plan = flowPlanOf(document, "test");
      const flowCells = cellsOfShard(cellsOf(plan), shard, ({ link }) => link);
      const begun = { name: plan.name, plan, plan_digest: "", seed: plan.seed, ...facts, flowCells };
      return begunSweep(results, addedFlows(begun), { fresh: false, shard });
    },
    record: (results, place) =>
      recordFlowRun(results, {
        ...{ ...place, status: "valid", reasons: [], wall_ms: 100, pageLoad: null },
        ...{ result: flowResult(twoFlows(), [0, 1]), series: packRecords(twoFlows()) },
      }),
    ...{ left: 2, counted: "3 of 3 cells, 12 runs" },
  },
  {
    // An object of each of three hosts.
    kind: "fetches",
    document: {
      ...{ name: "shares", lanes: ["h2", "h3"], repetitions, seed: 7, syscalls: 0 },
      objects: ["a/1", "b/1", "c/1"].map((object) => `https://${object.replace("/", ".example/")}`),
    },
    ...{ cells: 3, each: 2, programs: [] },
    begin: (results, document, shard, facts) => {
      const plan = fetchPlanOf(document, "test");
      const fetchCells = fetchCellsAt(plan, shard);
      const begun = { name: plan.name, plan, plan_digest: "", seed: plan.seed, ...facts, fetchCells };
      return begunSweep(results, addedFetches(begun), { fresh: false, shard });
    },
    record: (results, { cell, ...place }) =>
      recordFetch(results, { ...storedFetch({ object: "https://a.example/1", lane: "h2", block: 0 }), ...place, cell }),
    ...{ left: 1, counted: "3 of 3 cells, 12 fetches" },
  },
  {
    kind: "commands",
    document: {
      ...{ name: "shares", links, repetitions, seed: 7 },
      commands: ["one", "two"].map((name) => ({ name, words: ["/bin/echo", name] })),
    },
    ...{ cells: 3, each: 2, programs: ["/bin/echo"] },
    begin: (results, document, shard, facts) => {
      const plan = commandPlanOf(document, "test");
      const measuredCells = commandCellsAt(plan, shard);
      const terms = { kind: "commands", name: plan.name, plan, plan_digest: "", seed: plan.seed } as const;
      const begun = addedMeasured<CommandSweep>({ ...terms, ...facts, measuredCells });
      return begunSweep(results, begun, { fresh: false, shard });
    },
    record: (results, place) =>
      recordMeasuredRun(results, { ...commandRun({ subject: "one", block: place.block, wall_ms: 50 }), ...place }),
    ...{ left: 1, counted: "3 of 3 cells, 12 runs" },
  },
];

/** What the attempts of a host left. */
function documentsOf(results: Results, host: Host | undefined) {
  const cells = host?.cells.map(({ cell }) => cell) ?? [];
  return results.read(
    `SELECT name, content FROM document JOIN attempt ON attempt.id = document.attempt WHERE cell IN (${cells.join()}) ORDER BY attempt.id, name`,
  );
}

for (const { kind, document, cells, each, programs, begin, record, left, counted } of cases)
  describe(`plans of ${kind} on several machines`, () => {
    let folder: string;
    beforeEach(() => {
      folder = tempFolder("trilane-instrument-shards-");
    });

    /** As read from a file. */
    async function shared(changed: object = {}) {
      const file = join(folder, "plan.json");
      writeFileSync(file, JSON.stringify({ ...document, ...changed }));
      const options = { plan: file, shards: undefined, reference: undefined, as: undefined, compute: "timer" } as const;
      return { options, ...(await clusterPlans(folder, source, options, "none")) };
    }

    interface Made {
      readonly host: string;
      readonly cell: number;
      readonly blocks?: number;
      readonly changed?: object;
      readonly recording?: string;
    }

    /** As `trilane cell` leaves it. Its path. */
    async function madeShard({ host, cell, blocks = repetitions, changed = {}, recording = "aaaa" }: Made) {
      const path = shardPath(folder, cell, host);
      const { plan } = await shared(changed);
      const named = { name: host, facts: { ...hostFacts(), machine_id: host.repeat(32) } };
      const shard: Shard = {
        ...{ path, host: named, cell, plan_digest: plan.digest, environment: {} },
        check: () => undefined,
      };
      const noted = recordingsEnvironment(new Map([["shop", { digest: recording }]]));
      const facts: Facts = { command: ["trilane", "cell"], environment: { trilane: version, ...noted }, host: named };
      using results = openSharedResults(path);
      const again = () => begin(results, { ...document, ...changed }, shard, facts);
      const begun = again();
      assert.ok(begun);
      const { sweep } = begun;
      const placed = results.cellLinksOf(sweep);
      assert.equal(placed.length, each);
      results.recordHost(sweep.id, { ...named, cells: placed.map(({ id }) => ({ cell: id, place: cell })) });
      for (const { link } of placed.slice(0, 1))
        if (link !== null) results.recordLinkTest(sweep.id, "a machine", { ...testedLink(link) });
      let position = results.attemptsOf(sweep).length;
      for (let block = position / each; block < blocks; block++)
        for (const { id } of placed) {
          const started_at = new Date(Date.UTC(2026, 0, cell, 1, block, position)).toISOString();
          record(results, { cell: id, block, attempt: 0, position: position++, started_at });
        }
      if (blocks === repetitions) results.finishSweep(sweep.id);
      results.release(sweep.id);
      assert.equal(again() === null, blocks === repetitions);
      results.release(sweep.id);
      return path;
    }

    const merged = (...words: string[]) =>
      merge({
        words: words.length > 0 ? words : [folder],
        out: join(folder, "merged.db"),
        tolerance_percent: 3,
        command: ["trilane", "merge"],
        cellsIn,
      });

    test("cells are numbered, the same plan is read again where it was written out, and one that is not there is refused", async () => {
      const { plan, reference, shards, options } = await shared();
      assert.equal(instrumentOf(options.plan).sweeps, kind);
      assert.deepEqual([plan.cells, plan.programs, reference], [cells, programs, null]);
      assert.match(shards, /shares-shards$/);
      writeFileSync(options.plan, JSON.stringify(plan.document));
      assert.equal((await clusterPlans(folder, source, options, "none")).plan.digest, plan.digest);
      assert.notEqual((await shared({ seed: 8 })).plan.digest, plan.digest);
      assert.throws(
        () => refuseUnknownCell(plan, cells + 1),
        new RegExp(`plan shares has no cell ${cells + 1}: name one from 1 to ${cells}; each is `),
      );
      await assert.rejects(
        clusterPlans(folder, source, { ...options, as: "model" }, "none"),
        /^UserError: --as: plan .* is of /,
      );
      assert.equal((await clusterPlans(folder, source, { ...options, reference: "none" }, "none")).reference, null);
    });

    test("only what no machine has finished is submitted, and the script says what nodes need", async () => {
      await madeShard({ host: "a", cell: 1 });
      await madeShard({ host: "a", cell: 2, blocks: 1 });
      const said: string[] = [];
      const { plan } = await shared();
      const submitting = { home: "/home", source, plan, shards: folder, reference: null };
      const slurm = slurmDryRun({ ...submitting, say: (line) => said.push(line) }, { cpus: null, options: [] });
      const script = plannedLines(slurm).join("\n");
      assert.match(script, /^#SBATCH --array=2-3$/m);
      assert.match(script, /'?--reference'? '?none/);
      for (const program of programs) assert.ok(script.includes(`\n# Each node needs "${program}".\n`), script);
      const ssh = sshDryRun(
        { ...submitting, say: (line) => said.push(line) },
        { hosts: ["a", "b"], ssh: [], program: "/t" },
      );
      assert.equal(schemaErrors("submission-planned", ssh), null);
      assert.deepEqual(plannedLines(ssh), [
        "2 of 3 cells would run on a, b: 2-3",
        `each host needs: ${[`Trilane ${version} as /t`, ...programs].join(", ")}`,
      ]);
      assert.deepEqual(said, []);
      for (const cell of [2, 3]) await madeShard({ host: "b", cell });
      const done = slurmDryRun({ ...submitting, say: () => undefined }, { cpus: null, options: [] });
      assert.deepEqual([done.cells, plannedLines(done)], [[], ["nothing to run: 3 of 3 cells finished before"]]);
    });

    test("shards are one finished sweep, whose attempts keep what they left, and which knows who ran what", async () => {
      await madeShard({ host: "a", cell: 1 });
      await madeShard({ host: "a", cell: 3 });
      const other = await madeShard({ host: "b", cell: 2 });
      assert.equal(isFinished(other, (await shared()).plan.digest), true);
      const shard = openResultsFile(other);
      const own = documentsOf(shard, shard.hostsOf(1)[0]);
      shard.close();
      assert.equal(own.length, left * each * repetitions);
      const said = await merged();
      assert.equal(schemaErrors("merged", said), null);
      const all = cells * each * repetitions;
      assert.deepEqual([said.kind, said.cells, said.missing, said.loads], [kind, cells, [], all]);
      assert.deepEqual(
        said.hosts.map((host) => [host.name, host.cells, host.loads]),
        [
          ["a", [1, 3], 2 * each * repetitions],
          ["b", [2], each * repetitions],
        ],
      );
      const lines = mergedLines(said, kindOfSweeps(kind).attempts);
      assert.ok(lines.includes(counted), lines.join("\n"));
      assert.match(lines.join("\n"), /^machines not compared: they loaded no reference cells/m);
      const results = openResultsFile(join(folder, "merged.db"));
      try {
        const [sweep] = results.listAllSweeps();
        assert.ok(sweep?.kind === kind && sweep.finished_at !== null);
        const attempts = results.attemptsOf(sweep);
        const places = results.read("SELECT DISTINCT cell, block FROM attempt");
        assert.deepEqual([attempts.length, places.length], [all, all]);
        const ofB = results.hostsOf(sweep.id).find(({ name }) => name === "b");
        assert.deepEqual(documentsOf(results, ofB), own);
        assert.deepEqual([...new Set(ofB?.cells.map(({ place }) => place))], [2]);
        assert.equal(results.linkTestsOf(sweep.id).length, kind === "fetches" ? 0 : 3);
        const report = await (await kindOfSweeps(kind).stored()).report(results, sweep.id, {});
        assert.match(report, /2 machines ran the (runs|fetches); none is unlike the others/);
      } finally {
        results.close();
      }
      // What was merged is merged again, and a shard that came later joins it.
      rmSync(join(folder, "cell-0002-b.db"));
      const again = await merged(join(folder, "merged.db"));
      assert.deepEqual([again.missing, again.loads], [[], all]);
    });

    test("what is missing or unfinished is named; it is resumed with the recording that it began with", async () => {
      await madeShard({ host: "a", cell: 1 });
      const path = await madeShard({ host: "a", cell: 2, blocks: 1 });
      const said = await merged();
      assert.deepEqual([said.missing, said.unfinished], [[3], [2]]);
      await assert.rejects(
        madeShard({ host: "a", cell: 2, recording: "bbbb" }),
        /^UserError: recording shop has changed since sweep 1 began \(aaaa, now bbbb\): bring the earlier one back, or remove .*cell-0002-a/,
      );
      await madeShard({ host: "a", cell: 2 });
      assert.deepEqual((await merged(path, join(folder, "merged.db"))).unfinished, []);
    });

    test("a shard of another plan, seed or recording is refused, also beside what was merged before", async () => {
      await madeShard({ host: "a", cell: 1 });
      await merged();
      const seed = await madeShard({ host: "b", cell: 2, changed: { seed: 8 } });
      await assert.rejects(merged(), /^UserError: .*cell-0002-b\.db: of another plan \(seed 8, .* has seed 7\)/);
      const { plan } = await shared();
      assert.throws(() => isFinished(seed, plan.digest), /UserError: .*has loads of another plan \(shares/);
      rmSync(seed);
      const name = await madeShard({ host: "b", cell: 2, changed: { name: "other" } });
      await assert.rejects(merged(), /^UserError: .*cell-0002-b\.db: of another plan \(other /);
      rmSync(name);
      const recording = await madeShard({ host: "b", cell: 2, recording: "bbbb" });
      await assert.rejects(
        merged(join(folder, "merged.db"), recording),
        /^UserError: .*cell-0002-b\.db: of another recording shop \(bbbb, that of .*merged\.db is aaaa\)/,
      );
    });
  });

describe("what is special to an instrument's plans on several machines", () => {
  const folder = tempFolder("trilane-instrument-shards-");
  async function sharesOf(document: object) {
    const plan = join(folder, "plan.json");
    writeFileSync(plan, JSON.stringify(document));
    const options = { plan, shards: undefined, reference: undefined, as: undefined, compute: "timer" } as const;
    return (await clusterPlans(folder, source, options, "none")).plan;
  }

  test("objects of one live host are one machine's, all objects of one server or recording too", async () => {
    const objects = ["a.example/1", "b.example/1", "a.example/2"].map((object) => `https://${object}`);
    const plan = { name: "f", lanes: ["h2"], repetitions: 1, objects };
    const at = (document: object, cell: number) => {
      const place = { cell } as Shard;
      return fetchCellsAt(fetchPlanOf(document, "test"), place).map(({ object, link }) => `${object} ${link}`);
    };
    assert.equal((await sharesOf(plan)).cells, 2);
    assert.deepEqual(at(plan, 1), ["https://a.example/1 null", "https://a.example/2 null"]);
    assert.deepEqual(at(plan, 2), ["https://b.example/1 null"]);
    assert.equal((await sharesOf({ ...plan, connect: "192.0.2.1" })).cells, 1);
    const outside = { ...plan, outside: true, links: ["5mbit/50ms", "10mbit/50ms"] };
    assert.equal((await sharesOf(outside)).cells, 2);
    assert.deepEqual(at(outside, 2), ["https://b.example/1 5mbit/50ms", "https://b.example/1 10mbit/50ms"]);
    assert.equal((await sharesOf({ ...outside, connect: "192.0.2.1" })).cells, 1);
    assert.equal(at({ ...outside, connect: "192.0.2.1" }, 1).length, 6);
    const page = { name: "f", lanes: ["h2"], repetitions: 1, page: "shop", links: ["5mbit/50ms", "10mbit/50ms"] };
    const shares = await sharesOf(page);
    assert.deepEqual([shares.cells, shares.pages], [2, ["shop"]]);
    assert.equal(at({ ...page, objects }, 2).length, 3);
    assert.deepEqual((await sharesOf({ ...plan, syscalls: 1 })).programs, ["strace"]);
  });

  test("a command must be there on every machine: one named from a folder is refused", async () => {
    const plan = { name: "c", repetitions: 1, commands: [{ name: "one", words: ["curl", "./x"] }] };
    assert.deepEqual([(await sharesOf(plan)).cells, (await sharesOf(plan)).programs], [1, ["curl"]]);
    assert.deepEqual((await sharesOf({ ...plan, links, recording: "shop" })).pages, ["shop"]);
    await assert.rejects(
      sharesOf({ ...plan, commands: [{ name: "one", words: ["./old"] }] }),
      /^UserError: plan c: \.\/old is named from a folder, .*: write its path from \/ on, or a program in PATH$/,
    );
    await assert.rejects(
      sharesOf({ ...plan, numbers_file: "numbers.json" }),
      /^UserError: plan c: numbers_file numbers\.json is named from a folder, .*\/tmp\/numbers\.json$/,
    );
  });
});
