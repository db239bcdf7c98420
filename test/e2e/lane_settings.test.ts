// A sweep whose lanes have transport settings of their own: each lane's loads ran with its settings, in the servers' own words, and the
// report compares the lanes. Of every load that the server reported on: what it was asked to serve with does not hang on the machine.
// Wide: cli/instruments/page, cli/load, cli/sweep, native-host/replay.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { field, numberAt } from "../../cli/report/figures/unknown_json.ts";
import { reportPath } from "../../cli/report/report_files.ts";
import { openResults } from "../../cli/results/store/results.ts";
import { run } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { anyDisturbance } from "./untimed_load.ts";

const home = tempFolder("trilane-settings-");

const plan = {
  name: "stacks",
  pages: [{ synth: "object-1kB" }],
  lanes: ["h2", "h2:bbr", "h3:one", "h3:two"],
  settings: {
    bbr: { tcp: { congestion_control: "bbr", initial_window_packets: 32 } },
    one: { quic: { congestion_control: "cubic-n1" } },
    two: { quic: { congestion_control: "cubic-n2", initial_window_packets: 20 } },
  },
  links: ["20mbit/20ms"],
  repetitions: 1,
};

/** Controller and initial window of each protocol. */
const asked: Readonly<Record<string, readonly ["tcp" | "quic", string, number]>> = {
  h2: ["tcp", "cubic", 10],
  "h2:bbr": ["tcp", "bbr", 32],
  "h3:one": ["quic", "cubic-n1", 10],
  "h3:two": ["quic", "cubic-n2", 20],
};

test("lanes with settings: served as asked, one after another in one block, and told apart in the report", () => {
  const path = join(home, "plan.json");
  writeFileSync(path, JSON.stringify(plan));
  const { stderr } = run(home, ["sweep", path, "--quiet", ...anyDisturbance]);
  using results = openResults(home);
  const [sweep] = results.listSweeps();
  assert.ok(sweep?.finished_at, stderr);
  assert.deepEqual(new Set(results.cellsOf(sweep.id).map(({ lane }) => lane)), new Set(plan.lanes));
  const served = new Set<string>();
  for (const { id, lane } of results.loadsOf(sweep.id)) {
    const facts = results.harOf(id).log._trilane;
    assert.equal(facts.lane, lane.slice(0, 2));
    if (facts.replay === null) continue;
    const [protocol, controller, window] = asked[lane] ?? assert.fail(lane);
    assert.equal(field(facts.replay, "transport", protocol, "congestion_control"), controller, lane);
    assert.equal(numberAt(facts.replay, "transport", protocol, "initial_window_packets"), window, lane);
    served.add(lane);
  }
  assert.deepEqual([...served].toSorted(), Object.keys(asked).toSorted(), stderr);
  const report = readFileSync(reportPath(home, sweep), "utf8");
  for (const lane of plan.lanes) assert.ok(report.includes(`<option>${lane}</option>`) || report.includes(lane), lane);
});
