// The report of a sweep of flows: the answer first, in the numbers of the runs; every cell with its figure and metrics; what does not
// count with its reasons; and nothing that must be fetched.
// Wide: cli/instruments/flows/report, cli/report.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  byNearness,
  type FlowReportData,
  gatherFlowReport,
} from "../../../../../cli/instruments/flows/report/flow_data.ts";
import { buildFlowReport, flowReport } from "../../../../../cli/instruments/flows/report/flow_report.ts";
import { figureFiles } from "../../../../../cli/report/figure_files.ts";
import { writeReportFile } from "../../../../../cli/report/report_files.ts";
import { chooseAnySweep } from "../../../../../cli/results/export/choose.ts";
import { openResults } from "../../../../../cli/results/store/results.ts";
import { storeFixture, withHome } from "../../../report/fixture.ts";
import { withPlainSpaces, writeReport } from "../../../report/written_report.ts";
import { type StoredFlows, storeFlows } from "./stored.ts";

function reported(stored: StoredFlows): Promise<{ data: FlowReportData; report: string }> {
  return withHome((home) => {
    const sweep = storeFlows(home, stored);
    using results = openResults(home);
    const data = gatherFlowReport(results, sweep, "0.2.0");
    return { data, report: withPlainSpaces(buildFlowReport(data)) };
  });
}

/** quic gets 3 Mbit/s in block 0, 10 kbit/s more in each next one, tcp 1.5. */
const uneven = {
  name: "quic + tcp",
  flows: ["quic:cubic-n2", "tcp:cubic@1s"],
  made: ({ flow, block }: { flow: number; block: number }) => ({ rate_bps: flow === 0 ? 3e6 + block * 1e4 : 1.5e6 }),
};
const one: StoredFlows = { links: ["5mbit/50ms,queue=30kB"], mixes: [uneven], repetitions: 7 };

const answerOf = (report: string): string => /<p class="answer">(.*?)<\/p>/.exec(report)?.[1] ?? "";

test("one mix on one link: who got how much with its interval, of what, then utilization", async () => {
  const { report } = await reported(one);
  // The median of 3.00 to 3.06.
  assert.match(
    answerOf(report),
    /^quic:cubic-n2 got 3\.03 Mbit\/s \(95 %: 3\.\d* to 3\.0\d Mbit\/s\) and tcp:cubic@1s 1\.5 Mbit\/s/,
  );
  assert.match(answerOf(report), / of the link’s 5 Mbit\/s, 67 % and 33 % of the goodput\.$/);
  assert.match(report, /<p class="why">Link utilization was 8\d.*\(n = 7 runs\)\.</);
  assert.doesNotMatch(report, /<p class="excluded">/);
});

test("the run in front is that nearest the medians, and the figure's goodputs are its own", async () => {
  const { data, report } = await reported(one);
  assert.equal(byNearness(data.cells[0]?.valid ?? [])[0]?.block, 3);
  assert.match(report, /Line: run 4, the one nearest the medians; band: from the least to the greatest of 7 runs\./);
  assert.match(report, />1 quic:cubic-n2, 3\.03 Mbit\/s</);
});

