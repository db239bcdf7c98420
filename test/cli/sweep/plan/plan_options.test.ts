// cli/sweep/plan/plan_options.ts: the options of a command as a plan has them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { planChoiceOf } from "../../../../cli/sweep/plan/plan_options.ts";
import { assertRefused } from "../../refusal.ts";

const of = (tolerance?: string, retryFor?: number) => planChoiceOf({ tolerance, "retry-for": retryFor });

test("a share, a time, or both", () => {
  assert.deepEqual(of(), {});
  assert.deepEqual(of("2%"), { tolerance: { share: 0.02, ms: 5 } });
  assert.deepEqual(of("12.5ms"), { tolerance: { share: 0, ms: 12.5 } });
  assert.deepEqual(of("0.7%, 20ms", 60), { tolerance: { share: 0.007, ms: 20 }, retry_for_s: 60 });
  for (const wrong of ["", "5", "ms", "101%", "1%5ms", ",5ms", "1%,", "-1%"])
    assert.throws(() => of(wrong), /--tolerance/);
});

test("a race and a sweep have both", async () => {
  for (const words of [
    ["race", "carlucci-small"],
    ["sweep", "example", "--dry-run"],
  ]) {
    await assertRefused([...words, "--tolerance", "5"], /--tolerance must be a share of the PLT/);
    // It is the plan that says so.
    await assertRefused([...words, "--retry-for", "-1"], /--retry-for|retry_for_s/);
  }
});

test("cross traffic is the plan's; a start without flows is refused", () => {
  assert.deepEqual(planChoiceOf({ "cross-traffic": ["2*tcp:reno@500ms"], "page-start": 7 }), {
    cross_traffic: { flows: ["2*tcp:reno@500ms"], page_start_s: 7 },
  });
  assert.deepEqual(planChoiceOf({ "cross-traffic": [], "page-start": undefined }), {});
  assert.throws(
    () => planChoiceOf({ "cross-traffic": [], "page-start": 7 }),
    /^UserError: --page-start: is for a page that loads during/,
  );
  assert.throws(
    () => planChoiceOf({ "cross-traffic": ["tcp:nosuch"], "page-start": undefined }),
    /character 5: controller "nosuch": for tcp this kernel offers /,
  );
});
