// `trilane flows --page`: a page is loaded amid flows over each lane, stored with its load and the flows' records, and nothing of it stays
// behind. What cannot be is one line.
// Wide: cli/instruments/flows, cli/load, native-host/flows.
// Beside others: runs that the machine disturbed are stored, too.

import assert from "node:assert/strict";
import { test } from "node:test";
import { unpackRecords } from "../../cli/instruments/flows/records/stored_records.ts";
import { flowPageLoadOf, flowRunsOf, flowSeriesOf } from "../../cli/instruments/flows/store/flow_runs.ts";
import { openResults } from "../../cli/results/store/results.ts";
import { labProcesses, run as runIn } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";

const home = tempFolder("trilane-e2e-flows-page-");

const run = (...words: string[]) => runIn(home, ["flows", ...words]);

const mix = ["--flow", "tcp:cubic", "--flow", "tcp:reno@500ms,up", "--link", "10mbit/20ms", "--for", "40s"];
const once = ["--runs", "1", "--retries", "0", "--json"];

test("a page amid flows is loaded over each lane, from its time on, and stored beside the flows", () => {
  const { events, status, pid, stderr } = run(...mix, "--page", "carlucci-small@3s", "--lanes", "h2,h3", ...once);
  const ended = events.at(-1);
  assert.ok(ended?.event === "flows-finished", `${stderr} ${JSON.stringify(ended)}`);
  assert.deepEqual(
    ended.cells.map(({ lane }) => lane),
    ["h2", "h3"],
  );
  assert.equal(status, ended.valid > 0 ? 0 : 1);
  assert.deepEqual(labProcesses(pid), []);
  using results = openResults(home);
  const runs = flowRunsOf(results, 1);
  assert.deepEqual([...new Set(runs.map(({ lane }) => lane))].toSorted(), ["h2", "h3"]);
  for (const { id, status: judged, reasons, result, lane } of runs) {
    // The machine's doing apart, they are as asked.
    assert.ok(
      judged === "valid" ||
        reasons.every((reason) => /disturbed|the browser was not ready|the machine held up/.test(reason)),
      reasons.join("; "),
    );
    const { _trilane } = flowPageLoadOf(results, id)?.log ?? assert.fail("no page load");
    const { cross_traffic, metrics } = _trilane;
    assert.equal(_trilane.lane, lane);
    assert.deepEqual(cross_traffic?.flows, ["tcp:cubic", "tcp:reno@500ms,up"]);
    assert.ok((cross_traffic?.navigation_s ?? 0) >= 3, `${cross_traffic?.navigation_s} s`);
    assert.ok((metrics.plt_ms ?? 0) > 0);
    const records = unpackRecords(flowSeriesOf(results, id) ?? new Uint8Array(), `run ${id}`);
    assert.equal(records.samples.length, 2);
    assert.ok(records.samples.every(({ sender }) => sender.time_ms.length > 10));
    // The run ended with the page, long before its 40 s.
    const lasted_s = (records.near.end_ns - records.start_ns) / 1e9;
    assert.ok(lasted_s > 3 && lasted_s < 39, `${lasted_s} s`);
    const goodput_bps = result?.down?.metrics.goodput_bps ?? 0;
    assert.ok(goodput_bps > 1e6 && goodput_bps < 10e6, `${goodput_bps} bit/s`);
  }
});

const wrong: [words: string[], line: RegExp][] = [
  [["--page", "nosuch@3s"], /no page nosuch: name a recording/],
  [["--page", "carlucci-small@40s"], /the page starts at 40 s, when the run of 40 s has ended/],
  [["--page", "carlucci-small@0s"], /begins at 1s or later/],
  [["--lanes", "h3"], /--lanes: is of --page, and there is none/],
  [["--page", "carlucci-small", "--lanes", "h3-0rtt"], /lane h3-0rtt has two navigations/],
];
for (const [words, line] of wrong)
  test(`${words.join(" ")}: one line, exit status 2`, () => {
    const { status, stderr, events } = run(...mix, ...words);
    assert.equal(status, 2);
    assert.match(stderr, line);
    assert.equal(stderr.trim().split("\n").length, 1);
    assert.deepEqual(events, []);
  });
