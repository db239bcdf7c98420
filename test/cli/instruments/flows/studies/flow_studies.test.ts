// Studies of flows: their plans exist and run what the published figures are about; signs are compared as they should.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flowResult } from "../../../../../cli/instruments/flows/metrics/flow_result.ts";
import { cellsOf, readFlowPlan } from "../../../../../cli/instruments/flows/plan/plan.ts";
import { flowStudies } from "../../../../../cli/instruments/flows/studies/all.ts";
import { carlucci2015S1, carlucci2015S2 } from "../../../../../cli/instruments/flows/studies/carlucci_2015_flows.ts";
import { das2014Overhead } from "../../../../../cli/instruments/flows/studies/das_2014_overhead.ts";
import {
  comparedFlowFigures,
  measuredIn,
  type StudiedRun,
} from "../../../../../cli/instruments/flows/studies/flow_agreement.ts";
import { formatLink, parseLink } from "../../../../../cli/link/link.ts";
import { publishedNumbers } from "../../../../../cli/report/published_numbers.ts";
import { agreementSentence } from "../../../../../cli/results/studies/agreement.ts";
import { figuresDocument } from "../../../../../cli/results/studies/figures_document.ts";
import { comparedLines, oursText } from "../../../../../cli/results/studies/number_words.ts";
import { studyOfPlan } from "../../../../../cli/results/studies/study.ts";
import { schemaErrors } from "../../../../schemas/schema_errors.ts";
import { madeRecords, steadily } from "../metrics/made_records.ts";

for (const study of flowStudies) {
  test(`${study.name}: its plans are shipped, and between them they run all that was published`, () => {
    const [quick, full] = [readFlowPlan(study.quick), readFlowPlan(study.full)];
    assert.deepEqual([quick.name, full.name], [study.quick, study.full]);
    assert.equal(studyOfPlan(flowStudies, study.quick), study);
    assert.ok(quick.repetitions >= 5, "fewer runs decide nothing");
    const placesOf = (plan: typeof quick) => new Set(cellsOf(plan).map(({ mix, link }) => `${mix} on ${link}`));
    const run = { quick: placesOf(quick), full: placesOf(full) };
    let [inQuick, inFull] = [0, 0];
    for (const figure of study.figures) {
      const places = [figure, ...(figure.over ? [figure.over] : [])].map(
        ({ mix, link }) => `${mix} on ${formatLink(parseLink(link))}`,
      );
      const [isQuick, isFull] = [
        places.every((place) => run.quick.has(place)),
        places.every((place) => run.full.has(place)),
      ];
      assert.ok(isQuick || isFull, `${figure.what}: ${places.join(", ")}`);
      if (isQuick) inQuick += 1;
      if (isFull) inFull += 1;
    }
    assert.ok(inQuick > 0 && inFull >= inQuick, `${inQuick} figures of the quick plan, ${inFull} of the full one`);
  });
}

/** Nine runs of a mix on a link; one flow for each rate, which grows by a thousandth from run to run. */
function runs(mix: string, link: string, rates_bps: readonly number[]): StudiedRun[] {
  return Array.from({ length: 9 }, (_, block) => {
    const flows = rates_bps.map((rate) => ({ rates_bps: steadily(rate * (1 + block / 1000), 6) }));
    const result = flowResult(
      madeRecords({ flows }),
      rates_bps.map((_rate, flow) => flow),
    );
    return { mix, link: formatLink(parseLink(link)), block, status: "valid", result };
  });
}

const shares = (kB: number, quic_bps: number, tcp_bps: number): StudiedRun[] =>
  runs("QUIC against TCP", `5mbit/50ms,queue=${kB}kB`, [quic_bps, tcp_bps]);

test("shares by buffer: the same order agrees, a ratio of 1 where it is published, and what was not run is no figure", () => {
  const compared = comparedFlowFigures(carlucci2015S2, [...shares(13, 3e6, 1e6), ...shares(60, 2.1e6, 2e6)], 1);
  assert.deepEqual(
    compared.map(({ figure, agreement, runs: valid }) => [figure.what, agreement, valid]),
    [
      ["goodput of QUIC over that of TCP, buffer of 13 kB", "agrees", 9],
      ["goodput of QUIC over that of TCP, buffer of 60 kB", "agrees", 9],
    ],
  );
  assert.ok(Math.abs((compared[0]?.value ?? 0) - 3) < 1e-9);
  const reversed = comparedFlowFigures(carlucci2015S2, [...shares(13, 1e6, 2e6), ...shares(30, 2e6, 1e6)], 1);
  assert.deepEqual(
    reversed.map(({ agreement }) => agreement),
    ["differs", "agrees", "differs"],
  );
  assert.ok(Math.abs((reversed[2]?.value ?? 0) - 0.25) < 1e-9);
  assert.equal(agreementSentence(reversed), "Our sign agrees with the published one in 1 of 3 figures.");
});