test("a buffer's sizes: the answer says where the share was least and most, and the shares have a figure", async () => {
  const share: Record<string, number> = { "13kB": 0.75, "30kB": 0.6, "60kB": 0.5 };
  const links = Object.keys(share).map((queue) => `5mbit/50ms,queue=${queue}`);
  const made = ({ flow, link, block }: { flow: number; link: string; block: number }) => {
    const own = (share[link.split("=")[1] ?? ""] ?? 0) + block * 1e-3;
    return { rate_bps: 4.5e6 * (flow === 0 ? own : 1 - own) };
  };
  const { report } = await reported({
    links,
    mixes: [{ ...uneven, flows: ["quic:cubic-n2", "tcp:cubic"], made }],
    repetitions: 5,
  });
  assert.match(
    answerOf(report),
    /^quic:cubic-n2 got from 50\S* % \(95 %: .*\) of the goodput on 5mbit\/50ms,queue=60kB to 75\S* % \(.*\) on 5mbit\/50ms,queue=13kB\.$/,
  );
  const shares = /<section id="shares">.*?<\/section>/s.exec(report)?.[0] ?? "";
  assert.match(shares, />13 kB<.*>30 kB<.*>60 kB</);
  const files = new Map(figureFiles(report).map(({ name, text }) => [name, text]));
  const csv = files.get("shares-by-buffer-quic-tcp.csv") ?? "";
  assert.match(csv, /13 kB,1,quic:cubic-n2,5,0\.752,/);
  // Each figure as a file: one axis for all links, which carry as much.
  assert.deepEqual(
    [...files.keys()].filter((name) => name.startsWith("goodput-")),
    ["goodput-3-links.csv", "goodput-3-links.svg"],
  );
  assert.equal([...files.keys()].filter((name) => /^flows-.*\.svg$/.test(name)).length, 3);
});

test("several mixes have a sentence each; alike on all links is said so", async () => {
  const alike = { name: "alike", flows: ["2*tcp:reno"], made: () => ({ rate_bps: 2.4e6 }) };
  const { report } = await reported({
    ...one,
    links: ["5mbit/50ms", "5mbit/50ms,queue=20kB"],
    mixes: [uneven, alike],
    repetitions: 5,
  });
  assert.match(answerOf(report), /^quic \+ tcp: quic:cubic-n2 got 67 % of the goodput on all 2 links\.$/);
  assert.match(report, /<p class="why">alike: 2 × tcp:reno got 4\.8 Mbit\/s on all 2 links\.</);
});

test("a run that does not count is in no median, counted, and told with its reason and its cell", async () => {
  const { data, report } = await reported({
    ...one,
    invalid: ({ block }) => (block === 0 ? ["the link fell behind: 12 ms late"] : []),
  });
  assert.equal(data.cells[0]?.summary.runs, 6);
  assert.match(report, /Invalid: 1 run of 7\. <a href="#excluded">/);
  const excluded = /<section id="excluded">.*?<\/section>/s.exec(report)?.[0] ?? "";
  assert.match(
    excluded,
    /the link fell behind<br><small>12 ms late.*<td class="num">1<\/td><td>quic \+ tcp over 5mbit/s,
  );
  const { report: none } = await reported({
    ...one,
    repetitions: 1,
    invalid: () => ["nothing was sent"],
    finished: false,
  });
  assert.match(answerOf(none), /^No run is valid yet/);
  assert.match(none, /No cell has a valid run/);
  assert.match(none, /not finished: 0 valid runs of 1 so far/);
  const shown = /<main>.*<\/main>/s.exec(none)?.[0] ?? "";
  assert.ok(!/NaN|undefined|Infinity/.test(shown));
});

test("`report` takes the newest sweep of either kind, and each has its own report in the home", async () => {
  await withHome(async (home) => {
    const pages = storeFixture(home, { name: "pages", pages: ["shop"], links: ["5mbit/50ms"], repetitions: 1 });
    const flows = storeFlows(home, { ...one, repetitions: 2 });
    const results = openResults(home);
    let path: string;
    try {
      path = await writeReportFile(home, results.anySweep(flows), flowReport(results, flows));
      assert.deepEqual(
        [chooseAnySweep(results, undefined).kind, chooseAnySweep(results, pages).kind],
        ["flows", "pages"],
      );
      assert.throws(() => chooseAnySweep(results, "9"), /no sweep 9/);
    } finally {
      results.close();
    }
    assert.match(path, /reports\/2-some-flows\.html$/);
    assert.match(readFileSync(path, "utf8"), /<p class="answer">quic:cubic-n2 got/);
    assert.match(readFileSync(await writeReport(home, pages), "utf8"), /<section id="pages">/);
  });
});

