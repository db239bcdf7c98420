// The rule that ends the runs of any instrument but page loads: which cells it ends, and what it says. How often it errs is simulated through commands
// (test/cli/instruments/command/false_calls.slow.test.ts).
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pairsOf, type Ruled, type RuledAttempt, RuledValues } from "../../../../cli/results/answer/block_values.ts";
import { RuleLook } from "../../../../cli/results/answer/paired_rule.ts";
import { stoppingDocument, stoppingSentences } from "../../../../cli/results/answer/rule_outcome.ts";
import type { PlanUntil } from "../../../../schemas/generated/sweep_plan.ts";

interface Attempt extends RuledAttempt {
  readonly value: number;
}

/** Sides of so many objects, whose cells are numbered side by side; the first is what the others are compared with. */
function ruledOf(
  sides: number,
  objects = 1,
  counted: readonly Attempt["status"][] = ["valid", "failed"],
): Ruled<Attempt> {
  const all = Array.from({ length: sides }, (_, side) => ({
    ...{ name: `side ${side}`, quantity: { name: "wall_ms", title: "time" }, link: null, place: "" },
    cells: new Map(Array.from({ length: objects }, (__, object) => [`${object}`, side * objects + object] as const)),
    counted,
    valueOf: ({ value }: Attempt) => value,
  }));
  const [first, ...others] = all as [(typeof all)[0], ...typeof all];
  return { sides: all, comparisons: others.map((one) => ({ one, other: first })) };
}

/** A block: of each side, and of each of its objects, one value. */
const blockOf = (block: number, sides: readonly number[], objects = 1): Attempt[] =>
  sides.flatMap((value, side) =>
    Array.from({ length: objects }, (_, object) => ({
      ...{ cell: side * objects + object, block, status: "valid" as const },
      value: value * (object + 1),
    })),
  );

const until = { decided_percent: 3 };