test("a ratio of two places is of their medians, with the interval of their runs", () => {
  const clean = "10mbit/50ms";
  const all = [
    ...runs("QUIC", clean, [9e6]),
    ...runs("QUIC", `${clean},fec=2`, [6e6]),
    ...runs("TCP", clean, [9e6]),
    ...runs("TCP", `${clean},loss=2%`, [9.05e6]),
  ];
  const byWhat = new Map(comparedFlowFigures(carlucci2015S1, all, 1).map((each) => [each.figure.what, each]));
  const parity = byWhat.get("goodput of QUIC with FEC over that without: what parity leaves");
  assert.ok(Math.abs((parity?.value ?? 0) - 2 / 3) < 1e-9);
  assert.equal(parity?.agreement, "agrees");
  const lossy = byWhat.get("goodput of TCP at 2 % loss over that without loss");
  assert.ok(lossy?.interval && lossy.interval.low < 1.0056 && lossy.interval.high > 1.0055);
  assert.equal(byWhat.get("utilization, QUIC alone, no loss")?.agreement, "differs");
});

test("invalid runs, runs without the number, and fewer than five say so", () => {
  const few = shares(13, 3e6, 1e6).map((run) => (run.block < 3 ? run : { ...run, status: "invalid" }));
  const [compared] = comparedFlowFigures(carlucci2015S2, few, 1);
  assert.deepEqual([compared?.runs, compared?.interval, compared?.agreement], [3, null, "undecided"]);
  assert.equal(compared?.reason, "an interval needs 5 runs: there are 3");
  const uncompleted = [...runs("HTTP", "14mbit/0ms", [9e6]), ...runs("QUIC", "14mbit/0ms", [9e6])];
  const [none] = comparedFlowFigures(das2014Overhead, uncompleted, 1);
  assert.deepEqual(
    [none?.value, none?.agreement, none?.reason],
    [null, "not loaded", "there are no valid runs of both"],
  );
});

test("progress: how much sooner each flow of the first kind had its tenths", () => {
  const asked = { size_bytes: 1_000_000 };
  const flow = (seconds: number) => ({ asked, rates_bps: steadily(8e6 / seconds, seconds) });
  const result = flowResult(madeRecords({ flows: [flow(2), flow(4), flow(6)] }), [0, 1, 1]);
  const ratio = measuredIn(result, { of: "progress", tenths: 5 }) ?? 0;
  assert.ok(Math.abs(ratio - (50 + 2500) / (50 + 1000)) < 1e-9);
  assert.equal(measuredIn(flowResult(madeRecords({ flows: [flow(2)] }), [0]), { of: "progress", tenths: 5 }), null);
});

test("report and terminal show what was published beside ours", () => {
  const compared = comparedFlowFigures(carlucci2015S2, shares(13, 3e6, 1e6), 1);
  const text = publishedNumbers(carlucci2015S2, compared)?.text ?? "";
  assert.match(text, /buffer of 13 kB.*about 3.*&gt; 1.*3 \(3 to 3\).*agrees/);
  assert.deepEqual(comparedLines(compared), [
    "5mbit/50ms,queue=13kB",
    "  goodput of QUIC over that of TCP, buffer of 13 kB",
    "     published about 3  ours 3 (3 to 3)  agrees",
  ]);
  const document = figuresDocument(carlucci2015S2, 3, compared);
  assert.equal(schemaErrors("flow-figures", document), null);
  const [figure] = document.figures;
  assert.deepEqual([figure?.published, figure?.runs, figure?.agreement], ["about 3", 9, "agrees"]);
  assert.equal(document.agreement, agreementSentence(compared));
  const near = compared.map((each) => oursText({ ...each, value: 1.00123, interval: { low: 1.0008, high: 1.00171 } }));
  assert.deepEqual(near, ["1.001 (1.001 to 1.002)"]);
  assert.equal(publishedNumbers(carlucci2015S2, []), null);
  assert.equal(publishedNumbers(null, compared), null);
});