test("controllers are shown as they were read back, and one that is another is marked", async () => {
  const { data, report } = await reported(one);
  assert.match(report, /<td><code>quic:cubic-n2<\/code><\/td><td>cubic-n2<\/td><td>cubic-n2<\/td>/);
  const [cell] = data.cells;
  assert.ok(cell);
  const valid = cell.valid.map((run) => ({
    ...run,
    result: { ...run.result, flows: run.result.flows.map((flow) => ({ ...flow, congestion_used: "reno" })) },
  }));
  assert.match(
    withPlainSpaces(buildFlowReport({ ...data, cells: [{ ...cell, valid }] })),
    /<td>cubic-n2<\/td><td class="warning">reno<\/td>/,
  );
});

test("a page during the flows: its load times lane by lane, in a sentence and a table; without one there is neither", async () => {
  const { data, report } = await reported(one);
  assert.doesNotMatch(report, /The page during/);
  const [cell] = data.cells;
  assert.ok(cell);
  const amid = (id: number, lane: "h1" | "h3", plts_ms: number[]) => ({
    ...cell,
    cell: { ...cell.cell, id, lane },
    plts_ms,
  });
  const cells = [amid(1, "h1", [2000, 2010, 2020, 2030, 2040]), amid(2, "h3", [1500, 1700])];
  const told = withPlainSpaces(buildFlowReport({ ...data, cells }));
  assert.match(
    told,
    /<p class="why">The page during the flows: median PLT 2020 ms \(20\d\d to 20\d\d ms\) over h1, 1600 ms over h3\.</,
  );
  const csv = figureFiles(told).find(({ name }) => name === "page-load-times.csv")?.text ?? "";
  assert.match(csv, /,h3,2,1600,,\r\n/);
});

test("both directions are told apart in the answer, the bars and the table of links", async () => {
  const both = {
    name: "both",
    flows: ["2*tcp:cubic", "tcp:bbr,up"],
    made: ({ flow }: { flow: number }) => ({ rate_bps: flow === 2 ? 3e6 : 1e6 }),
  };
  const { report } = await reported({ ...one, mixes: [both], repetitions: 5, run: { ping_ms: [50, 60] } });
  assert.match(answerOf(report), /^Down: 2 × tcp:cubic got 2 Mbit\/s/);
  assert.match(report, /<p class="why">Up: tcp:bbr,up got 3 Mbit\/s/);
  assert.match(report, /<td class="status">down<\/td>.*<td class="status">up<\/td>/s);
  assert.match(report, /Of small packets beside the flows/);
});

test("every metric of the schema is defined, and whatever names say, nothing in the report is fetched or run", async () => {
  const evil = `<img src=x onerror=alert(1)>`;
  const { report } = await reported({ ...one, mixes: [{ ...uneven, name: evil }], description: evil, repetitions: 2 });
  for (const title of ["goodput", "utilization", "convergence time", "ping, p99", "share, group"])
    assert.ok(report.includes(`<th scope="row">${title}</th>`), title);
  assert.doesNotMatch(report, /<img/);
  assert.doesNotMatch(report, /(?:src|href)="(?!#|data:)/);
  assert.match(report, /default-src &#39;none&#39;/);
  assert.match(report, /2 runs: too few for an interval/);
});

test("flows with Sprout-EWMA: how often they were acknowledged", async () => {
  const mix = (...flows: string[]) => ({ name: flows.join(" + "), flows, made: () => ({ rate_bps: 1e6 }) });
  const stored: StoredFlows = {
    links: ["5mbit/30ms,queue=30kB"],
    mixes: [mix("quic:sprout-ewma"), mix("quic:cubic-n1")],
    repetitions: 1,
  };
  const { report } = await reported(stored);
  assert.match(report, /<p>The receiver acknowledged of sprout-ewma each packet by itself\.<\/p>/);
  assert.doesNotMatch((await reported(one)).report, /The receiver acknowledged/);
});
