// cli/link/trace/networks.ts: traces that a plan names by their network, drawn once, or a user's own.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shortLabel } from "../../../../cli/link/label.ts";
import { readOpportunities } from "../../../../cli/link/opportunities.ts";
import { measuredTraces, syntheticTraces, withNetworks } from "../../../../cli/link/trace/networks.ts";
import { cellsOf, planOf } from "../../../../cli/sweep/plan/plan.ts";
import { tempFolder } from "../../../temp_folder.ts";

const folder = tempFolder("trilane-networks-");
const drawing = { length_s: 2, seed: 3 };

test("traces are drawn once, with their network's means, and each direction its own", () => {
  const traces = syntheticTraces(folder);
  const { down, up } = traces("verizon-lte", drawing);
  assert.equal(readOpportunities(down).length, Math.round((19.1e6 * 2) / 12_000));
  assert.equal(readOpportunities(up).length, Math.round((9.1e6 * 2) / 12_000));
  writeFileSync(down, "1\n2\n");
  assert.equal(traces("verizon-lte", drawing).down, down);
  assert.equal(readFileSync(down, "utf8"), "1\n2\n");
  assert.notEqual(traces("verizon-lte", { ...drawing, seed: 4 }).down, down);
  assert.throws(() => traces("umts", drawing), /^UserError: no network "umts": there are verizon-lte, att-lte$/);
});

test("a user's own are found by the beginning of their names, one pair of each network", () => {
  const own = join(folder, "own");
  mkdirSync(own);
  const traces = measuredTraces(own);
  assert.throws(
    () => traces("verizon-lte", drawing),
    /no pair of files verizon-lte\*\.down and verizon-lte\*\.up: put one/,
  );
  for (const name of ["Verizon-LTE-short.down", "Verizon-LTE-short.up", "Verizon-LTE-driving.down", "ATT-LTE.down"])
    writeFileSync(join(own, name), "0\n1\n");
  assert.deepEqual(traces("verizon-lte", drawing), {
    down: join(own, "Verizon-LTE-short.down"),
    up: join(own, "Verizon-LTE-short.up"),
  });
  assert.throws(() => traces("att-lte", drawing), /no pair/);
  writeFileSync(join(own, "Verizon-LTE-driving.up"), "0\n1\n");
  assert.throws(
    () => traces("verizon-lte", drawing),
    /2 pairs \(Verizon-LTE-(short|driving), Verizon-LTE-(short|driving)\)/,
  );
  assert.throws(
    () => measuredTraces(join(folder, "nowhere"))("att-lte", drawing),
    /nowhere: cannot be read \(ENOENT\)/,
  );
});

test("a plan's cellular links: each network at each RTT, called by their files, equal to their networks", () => {
  const cellular = { networks: ["verizon-lte", "att-lte"], rtts_ms: [30, 300], queue_ms: 500, ...drawing };
  const document = { name: "x", pages: ["page"], lanes: ["h3"], links: [{ cellular }, "3mbit/50ms"], repetitions: 1 };
  assert.throws(() => planOf(document, "x"), /cellular verizon-lte has no traces here: name files/);
  const cells = cellsOf(planOf(document, "x", folder, syntheticTraces(folder)));
  const labels = cells.map(({ link }) => link);
  assert.equal(labels.length, 5);
  assert.equal(labels[1], "trace_down=verizon-lte.down,trace_up=verizon-lte.up,rtt=300ms,queue=500ms");
  assert.equal(shortLabel(labels[1] ?? ""), "verizon-lte,rtt=300ms,queue=500ms");
  assert.equal(shortLabel("trace_down=a.down,trace_up=b.up"), "trace_down=a.down,trace_up=b.up");
  assert.equal(labels[4], "3mbit/50ms");
  assert.deepEqual(labels.map(withNetworks), labels);
  assert.equal(
    withNetworks("trace_down=Verizon-LTE-short.down,trace_up=Verizon-LTE-short.up,rtt=300ms,queue=500ms"),
    labels[1],
  );
  assert.equal(withNetworks("trace_down=tmobile.down,rtt=30ms"), "trace_down=tmobile.down,rtt=30ms");
});
