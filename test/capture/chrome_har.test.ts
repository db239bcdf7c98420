// chrome-har makes HARs of the same kind of events, by code of its own: for every answered request of the recorded loads
// it has to come to the same protocol, address, connection, sizes and phases as ours.
import assert from "node:assert/strict";
import { test } from "node:test";
import { harFromMessages } from "chrome-har";
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import { captureOf, entriesFrom, fixture, lanes } from "./fixture.ts";

// Ours has fractions of a millisecond where chrome-har rounds to thousandths.
const rounding_ms = 0.01;
const phases = ["dns", "connect", "ssl", "send", "wait", "receive"] as const;

const nameOf = ({ request, response }: HarEntry): string => `${request.method} ${request.url} ${response.status}`;

for (const lane of lanes) {
  test(`${lane}: chrome-har reads the same from the same events`, () => {
    const recorded = fixture(lane);
    const ours = entriesFrom(captureOf(recorded)).filter((entry) => entry.response.status > 0);
    // It wants to be told that a page begins.
    const begin = { method: "Page.frameStartedLoading", params: { frameId: recorded.mainFrame } };
    const theirs = harFromMessages([begin, ...recorded.events]).log.entries as HarEntry[];
    assert.deepEqual(ours.map(nameOf).sort(), theirs.map(nameOf).sort());
    for (const entry of ours) {
      const name = nameOf(entry);
      const other = theirs.find((each) => nameOf(each) === name);
      assert.ok(other, name);
      assert.equal(entry.response.httpVersion, other.response.httpVersion, name);
      assert.equal(entry.serverIPAddress, other.serverIPAddress, name);
      assert.equal(entry.connection, other.connection, name);
      // Where there is no type, DevTools and we write x-unknown.
      assert.equal(entry.response.content.mimeType, other.response.content.mimeType || "x-unknown", name);
      assert.equal(entry.response.content.size, other.response.content.size, name);
      assert.equal(entry.response._transferSize, other.response._transferSize, name);
      for (const phase of phases)
        assert.ok(
          Math.abs((entry.timings[phase] ?? -1) - (other.timings[phase] ?? -1)) < rounding_ms,
          `${name}: ${phase} is ${entry.timings[phase]} here, ${other.timings[phase]} there`,
        );
    }
  });
}
