// `trilane reproduce STUDY --dry-run`, of every study and both of its sizes: what its plan would load, without loading anything.
// Wide: cli/commands/reproduce.ts, cli/sweep/plans.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { studies } from "../../../cli/results/studies/all.ts";
import type { SweepPlanned } from "../../../schemas/generated/sweep_event.ts";
import { run } from "../../product.ts";
import { tempFolder } from "../../temp_folder.ts";

const home = tempFolder("trilane-reproduce-");

const reproduce = (...words: string[]) => run(home, ["reproduce", ...words]);

for (const study of studies) {
  test(`${study.name}: --quick and --full say what they would load`, () => {
    const planned = ["--quick", "--full"].map((size) => {
      const { status, stdout, stderr } = reproduce(study.name, size, "--dry-run", "--json");
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout) as SweepPlanned;
    });
    assert.deepEqual(
      planned.map(({ name }) => name),
      [study.quick, study.full],
    );
    const [quick, full] = planned.map(({ loads }) => loads) as [number, number];
    assert.ok(quick > 0 && quick < full, `${quick} of ${full} loads`);
  });
}

test("--trace takes the place of drawn traces, and is refused where no link has any", () => {
  const own = join(home, "own");
  mkdirSync(own);
  for (const [stem, end_ms] of [
    ["Verizon-LTE-short", 10],
    ["ATT-LTE-driving", 20],
  ] as const)
    for (const side of ["down", "up"]) writeFileSync(join(own, `${stem}.${side}`), `0\n5\n${end_ms}\n`);
  const { status, stdout, stderr } = reproduce("das-2014-cellular", "--trace", own, "--dry-run", "--json");
  assert.equal(status, 0, stderr);
  const { links } = JSON.parse(stdout) as SweepPlanned;
  assert.equal(links[0], "trace_down=Verizon-LTE-short.down,trace_up=Verizon-LTE-short.up,rtt=30ms,queue=1000ms");
  const refused = reproduce("das-2014", "--trace", own, "--dry-run");
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /--trace: plan das-2014-subset has no cellular links: leave it out\n$/);
});

test("a dry run leaves no results", () => {
  assert.deepEqual(
    readdirSync(home).filter((name) => name.endsWith(".db")),
    [],
  );
});
