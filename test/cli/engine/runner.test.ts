// cli/engine/runner.ts with each instrument's attempts made up, in virtual time: what all of them have from the engine. A stop drops what is
// under way and the next run resumes; a request to end keeps it; a link that is out, a disturbed machine and a full disk cost no task; a run
// ends with what it has when its time is over, or when its plan's rule is met; labs side by side lose and mix nothing; each attempt has a folder
// for its evidence.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RunError } from "../../../cli/base/errors.ts";
import type { AttemptTerms, RunnerOptions, RunOutcome } from "../../../cli/engine/measuring.ts";
import { commandCellsOf, commandPlanOf } from "../../../cli/instruments/command/plan/plan.ts";
import type { CommandSweep } from "../../../cli/instruments/command/plan/stored_plan.ts";
import { commandTasks, runCommands } from "../../../cli/instruments/command/run/runner.ts";
import { addedMeasured, measuredRunsOf } from "../../../cli/instruments/command/store/measured_runs.ts";
import { fetchCellsOf, fetchPlanOf } from "../../../cli/instruments/fetch/plan/plan.ts";
import { HostManners } from "../../../cli/instruments/fetch/run/host_manners.ts";
import { fetchTasks, runFetchSweep } from "../../../cli/instruments/fetch/run/runner.ts";
import { addedFetches, fetchesOf } from "../../../cli/instruments/fetch/store/fetch_runs.ts";
import { flowResult } from "../../../cli/instruments/flows/metrics/flow_result.ts";
import { cellsOf as flowCellsOf, flowPlanDigest, flowPlanOf } from "../../../cli/instruments/flows/plan/plan.ts";
import { runFlowSweep } from "../../../cli/instruments/flows/run/runner.ts";
import { flowTasks, runCells } from "../../../cli/instruments/flows/run/tasks.ts";
import { addedFlows, flowRunsOf } from "../../../cli/instruments/flows/store/flow_runs.ts";
import { runPageLoads } from "../../../cli/instruments/page/run/runner.ts";
import { groupsOf } from "../../../cli/link/flows/flow_run.ts";
import { disturbedRunReason } from "../../../cli/load/disturbance.ts";
import type { StoppingPlan } from "../../../cli/results/answer/paired_rule.ts";
import { openResults, type Results } from "../../../cli/results/store/results.ts";
import type { SweepEvent } from "../../../schemas/generated/sweep_event.ts";
import { tempFolder } from "../../temp_folder.ts";
import { commandRun } from "../instruments/command/runs.ts";
import { fetchRecord } from "../instruments/fetch/records.ts";
import { twoFlows } from "../instruments/flows/records/two_flows.ts";
import { fastPlan, sweepOf } from "../instruments/page/run/fast_runner.ts";
import { pageLoad } from "../sweep/page_load.ts";

const wall_ms = 100;

/** What an attempt is given, over this link. */
interface Made extends AttemptTerms {
  readonly rate_bps: number | null;
}

/** How an attempt ends: validly, or for this reason. Throws what fails it. */
type Attempt = (made: Made) => Promise<string | null>;

type Given = Pick<
  RunnerOptions<never>,
  "links" | "earlyEnd" | "most_ms" | "signal" | "machine" | "pause" | "now_ms" | "labs" | "evidence"
> & { readonly tell: (event: SweepEvent) => void };

interface Row {
  readonly link: string | null;
  readonly position: number;
  readonly attempt: number;
  readonly status: string;
  readonly reasons: readonly string[];
}

interface Kind {
  /** All planned. */
  readonly tasks: number;
  /** Attempts of a block of its plan with a rule, all of which are compared. */
  readonly ruled: number;
  /** Begins or resumes, and runs. `rule`: of 30 repetitions. */
  readonly run: (results: Results, given: Given, attempt: Attempt, rule?: StoppingPlan) => Promise<RunOutcome>;
  /** In the order in which they were stored. */
  readonly rows: (results: Results) => readonly Row[];
}

const ended = (reason: string | null) => ({
  status: reason === null ? ("valid" as const) : ("invalid" as const),
  reasons: reason === null ? [] : [reason],
  wall_ms,
});
const links = ["5mbit/50ms", "10mbit/50ms"];
const begun = { seed: 1, plan_digest: "d", command: [], environment: {} };
const guess_ms = (): number => wall_ms;

