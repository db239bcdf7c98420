// Links that too few TCP flows cannot fill, and the bound that the kernel's buffers are.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../../../cli/base/programs.ts";
import { farBuffers, tcpBufferNotes } from "../../../../../cli/instruments/flows/answer/tcp_buffers.ts";
import { parseFlow } from "../../../../../cli/link/flows/flow_words.ts";
import { parseLink } from "../../../../../cli/link/link.ts";

const notes = (link: string, ...flows: string[]): string[] =>
  tcpBufferNotes([{ link, link_profile: parseLink(link), flows: flows.map((flow) => parseFlow(flow, null)) }]);

test("a fast link with a long delay: what bounds each flow, and how many fill it", () => {
  assert.deepEqual(notes("720mbit/160ms", "tcp", "tcp"), [
    "2 TCP flows cannot fill 720mbit/160ms: the sender's buffer (tcp_wmem, about 3.1 MB of data) lets each carry some 157 Mbit/s over 160 ms. It takes 5 flows, as --flow 5*tcp.",
  ]);
  assert.deepEqual(notes("720mbit/160ms", "5*tcp"), []);
  assert.match(
    notes("720mbit/160ms", "4*tcp,up").join(),
    /^4 TCP flows .*the receiver's buffer \(tcp_rmem.*--flow 5\*tcp,up\.$/,
  );
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

test("the limits are those that labs set", () => {
  const source = readFileSync(join(checkout, "native-host", "base", "namespace.c"), "utf8");
  for (const { name, size_bytes } of Object.values(farBuffers))
    assert.match(source, new RegExp(`${name}", "\\d+ \\d+ ${size_bytes}"`));
});
