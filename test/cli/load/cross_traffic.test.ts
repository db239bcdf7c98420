// cli/load/cross_traffic.ts and lab.ts: where the flows stand in a lab's command line, when a page begins among them, and why a load
// was not during those that were asked for.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parseLink } from "../../../cli/link/link.ts";
import {
  type CrossTraffic,
  countingArguments,
  giveSamples,
  prepareTraffic,
  trafficFacts,
  trafficReasons,
  untilPageStart,
  watchTraffic,
} from "../../../cli/load/cross_traffic.ts";
import { labCommand } from "../../../cli/load/lab.ts";
import type { FlowReport } from "../../../schemas/generated/flow_report.ts";
import { schemaErrors } from "../../schemas/schema_errors.ts";
import { tempFolder } from "../../temp_folder.ts";
import { run, start_ns, twoFlowFiles } from "../instruments/flows/records/two_flows.ts";

const folder = tempFolder("trilane-cross-traffic-");
const traffic: CrossTraffic = { run, words: ["tcp:cubic", "quic:reno@20ms,up"], pageStart_ms: 50 };

test("the far end stands before the shaper, the near end behind it, and both read one run", async () => {
  const { files } = await prepareTraffic(traffic, { scratch: folder, evidence: null });
  assert.deepEqual(JSON.parse(readFileSync(files.run, "utf8")), run);
  const link = parseLink("1mbit/20ms");
  const { replay, shaper } = labCommand({ home: "/h", recording: "page", link, reports: null, flows: files });
  const names = [...replay, ...shaper].map((word) => basename(word));
  const place = (word: string): number => names.indexOf(word);
  const order = ["trilane-replay", "far", "trilane-shaper", "--keep-capabilities", "near"].map(place);
  assert.ok(
    order.every((at, index) => at >= 0 && at > (order[index - 1] ?? -1)),
    names.join(" "),
  );
  assert.deepEqual(names.slice(place("near")), [
    ...["near", "flow-run.json", "--report", "flows-near.json", "--begun", "flows-begun.json", "--"],
  ]);
  const alone = labCommand({ home: "/h", recording: "page", link, reports: null });
  assert.ok(![...alone.replay, ...alone.shaper].includes("--keep-capabilities"));
});

test("samples are taken, and flows counted at the link, for who reads them", async () => {
  const evidence = { counters: join(folder, "kept.json"), qlogs: join(folder, "qlog") };
  const read: string[] = [];
  const reading = { ...traffic, read: async (files: object) => void read.push(...Object.keys(files)) };
  const prepared = await prepareTraffic(reading, { scratch: folder, evidence: null });
  assert.deepEqual(
    countingArguments(prepared, false).map((word) => basename(word)),
    [...["--flow-counters", "flow-counters.json", "--flow-bins", "flow-bins"]],
  );
  await giveSamples(prepared, "shaper.json");
  assert.deepEqual(read.sort(), ["bins", "counters", "far", "farSamples", "near", "nearSamples", "shaper"]);
  const kept = await prepareTraffic(reading, { scratch: folder, evidence });
  assert.deepEqual(
    countingArguments(kept, true).map((word) => basename(word)),
    ["--flow-bins", "flow-bins"],
  );
  const unread = await prepareTraffic(traffic, { scratch: folder, evidence });
  assert.deepEqual(countingArguments(unread, true), []);
  assert.notEqual(unread.files.near.samples, null);
  assert.equal(unread.files.qlogs, evidence.qlogs);
});

test("a page waits for the flows to begin, and for its time among them", async () => {
  const prepared = await prepareTraffic(traffic, { scratch: folder, evidence: null });
  const begun = prepared.files.begun ?? assert.fail();
  const { signal } = new AbortController();
  const state = { isOver: false };
  const waiting = untilPageStart(prepared, signal).then(() => {
    state.isOver = true;
  });
  await delay(20);
  assert.ok(!existsSync(begun) && !state.isOver, "nothing has begun");
  const now_ns = Number(process.hrtime.bigint());
  writeFileSync(begun, JSON.stringify({ start_ns: now_ns }));
  await waiting;
  assert.ok(Number(process.hrtime.bigint()) - now_ns >= 50e6, "not before its time");
  // Over already: at once.
  await untilPageStart({ ...prepared, pageStart_ms: 1 }, signal);
  rmSync(begun);
  const stop = new AbortController();
  const stopped = assert.rejects(untilPageStart(prepared, stop.signal), { name: "AbortError" });
  stop.abort();
  await stopped;
});