describe("the rule", () => {
  const blocks = (count: number, values: readonly number[]) =>
    Array.from({ length: count }, (_, block) =>
      blockOf(
        block,
        values.map((value) => value * (1 + block / 1e6)),
      ),
    ).flat();
  const settled = (attempts: readonly Attempt[], rule: PlanUntil = until) =>
    [...new RuleLook(new RuledValues(ruledOf(3), attempts)).settledCells(rule, "")].toSorted();

  test("ends a side once all that it is compared with is decided, and the one that others are compared with last", () => {
    const apart = blocks(6, [100, 150, 150]);
    assert.deepEqual(settled(blocks(4, [100, 150, 150])), []);
    assert.deepEqual(settled(apart), [0, 1, 2]);
    const noisy = apart.map((each) => (each.cell === 2 ? { ...each, value: each.block % 2 ? 90 : 115 } : each));
    assert.deepEqual(settled(noisy), [1]);
  });

  test("with a precision ends all sides of a place at once, after ten blocks or more", () => {
    assert.deepEqual(settled(blocks(9, [1, 2, 3]), { interval_percent: 1 }), []);
    assert.deepEqual(settled(blocks(10, [1, 2, 3]), { interval_percent: 1 }), [0, 1, 2]);
  });

  test("what is settled stays so if an attempt of an earlier block comes late", () => {
    const [missing, ...rest] = blocks(6, [100, 150, 150]);
    const seventh = blockOf(6, [100, 150, 150]);
    const before = settled([...rest, ...seventh]);
    assert.deepEqual(before, [0, 1, 2]);
    assert.deepEqual(settled([...rest, ...seventh, { ...(missing as Attempt), value: 900 }]), before);
  });

  test("an object that fails on one side is in no pair of its block, and an invalid attempt completes none", () => {
    const [comparison] = ruledOf(2, 2).comparisons;
    const values = blockOf(0, [10, 20], 2);
    assert.deepEqual(
      pairsOf(comparison as never, values).map(({ one, other }) => (one / other).toFixed(9)),
      ["2.000000000"],
    );
    const failed = values.map((each) => (each.cell === 3 ? { ...each, status: "failed" as const } : each));
    assert.deepEqual(
      pairsOf(comparison as never, failed).map(({ one, other }) => [one, other]),
      [[20, 10]],
    );
    const invalid = values.map((each) => (each.cell === 3 ? { ...each, status: "invalid" as const } : each));
    assert.deepEqual(pairsOf(comparison as never, invalid), []);
  });

  test("an attempt that failed and was made again validly gives its block the second one's value, in the order in which they ended", () => {
    const retried = blocks(6, [100, 150]).flatMap((each) =>
      each.cell === 1 && each.block % 2 ? [{ ...each, status: "failed" as const, value: 0 }, each] : [each],
    );
    const pairsIn = (counted: readonly Attempt["status"][], attempts: readonly Attempt[]) =>
      pairsOf(ruledOf(2, 1, counted).comparisons[0] as never, attempts);
    assert.equal(pairsIn(["valid"], retried).length, 6);
    assert.equal(pairsIn(["valid", "failed"], retried).length, 3);
    for (let ended = 1; ended <= retried.length; ended++) {
      const pairs = pairsIn(["valid"], retried.slice(0, ended));
      assert.deepEqual(pairs, pairsIn(["valid"], retried).slice(0, pairs.length));
    }
  });

  test("what more runs would hardly decide is given up, which is said", () => {
    // By turns 40 % more and less.
    const attempts = blocks(12, [100, 100]).map((each) =>
      each.cell === 1 && each.block % 2 === 1
        ? { ...each, value: 140 }
        : { ...each, value: each.cell === 0 ? 100 : 71 },
    );
    const of = { ruled: ruledOf(2), attempts, isFinished: true, noun: ["run", "runs"] } as const;
    const [first, ...more] = stoppingSentences({ ...of, plan: { until: { decided_percent: 1 }, repetitions: 30 } });
    assert.match(first ?? "", /^Time: 0 of 1 comparison decided within 1 %/);
    assert.deepEqual(more, ["1 comparison was given up: more runs would hardly decide it."]);
  });

  test("a side of which nothing comes is given up, which is said, and the others run until they are known", () => {
    const without = (count: number, side: number) =>
      blocks(count, [100, 150, 150]).map((each) =>
        each.cell === side ? { ...each, status: "failed" as const } : { ...each, value: 100 + ((each.block * 7) % 11) },
      );
    const said = (attempts: readonly Attempt[], rule: PlanUntil) =>
      stoppingSentences({
        ...{ ruled: ruledOf(3), attempts, isFinished: true, noun: ["run", "runs"] },
        plan: { until: rule, repetitions: 30 },
      }).slice(1);
    assert.deepEqual(settled(without(4, 2)), []);
    assert.deepEqual(settled(without(5, 2)), [2]);
    assert.deepEqual(said(without(5, 2), until), [
      "1 comparison was given up: no block of the first 5 has a value on both sides.",
    ]);
    // What the others are compared with.
    assert.deepEqual(settled(without(5, 0)), [0, 1, 2]);
    assert.equal(said(without(4, 0), until).length, 0);

    const [wide, narrow] = [{ interval_percent: 0.1 }, { interval_percent: 20 }];
    assert.deepEqual(settled(without(9, 2), wide), []);
    assert.deepEqual(settled(without(10, 2), wide), [2]);
    assert.deepEqual(settled(without(10, 2), narrow), [0, 1, 2]);
    assert.deepEqual(said(without(10, 2), narrow), ["1 median was given up: no block of the first 10 has a value."]);
    // The machine disturbed it: its turn will come.
    const disturbed = without(30, 2).map((each) => (each.cell === 2 ? { ...each, status: "invalid" as const } : each));
    assert.ok(!settled(disturbed).includes(2));
  });

  test("says what was decided, by how many runs, and what the time did not suffice for", () => {
    const attempts = blocks(6, [100, 150, 150]);
    const of = { ruled: ruledOf(3), attempts, isFinished: true, noun: ["run", "runs"] as const };
    assert.deepEqual(stoppingSentences({ ...of, plan: { until, repetitions: 30 } }), [
      "Time: 2 of 2 comparisons decided within 3 %, by 18 valid runs; all repetitions would have been 90.",
    ]);
    const limited = { until: { interval_percent: 2 }, time_limit_s: 60, repetitions: 30 };
    assert.deepEqual(stoppingSentences({ ...of, plan: limited }), [
      "Time: not all medians known within 2 %, by 18 valid runs; all repetitions would have been 90.",
      "The time limit of 60 s was over before 72 of 90 planned runs.",
    ]);
    assert.deepEqual(stoppingSentences({ ...of, plan: { repetitions: 30 } }), []);
    assert.equal(stoppingDocument({ ...of, plan: { repetitions: 30 } }), null);
    const document = stoppingDocument({ ...of, plan: { until, repetitions: 30 } });
    assert.deepEqual(document?.sentences, stoppingSentences({ ...of, plan: { until, repetitions: 30 } }));
    const [first, second] = document?.decisions ?? [];
    assert.equal(document?.decisions.length, 2);
    assert.deepEqual(
      { ...first, ratio: null, low: null, high: null },
      {
        ...{ link: null, one: "side 1", other: "side 0", metric: "wall_ms", decision: "more" },
        ...{ blocks: 6, given_up: false, ratio: null, low: null, high: null },
      },
    );
    assert.deepEqual(
      [second?.ratio, second?.low, second?.high].map((value) => value?.toFixed(6)),
      ["1.500000", "1.500000", "1.500000"],
    );
    const byLimit = stoppingDocument({ ...of, plan: limited });
    assert.equal(byLimit?.sentences.length, 2);
    assert.deepEqual(byLimit?.decisions, []);
  });

  test("reads the value of an attempt once, however often it looks", () => {
    let read = 0;
    const { sides } = ruledOf(2);
    const [one, other] = sides.map((side) => ({
      ...side,
      valueOf: (attempt: Attempt) => {
        read += 1;
        return side.valueOf(attempt);
      },
    })) as [(typeof sides)[0], (typeof sides)[0]];
    const values = new RuledValues({ sides: [one, other], comparisons: [{ one, other }] });
    for (const attempt of blocks(20, [100, 101])) {
      values.add(attempt);
      new RuleLook(values).settledCells(until, "");
    }
    assert.equal(read, 40);
  });

  test("looks at attempts as they come, and at those of earlier blocks alone", () => {
    const all = blocks(8, [100, 150, 150]).toSorted((a, b) => (a.block % 3) - (b.block % 3));
    const growing = new RuledValues(ruledOf(3));
    for (const [at, attempt] of all.entries()) {
      growing.add(attempt);
      for (const before of [3, 6, 8]) {
        const seen = all.slice(0, at + 1).filter(({ block }) => block < before);
        const fresh = new RuleLook(new RuledValues(ruledOf(3), seen));
        assert.deepEqual(new RuleLook(growing, before).settledCells(until, ""), fresh.settledCells(until, ""));
      }
    }
    assert.equal(new RuleLook(growing, 5).settledCells(until, "").size, 0);
    assert.equal(new RuleLook(growing, 6).settledCells(until, "").size, 3);
  });
});
