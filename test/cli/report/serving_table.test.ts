// The report's tables of how origins served: what was asked, what the servers reported, and what no report says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { settleServing } from "../../../cli/load/serving/serving.ts";
import type { ShownFacts } from "../../../cli/report/data.ts";
import { servingTables } from "../../../cli/report/serving_table.ts";
import { replayReport } from "../load/fixtures.ts";

function facts(change: Partial<ShownFacts>): ShownFacts {
  return { label: "h2", replay: replayReport([]), ...change } as ShownFacts;
}

const shown = (...all: ShownFacts[]): string => servingTables(all).text;

const row = (name: string, ...cells: string[]): string =>
  `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;

test("TCP beside QUIC, each as its server reported it", () => {
  const text = shown(facts({}));
  assert.ok(text.includes(row("congestion control", "cubic", "cubic")));
  assert.ok(text.includes(row("initial window", "10 packets", "10 packets")));
  assert.ok(text.includes(row("pacing", "off", "on")));
  assert.ok(text.includes(row("after a pause", "slow start again", "the window is kept")));
  assert.ok(text.includes(row("send buffer", "the kernel&#39;s, grows", "212992 bytes")), text);
  assert.ok(text.includes(row("handed to the kernel", "as a stream", "gso")));
});

test("what differs between loads is told with how many", () => {
  const report = replayReport([]);
  const { tcp } = report.transport;
  const tuned = { ...report, transport: { ...report.transport, tcp: { ...tcp, initial_window_packets: 32 } } };
  const text = shown(facts({}), facts({ replay: tuned }));
  assert.match(text, /10 packets <small>\(1 load of 2 looked at\)<\/small>.*32 packets <small>\(1 load of 2/);
});

test("recorded think times: for how many requests there were none", () => {
  const serving = settleServing({ think: "recorded" });
  const report = replayReport([]);
  const known = { ...report, counts: { ...report.counts, think_unknown: 0 } };
  const unknown = { ...report, counts: { ...report.counts, think_unknown: 2 } };
  assert.ok(shown(facts({ serving, replay: known })).includes(row("server think time", "as recorded")));
  const told = "as recorded; 2 requests answered at once, as no time was recorded";
  assert.ok(shown(facts({ serving, replay: unknown })).includes(row("server think time", told)));
});

test("loads without a report, or of before there was a choice, say no more than they know", () => {
  const text = shown(facts({ replay: null }));
  assert.ok(text.includes(row("congestion control", "unavailable: no report", "unavailable: no report")));
  assert.ok(text.includes(row("transports", "stock")));
  assert.equal(shown(), "");
});

test("lanes with settings of their own have a column each", () => {
  const report = replayReport([]);
  const { tcp } = report.transport;
  const bbr = { ...report, transport: { ...report.transport, tcp: { ...tcp, congestion_control: "bbr" } } };
  const text = shown(facts({ label: "h3:x" }), facts({ label: "h2:bbr", replay: bbr }), facts({ label: "h2" }));
  assert.ok(
    text.includes(`<th scope="col">h2 (TCP)</th><th scope="col">h2:bbr (TCP)</th><th scope="col">h3:x (QUIC)</th>`),
  );
  assert.ok(text.includes(row("congestion control", "cubic", "bbr", "cubic")), text);
});