const { near, far } = twoFlowFiles();
const times = { navigation_ns: start_ns + 55e6, loadEnd_ns: start_ns + 90e6 };
const withFlow = (report: FlowReport, flow: number, change: object): FlowReport => ({
  ...report,
  flows: report.flows.map((each, index) => (index === flow ? { ...each, ...change } : each)),
});

test("what a page load says of the flows beside it", () => {
  const facts = trafficFacts(traffic, { near, far }, times);
  assert.deepEqual(facts, {
    ...{ flows: ["tcp:cubic", "quic:reno@20ms,up"], page_start_s: 0.05, navigation_s: 0.055 },
    received_bytes: [30_000, 10_000],
  });
  const page = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../schemas/examples/page-load/dilated.json"), "utf8"),
  );
  page.log._trilane.cross_traffic = facts;
  assert.equal(schemaErrors("page-load", page), null);
  assert.deepEqual(trafficReasons(traffic, { near, far }, times), []);
  const none = trafficFacts(traffic, { near, far: null }, { navigation_ns: null, loadEnd_ns: null });
  assert.deepEqual([none.navigation_s, none.received_bytes], [null, [30_000, null]]);
});

const faults: [string, Parameters<typeof trafficReasons>[1], Partial<typeof times>, string[]][] = [
  ["no report of the near end", { near: null, far }, {}, ["trilane-flows left no report of its near end"]],
  ["no report of the far end", { near, far: null }, {}, ["trilane-flows left no report of its far end"]],
  [
    "a flow that nobody answered",
    { near: withFlow(near, 1, { state: "failed", error: "connection refused" }), far },
    {},
    ["cross traffic: quic:reno@20ms,up failed: connection refused"],
  ],
  [
    "two that failed, at the far end",
    { near, far: withFlow(withFlow(far, 0, { state: "failed", error: "reset" }), 1, { state: "failed" }) },
    {},
    ["cross traffic: tcp:cubic failed: reset (and 1 more)"],
  ],
  [
    "a flow that never started",
    { near: withFlow(near, 1, { state: "not-started" }), far },
    {},
    ["cross traffic: quic:reno@20ms,up never started"],
  ],
  [
    "a page that began late",
    { near, far },
    { navigation_ns: start_ns + 350e6, loadEnd_ns: start_ns + 400e6 },
    ["cross traffic: the page began 0.3 s after its time, 0.05 s: the browser was not ready"],
  ],
  // The load ended before it.
  [
    "a flow whose time had not come",
    { near: withFlow(near, 1, { state: "not-started" }), far },
    { loadEnd_ns: start_ns + 19e6 },
    [],
  ],
];
for (const [name, reports, change, reasons] of faults)
  test(`${name}: ${reasons.length === 0 ? "no reason" : "a reason"} against the load`, () => {
    assert.deepEqual(trafficReasons(traffic, reports, { ...times, ...change }), reasons);
  });

test("who looks at the flows while they run is given the files that they are read from, and nobody else is", async () => {
  const seen: unknown[] = [];
  const watch: NonNullable<CrossTraffic["watch"]> = (files) => {
    seen.push(files);
    return { close: async () => void seen.push("closed") };
  };
  const given: unknown[] = [];
  const read = async (files: unknown) => void given.push(files);
  const running = await prepareTraffic({ ...traffic, read, watch }, { scratch: folder, evidence: null });
  await watchTraffic(running, join(folder, "shaper.json"))?.close();
  await giveSamples(running, join(folder, "shaper.json"));
  assert.deepEqual(seen, [given[0], "closed"]);
  // Without samples there is nothing to look at.
  const unread = await prepareTraffic({ ...traffic, watch }, { scratch: folder, evidence: null });
  assert.equal(watchTraffic(unread, join(folder, "shaper.json")), null);
});