/** What a plan has more with a rule. */
const terms = (rule?: StoppingPlan) => ({ repetitions: rule ? 30 : 3, ...rule });

const pagesOf = (rule?: StoppingPlan) => fastPlan({ pages: ["a"], lanes: ["h1", "h3"], links, ...terms(rule) });
const mixes = [{ flows: ["tcp:cubic", "quic:reno@20ms,up"] }, { flows: ["2*tcp:reno"] }];
const ruledMixes = [{ flows: ["tcp:cubic", "quic:reno"] }];
const flowsOf = (rule?: StoppingPlan) =>
  flowPlanOf({ name: "f", for_s: 0.1, links, mixes: rule ? ruledMixes : mixes, ...terms(rule) }, "test");
const objects = ["https://a.example/"];
const fetchesIn = (rule?: StoppingPlan) =>
  fetchPlanOf({ name: "o", objects, lanes: ["h2", "h3"], links, outside: true, pause_ms: 0, ...terms(rule) }, "test");
const compared = ["a", "b"].map((name) => ({ name, words: ["true"] }));
const commandsOf = (rule?: StoppingPlan) =>
  commandPlanOf({ name: "c", links, commands: compared, ...terms(rule) }, "test");

const kinds: Readonly<Record<string, Kind>> = {
  pages: {
    tasks: 12,
    ruled: 4,
    rows: (results) => results.loadsOf(1),
    run: (results, given, attempt, rule) => {
      const pages = pagesOf(rule);
      return runPageLoads({
        ...{ ...given, ...results.beginSweep(sweepOf(pages), false), home: "", results, plan: pages, guess_ms },
        urlOf: (page) => `https://${page}.example/`,
        measure: async ({ recording, lane, link, signal = given.signal, cpus, evidence }) => {
          const end = ended(await attempt({ signal, cpus, evidence, rate_bps: link.down.rate_bps }));
          return pageLoad({ page: recording.name, recording_digest: recording.digest, lane, link, ...end });
        },
      });
    },
  },
  flows: {
    tasks: 12,
    ruled: 2,
    rows: (results) => flowRunsOf(results, 1),
    run: (results, given, attempt, rule) => {
      const flows = flowsOf(rule);
      const flowCells = flowCellsOf(flows);
      const head = { ...begun, name: "f", plan_digest: flowPlanDigest(flows) };
      const { sweep, resumed } = results.begin(addedFlows({ ...head, plan: flows, flowCells }), false);
      return runFlowSweep({
        ...{ ...given, home: "", results, sweep, resumed, plan: flows, guess_ms },
        tasks: flowTasks(results, sweep, flows, runCells(results, sweep, flowCells)),
        resultOf: (records, cell) => flowResult(records, groupsOf(cell.flows)),
        attempt: async (request) => {
          const end = ended(await attempt({ ...request, rate_bps: request.link.down.rate_bps }));
          return { ...end, records: twoFlows(), pageLoad: null };
        },
      });
    },
  },
  fetches: {
    tasks: 12,
    ruled: 4,
    rows: (results) => fetchesOf(results, 1),
    run: (results, given, attempt, rule) => {
      const fetches = fetchesIn(rule);
      const head = { ...begun, name: "o", plan: fetches, fetchCells: fetchCellsOf(fetches) };
      const { sweep, resumed } = results.begin(addedFetches(head), false);
      const { signal } = given;
      return runFetchSweep({
        ...{ ...given, results, sweep, resumed, guess_ms, tasks: fetchTasks(results, sweep, fetches) },
        manners: new HostManners({ plan: fetches, signal }),
        requestOf: ({ object, lane, tls, ip, link_profile: link }) => ({
          ...{ plan: fetches, object, lane, tls, ip, ca: null, countsCalls: false },
          lab: link && { home: "", recording: null, far: [], server: null, link },
        }),
        attempt: async (request) => {
          const end = ended(await attempt({ ...request, rate_bps: request.lab?.link.down.rate_bps ?? null }));
          return { ...end, record: fetchRecord(), cost: null };
        },
      });
    },
  },
  commands: {
    tasks: 12,
    ruled: 4,
    rows: (results) => measuredRunsOf(results, 1),
    run: (results, given, attempt, rule) => {
      const commands = commandsOf(rule);
      const head = { ...begun, kind: "commands", name: "c", plan: commands } as const;
      const added = addedMeasured<CommandSweep>({ ...head, measuredCells: commandCellsOf(commands) });
      const { sweep, resumed } = results.begin(added, false);
      return runCommands({
        ...{ ...given, results, sweep, resumed, guess_ms, tasks: commandTasks(results, sweep, commands) },
        attempt: async ({ link_profile }, _, given) => {
          const end = ended(await attempt({ ...given, rate_bps: link_profile?.down.rate_bps ?? null }));
          return { ...end, record: commandRun({ subject: "a", block: 0, wall_ms }).record };
        },
      });
    },
  },
};

