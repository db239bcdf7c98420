// Links that too few TCP flows cannot fill, and the bound that the kernel's receive window is.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../../../cli/base/programs.ts";
import { receiveBuffer_bytes, receiveWindowNotes } from "../../../../../cli/instruments/flows/answer/receive_window.ts";
import { parseFlow } from "../../../../../cli/instruments/flows/language/flow_words.ts";
import { parseLink } from "../../../../../cli/link/link.ts";

const notes = (link: string, ...flows: string[]): string[] =>
  receiveWindowNotes([{ link, link_profile: parseLink(link), flows: flows.map((flow) => parseFlow(flow, null)) }]);

test("a fast link with a long delay: what bounds each flow, and how many fill it", () => {
  assert.deepEqual(notes("720mbit/160ms", "tcp", "tcp"), [
    "2 TCP flows cannot fill 720mbit/160ms: the kernel's receive window (tcp_rmem, 3.1 MB of data) lets each carry at most 157 Mbit/s over 160 ms. It takes 5 flows, as --flow 5*tcp.",
  ]);
  assert.deepEqual(notes("720mbit/160ms", "5*tcp"), []);
  assert.equal(notes("720mbit/160ms", "4*tcp,up").length, 1);
});

test("nothing is said of links that the flows can fill, of QUIC, and of links without a rate", () => {
  for (const [link, ...flows] of [
    ["10mbit/50ms", "tcp"],
    ["150mbit/160ms", "tcp"],
    ["720mbit/160ms", "tcp", "quic"],
    ["unlimited", "tcp"],
  ] as const)
    assert.deepEqual(notes(link, ...flows), [], link);
});

test("the limit is the one that labs set", () => {
  const source = readFileSync(join(checkout, "native-host", "base", "stock_network.c"), "utf8");
  assert.match(source, new RegExp(`tcp_rmem", "\\d+ \\d+ ${receiveBuffer_bytes}"`));
});
