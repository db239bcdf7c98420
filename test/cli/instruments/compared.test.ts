// Fetches and flows as sides of a comparison: what became slower is, and by the words of what was measured.
import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../../../cli/base/errors.ts";
import { comparedFetches } from "../../../cli/instruments/fetch/answer/compared.ts";
import { comparedFlows } from "../../../cli/instruments/flows/answer/compared.ts";
import { compareRuns } from "../../../cli/results/compare/compare.ts";
import type { ComparedSweep } from "../../../cli/results/compare/interleaved.ts";
import { comparisonLines } from "../../../cli/results/compare/words.ts";
import { judgeBudgets } from "../../../cli/results/gate/budget.ts";
import { junitText } from "../../../cli/results/gate/junit.ts";
import { commentText } from "../../../cli/results/gate/words.ts";
import type { Budget } from "../../../schemas/generated/budget.ts";
import { storedFetch } from "./fetch/records.ts";

const terms = { threshold_percent: 5, occasionSpread_percent: 1 };
const repetitions = 10;
const cell = { id: 1, sweep: 1, link: "10mbit/50ms", link_profile: null as never };
const blocks = Array.from({ length: repetitions + 1 }, (_, block) => block);

/** `times` as slow as usual. The block after the last one counts system calls, and is slower still. */
function fetches(times: number, tls: "1.2" | "1.3" = "1.3", digest: string | null = null): ComparedSweep {
  const made = blocks.map((block) =>
    storedFetch({ block, record: { download_ms: (block === repetitions ? 9000 : 200 + block) * times } }),
  );
  const object = "https://shop.example/";
  const variant = { object, lane: "h2", tls, ip: 4 } as const;
  return comparedFetches({ plan: { repetitions } as never }, [{ ...cell, ...variant }], made, digest);
}

/** Two flows alike by their words, of which the second gets less the slower all is. */
function flows(times: number, for_s = 10): ComparedSweep {
  const group = (part: number, goodput_bps: number) => ({ group: part, flows: 1, metrics: { goodput_bps } });
  const runs = blocks.map((block) => ({
    ...{ id: block + 1, cell: 1, block, attempt: 0, position: block, status: "valid" as const, reasons: [] },
    ...{ mix: "two", link: cell.link, lane: null, started_at: "2026-01-01T00:00:00.000Z", wall_ms: 1000 },
    result: { groups: [group(0, 4e6 + block), group(1, (2e6 + block) / times)] } as never,
  }));
  const plan = { mixes: [{ name: "two", flows: ["quic", "quic"] }], for_s } as never;
  return comparedFlows({ plan }, [{ ...cell, mix: "two", lane: null }], runs);
}

test("fetches are compared by their downloads, without those that count system calls", () => {
  const { cells } = compareRuns([fetches(1)], [fetches(1.2)], terms);
  assert.deepEqual(
    cells.map(({ page, lane, judgement, median_a_ms, loads_a }) => [page, lane, judgement, median_a_ms, loads_a]),
    [["https://shop.example/", "h2", "slower", 204.5, repetitions]],
  );
});

test("flows are compared one by one, by what a megabyte takes each", () => {
  const { cells } = compareRuns([flows(1)], [flows(1.2)], terms);
  assert.deepEqual(
    cells.map(({ page, lane, judgement }) => [page, lane, judgement]),
    [
      ["two", "quic", "same"],
      ["two", "quic (2)", "slower"],
    ],
  );
  assert.ok(Math.abs((cells[1]?.median_a_ms ?? 0) - 4000) < 0.1, "8 Mbit at 2 Mbit/s take 4 s");
});

test("other TLS is another lane, and runs of another length are on another link", () => {
  const { cells, only_b } = compareRuns([fetches(1)], [fetches(1, "1.2")], terms);
  assert.deepEqual([cells, only_b], [[], 1]);
  const [longer] = compareRuns([flows(1)], [flows(1, 60)], terms).cells;
  assert.deepEqual([longer?.judgement, longer?.other_link], ["unknown", true]);
});

test("a budget names an object and a lane, a mix and a flow; a command there is none", () => {
  const at_most_ms = 300;
  const judged = (run: ComparedSweep, more: object) =>
    judgeBudgets([{ metric: "time", at_most_ms, ...more } as Budget], [run], run.nouns);
  assert.deepEqual(
    judged(fetches(1), { page: "https://shop.example/", lane: "h2" }).map(({ outcome }) => outcome),
    ["kept"],
  );
  assert.deepEqual(
    judged(flows(1), { page: "two", lane: "quic (2)" }).map(({ outcome }) => outcome),
    ["exceeded"],
  );
  for (const wrong of [{ command: "h2" }, { metric: "lcp" }, { lane: "h3" }])
    assert.throws(() => judged(fetches(1), wrong), UserError);
});

test("another recording behind the objects is said; one that was not noted is no other", () => {
  const [changed] = compareRuns([fetches(1, "1.3", "a")], [fetches(1, "1.3", "b")], terms).cells;
  assert.deepEqual([changed?.judgement, changed?.other_recording], ["unknown", true]);
  const { cells } = compareRuns([fetches(1, "1.3", "a")], [fetches(1.2)], terms);
  assert.deepEqual([cells[0]?.judgement, cells[0]?.other_recording], ["slower", false]);
});

test("a comparison is in the words of what was measured: table, comment and JUnit", () => {
  const failing = (run: ComparedSweep): ComparedSweep => ({
    ...run,
    loads: run.loads.map((load) => ({ ...load, status: "failed" as const, reasons: ["refused"] })),
  });
  const few = (run: ComparedSweep): ComparedSweep => ({ ...run, loads: run.loads.slice(0, 2) });
  for (const run of [fetches(1), flows(1)])
    for (const other of [failing(run), few(run)]) {
      const { nouns } = run;
      const comparison = compareRuns([run], [other], terms);
      const facts = { comparison, threshold_percent: 5, metric: nouns.metric ?? "", nouns };
      const text = [
        ...comparisonLines(comparison, 5, undefined, nouns),
        commentText({ ...facts, moved: null, budgets: [], report: null }),
        junitText(comparison, [], nouns),
      ].join("\n");
      assert.doesNotMatch(text, /\bloads?\b|\bpage load/);
      assert.match(text, nouns.of === "fetches" ? /no valid fetch|valid fetches/ : /no valid run|valid runs/);
    }
});
