// A page amid bulk flows: it begins at its time among them and takes longer for them, on TCP and QUIC; what fails of it is its
// reason, and nothing is left of any of it.
// Wide: cli/load, native-host/flows.
// Beside others: where a browser is not ready in time, another one is tried.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type LeftRecords, readFlowRecords } from "../../cli/instruments/flows/records/read_flow_records.ts";
import { flowRunOf } from "../../cli/link/flows/flow_run.ts";
import { formatFlow } from "../../cli/link/flows/flow_words.ts";
import { readMix } from "../../cli/link/flows/mix.ts";
import { parseLink } from "../../cli/link/link.ts";
import type { CrossTraffic } from "../../cli/load/cross_traffic.ts";
import type { LoadRequest, PageLoad } from "../../cli/load/load.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { tempFolder } from "../temp_folder.ts";
import { untimedLoad } from "./untimed_load.ts";

const folder = tempFolder("trilane-cross-traffic-");
const home = join(folder, "home");

let recording: LoadRequest["recording"];
before(async () => {
  recording = await withArchive(home, (archive) => ensureSynth(archive, "object-1MB"));
});

const pageStart_ms = 4000;
const link = parseLink("10mbit/20ms");

function amid(...words: string[]): CrossTraffic {
  const flows = readMix(words, null);
  return {
    run: flowRunOf(flows, { for_s: 120, sample_ms: 10, ping_ms: null }),
    words: flows.map(formatFlow),
    pageStart_ms,
  };
}

const loadOf = (change: Partial<LoadRequest>): Promise<PageLoad> =>
  untimedLoad({ home, recording, link, lane: "h2", timeout_ms: 60_000, ...change });

/** A browser may not be ready in time on a machine that does other things too. */
async function validLoad(change: Partial<LoadRequest>): Promise<PageLoad> {
  const seen: string[] = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    const load = await loadOf(change);
    const { status, reasons } = load.log._trilane;
    if (status === "valid") return load;
    seen.push(...reasons);
  }
  assert.fail(`no valid load of 5: ${seen.join("; ")}`);
}

const pltOf = ({ log }: PageLoad): number => log._trilane.metrics.plt_ms ?? Number.NaN;

/** Programs of this process's loads, which work in folders of these names. */
const processes = (): string[] =>
  execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(`/trilane-load-${process.pid}-`));

for (const [lane, flow] of [
  ["h2", "tcp:cubic"],
  ["h3", "quic:cubic"],
] as const)
  test(`${lane} amid ${flow}: the page begins at its time, and shares the link`, async () => {
    const alone = [await validLoad({ lane })];
    const among = await validLoad({ lane, crossTraffic: amid(flow) });
    const traffic = among.log._trilane.cross_traffic ?? assert.fail("nothing is said of the flows");
    const navigation_s = traffic.navigation_s ?? assert.fail("no navigation");
    assert.ok(navigation_s >= 4 && navigation_s < 4.25, `${navigation_s} s`);
    assert.deepEqual([traffic.flows, traffic.page_start_s], [[flow], 4]);
    // 10 Mbit/s are 5 MB until the page begins.
    const [received = 0] = traffic.received_bytes;
    assert.ok((received ?? 0) > 3e6, `${received} bytes`);
    // What a busy machine adds is never negative: the least of some, or of one where it is clear.
    const among_ms = pltOf(among);
    const before_ms = () => Math.min(...alone.map(pltOf));
    while (alone.length < 6 && among_ms <= 1.2 * before_ms()) alone.push(await validLoad({ lane }));
    assert.ok(among_ms > 1.2 * before_ms(), `${among_ms.toFixed(0)} ms amid flows, ${before_ms().toFixed(0)} ms alone`);
    for (const { log } of alone) assert.equal(log._trilane.cross_traffic, undefined);
    assert.deepEqual(processes(), []);
  });

test("who reads the flows' records gets them whole, with the page's packets beside them", async () => {
  let left: LeftRecords | null = null;
  const traffic = amid("tcp:reno", "tcp:cubic@1s,up");
  await validLoad({
    crossTraffic: {
      ...traffic,
      read: async (files) => {
        left = await readFlowRecords(traffic.run, files);
      },
    },
  });
  const { records, missing } = (left as LeftRecords | null) ?? assert.fail("nobody was given them");
  assert.deepEqual(missing, []);
  assert.ok(records);
  assert.deepEqual(
    records.near.flows.map(({ state }) => state),
    ["cut", "cut"],
  );
  assert.ok(records.samples.every(({ receiver }) => receiver.time_ms.length > 100));
  assert.ok(records.bins.every(({ counted }) => counted !== null));
  assert.ok(records.counters.flows.length > 2, "the page's connections are counted, too");
});

test("evidence has what the flows' ends reported and sampled", async () => {
  const evidence = join(folder, "evidence");
  await validLoad({ crossTraffic: amid("tcp:cubic"), evidence });
  const names = readdirSync(evidence);
  for (const name of ["flow-run.json", "flows-near.json", "flows-far.json", "flows-near.samples", "flows-far.samples"])
    assert.ok(names.includes(name), `${name} in ${names.join(" ")}`);
});

test("a page that does not load in its time amid flows has failed with that reason, and nothing is left", async () => {
  const load = await loadOf({ crossTraffic: amid("20*tcp:cubic"), timeout_ms: 300 });
  const { status, reasons } = load.log._trilane;
  assert.equal(status, "failed");
  assert.match(reasons[0] ?? "", /^the load event did not come within 300 ms$/);
  assert.deepEqual(processes(), []);
});

test("a controller that there is not is said in one line, before any page", async () => {
  await assert.rejects(loadOf({ crossTraffic: amid("tcp:nosuch") }), (error: Error) => {
    assert.match(error.message, /^[^\n]*nosuch[^\n]*$/);
    return error.name === "UserError" || error.name === "RunError";
  });
  assert.deepEqual(processes(), []);
});

for (const end of ["near", "far"])
  test(`the ${end} end killed in the middle: the load has failed with its reason, and nothing is left`, async () => {
    const loading = loadOf({ crossTraffic: amid("tcp:cubic") });
    const program = new RegExp(`^ *(\\d+) \\S*/trilane-flows ${end} `);
    const pidOf = (): number | null => {
      const pid = processes().flatMap((line) => program.exec(line)?.[1] ?? [])[0];
      return pid === undefined ? null : Number(pid);
    };
    let pid: number | null = null;
    for (let looks = 0; looks < 2000 && pid === null; looks++) {
      await delay(10);
      pid = pidOf();
    }
    assert.ok(pid !== null, `no ${end} end was seen`);
    await delay(1500);
    process.kill(pid, "SIGKILL");
    const load = await loading;
    const { status, reasons } = load.log._trilane;
    assert.equal(status, "failed");
    assert.match(reasons.join("; "), /ended|killed|closed/);
    for (let looks = 0; looks < 300 && processes().length > 0; looks++) await delay(10);
    assert.deepEqual(processes(), []);
    assert.equal(existsSync(`/proc/${pid}`), false);
  });