for (const [name, kind] of Object.entries(kinds))
  describe(`the runner with ${name}`, () => {
    /** A home of its own, and runs in it one after another. */
    function place() {
      const results = openResults(tempFolder("trilane-engine-"));
      const events: SweepEvent[] = [];
      const paused_ms: number[] = [];
      let now_ms = 0;
      const run = async (
        attempt: (call: number, made: Made) => string | null | Promise<string | null>,
        more: Partial<Given> = {},
        rule?: StoppingPlan,
      ): Promise<RunOutcome> => {
        let calls = 0;
        const given: Given = {
          links: null,
          signal: new AbortController().signal,
          now_ms: () => now_ms,
          pause: async (time_ms) => {
            paused_ms.push(time_ms);
            now_ms += time_ms;
          },
          // Reports nothing: no attempt waits.
          machine: () => ({ stalled_us: null, used_ms: null, stolen_ms: null }),
          tell: (event) => events.push(event),
          ...more,
        };
        const made: Attempt = async (made) => {
          now_ms += wall_ms;
          return attempt(++calls, made);
        };
        return await kind.run(results, given, made, rule).finally(() => results.release(1));
      };
      const rows = () => kind.rows(results);
      return { results, events, paused_ms, run, rows, now_ms: () => now_ms };
    }
    const valid = () => null;
    const positions = Array.from({ length: kind.tasks }, (_, index) => index);
    const finished = ["finished", kind.tasks, kind.tasks];
    const facts = ({ state, done, all }: RunOutcome) => [state, done, all];

    // A lab that is taken down under an attempt may fail it.
    for (const last of [null, "the lab was taken down"])
      test(`a stop drops the attempt under way, keeps the others, and the next run resumes: ${last ?? "valid"}`, async () => {
        const { run, rows, events, results } = place();
        const stop = new AbortController();
        const stopping = (call: number): string | null => {
          if (call < 5) return null;
          stop.abort();
          return last;
        };
        assert.deepEqual(facts(await run(stopping, { signal: stop.signal })), ["stopped", 4, kind.tasks]);
        assert.equal(rows().length, 4);
        events.length = 0;
        assert.deepEqual(facts(await run(valid)), finished);
        const [first] = events;
        assert.ok(first?.event === "sweep-started" && first.resumed && first.done === 4);
        assert.equal(first.kind, name === "pages" ? undefined : name);
        assert.deepEqual(
          rows().map(({ position }) => position),
          positions,
        );
        assert.equal(results.listAllSweeps().length, 1);
        results.close();
      });

    test("what would fail every attempt ends the run, and the next run resumes", async () => {
      const { run, rows, results } = place();
      const failing = (call: number): null => {
        if (call === 5) throw new RunError("no user namespaces");
        return null;
      };
      await assert.rejects(run(failing), /RunError: no user namespaces/);
      assert.equal(rows().length, 4);
      assert.deepEqual(facts(await run(valid)), finished);
      assert.equal(rows().length, kind.tasks);
      results.close();
    });

    // All attempts of a side have one value: equal ones are decided after five blocks, different ones after six; medians are known after ten.
    for (const [until, blocks] of [
      [{ decided_percent: 5 }, name === "flows" ? 6 : 5],
      [{ interval_percent: 5 }, 10],
    ] as const)
      test(`a rule of the plan ends what is enough, and a resumed run continues it: ${Object.keys(until)}`, async () => {
        const { run, rows, results } = place();
        const stop = new AbortController();
        const stopping = (call: number): null => {
          if (call === 7) stop.abort();
          return null;
        };
        await run(stopping, { signal: stop.signal }, { until });
        assert.equal(rows().length, 6);
        assert.deepEqual(facts(await run(valid, {}, { until })), ["finished", ...Array(2).fill(blocks * kind.ruled)]);
        assert.equal(rows().length, blocks * kind.ruled);
        results.close();
      });

    test("the plan's limit of time ends the rest", async () => {
      const { run, rows, results } = place();
      const { state, cut } = await run(valid, {}, { time_limit_s: (8 * wall_ms) / 1000 });
      assert.deepEqual([state, rows().length, cut], ["finished", 8, 30 * kind.ruled - 8]);
      results.close();
    });

    test("when it is to end, the attempt in flight is finished and kept", async () => {
      const { run, rows, results } = place();
      const earlyEnd = () => (rows().length === 3 ? "its 1s are over" : null);
      const outcome = await run(valid, { earlyEnd });
      assert.deepEqual([...facts(outcome), outcome.endReason], ["stopped", 3, kind.tasks, "its 1s are over"]);
      assert.equal(rows().length, 3);
      results.close();
    });

    test("tasks over a link that is out wait for the end, and do not count if it stays so", async () => {
      const { run, rows, results } = place();
      const faultOf = async (link: string) => (link.startsWith("5mbit") ? "rate down 9" : null);
      assert.deepEqual(facts(await run(valid, { links: { faultOf, isDue: () => false } })), finished);
      const [early, late] = [rows().slice(0, 6), rows().slice(6)];
      assert.equal(late.length, 6, "none is tried again");
      assert.ok(early.every(({ link, status }) => link?.startsWith("10mbit") && status === "valid"));
      assert.ok(late.every(({ status, reasons }) => status === "invalid" && reasons[0] === "rate down 9"));
      results.close();
    });

    test("an attempt that the machine disturbed is tried again, and both are kept", async () => {
      const { run, rows, results } = place();
      const outcome = await run((call) => (call === 1 ? `${disturbedRunReason}: it held the link up` : null));
      assert.deepEqual(facts(outcome), finished);
      assert.equal(rows().length, kind.tasks + 1);
      assert.equal(rows().filter(({ status }) => status === "valid").length, kind.tasks);
      assert.deepEqual(
        rows().flatMap(({ position, attempt, status }) => (position === 0 ? [[attempt, status]] : [])),
        [
          [0, "invalid"],
          [1, "valid"],
        ],
      );
      results.close();
    });

    test("a full disk pauses it, reported once; no task is lost", async () => {
      const { run, rows, events, paused_ms, results } = place();
      let full = 2;
      const outcome = await run(() => {
        if (full-- > 0) throw Object.assign(new Error("write"), { code: "ENOSPC", syscall: "write", path: "/tmp/x" });
        return null;
      });
      assert.deepEqual(facts(outcome), finished);
      assert.deepEqual([rows().length, paused_ms.length], [kind.tasks, 2]);
      assert.equal(events.filter(({ event }) => event === "sweep-paused").length, 1);
      results.close();
    });

    test("when its time is over it ends with what it has, and is finished", async () => {
      const { run, rows, results, now_ms } = place();
      const { state, done, cut } = await run(valid, { most_ms: () => 4.5 * wall_ms - now_ms() });
      assert.deepEqual([state, done, cut, rows().length], ["finished", 5, kind.tasks - 5, 5]);
      results.close();
    });

    const cpus = [
      [0, 1],
      [2, 3],
    ];
    const labs = { most: 2, mayShare: () => true, cpus };

    test("two labs: attempts share the machine on CPUs of their own, each once; those of a link and block stay one after another", async () => {
      const { run, rows, events, results } = place();
      const running = new Map<Made, number>();
      let mostAtOnce = 0;
      const attempt = async (_: number, made: Made): Promise<null> => {
        running.set(made, events.length);
        mostAtOnce = Math.max(mostAtOnce, running.size);
        const bound = [...running.keys()].map((each) => String(each.cpus));
        assert.ok(running.size === 1 || new Set(bound).size === running.size, bound.join(" "));
        await new Promise((resolve) => setImmediate(resolve));
        running.delete(made);
        return null;
      };
      assert.deepEqual(facts(await run(attempt, { labs })), finished);
      assert.equal(mostAtOnce, 2);
      const stored = rows().map(({ position }) => position);
      assert.deepEqual(
        stored.toSorted((a, b) => a - b),
        positions,
      );
      const ofUnits = Map.groupBy(rows(), ({ position, link }) => `${Math.floor(position / 4)} ${link}`);
      for (const unit of ofUnits.values())
        assert.deepEqual(
          unit.map(({ position }) => position),
          unit.map(({ position }) => position).toSorted((a, b) => a - b),
        );
      results.close();
    });

    test("two labs: they share the time that is left", async () => {
      const times = async (given: Partial<Given>): Promise<readonly number[]> => {
        const { run, events, results } = place();
        await run(valid, given);
        results.close();
        return events.flatMap((event) =>
          "expected_s" in event
            ? [event.expected_s]
            : "left_s" in event && event.event !== "link-tested"
              ? [event.left_s]
              : [],
        );
      };
      const [alone = 0] = await times({});
      const [first = 0, ...left] = await times({ labs });
      assert.ok(Math.abs(first - alone / 2) < 1e-9, `${first} of ${alone}`);
      assert.equal(left.length, kind.tasks);
      assert.equal(left.at(-1), 0);
    });

    test("two labs: an attempt over a link that needs the machine has it to itself", async () => {
      const { run, rows, results } = place();
      let running = 0;
      const attempt = async (_: number, { rate_bps }: Made): Promise<null> => {
        running++;
        await new Promise((resolve) => setImmediate(resolve));
        assert.ok(running === 1 || rate_bps === 5e6, `${running} at once`);
        running--;
        return null;
      };
      const mayShare = ({ down }: { readonly down: { readonly rate_bps: number | null } }) => down.rate_bps === 5e6;
      assert.deepEqual(facts(await run(attempt, { labs: { most: 2, mayShare } })), finished);
      assert.equal(rows().length, kind.tasks);
      results.close();
    });

    test("two labs: a stop drops both attempts under way, and the next run makes what is missing", async () => {
      const { run, rows, results } = place();
      const stop = new AbortController();
      const attempt = async (call: number): Promise<null> => {
        await new Promise((resolve) => setImmediate(resolve));
        if (call === 7) stop.abort();
        return null;
      };
      assert.equal((await run(attempt, { labs, signal: stop.signal })).state, "stopped");
      assert.ok(rows().length >= 5 && rows().length <= 6, `${rows().length} rows`);
      assert.deepEqual(facts(await run(valid, { labs })), finished);
      const stored = rows().map(({ position }) => position);
      assert.deepEqual(
        stored.toSorted((a, b) => a - b),
        positions,
      );
      results.close();
    });

    test("two labs: what would fail every attempt ends the one beside it, too", async () => {
      const { run, results } = place();
      let wasEnded = false;
      const attempt = async (call: number, { signal }: Made): Promise<null> => {
        if (call === 2) throw new Error("no such program");
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        wasEnded = true;
        throw signal.reason;
      };
      await assert.rejects(run(attempt, { labs }), /^Error: no such program$/);
      assert.ok(wasEnded);
      results.close();
    });

    test("each attempt has a folder of its own for its evidence, below the sweep's; without a folder none", async () => {
      const { run, results } = place();
      const folders: (string | undefined)[] = [];
      const attempt = (call: number, { evidence }: Made): string | null => {
        folders.push(evidence);
        return call === 1 ? `${disturbedRunReason}: it held the link up` : null;
      };
      await run(attempt, { evidence: "/kept" });
      assert.equal(new Set(folders).size, kind.tasks + 1);
      for (const folder of folders) assert.match(folder ?? "", /^\/kept\/sweep-1\/.*block[012]-attempt[01]$/);
      const [again, ...more] = folders.filter((folder) => folder?.endsWith("attempt1"));
      assert.deepEqual([again?.replace(/1$/, "0"), more], [folders[0], []]);
      const without = place();
      await without.run((_, { evidence }) => (evidence === undefined ? null : "a folder"));
      assert.ok(without.rows().every(({ status }) => status === "valid"));
      without.results.close();
      results.close();
    });
  });
