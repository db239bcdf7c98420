// Why as a picture: bars that add up to the load time, differences on their side and in their colour.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PathEvidence, PathPart } from "../../../../cli/load/metrics/path_evidence.ts";
import { whyFigure } from "../../../../cli/report/figures/why_bars.ts";

const path = (change: Partial<Record<PathPart, number>>): PathEvidence => {
  const parts: Record<PathPart, number> = {
    ...{ setup_ms: 300, queued_ms: 0, roundTrips_ms: 200, linkQueue_ms: 0, responses_ms: 400, computation_ms: 100 },
    ...change,
  };
  const plt_ms = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { ...parts, plt_ms, rtt_ms: 100, connections: 1, lost_packets: 0 };
};

test("less is blue and to the left, more orange and to the right, the same has no bar; parts that neither has are not there", () => {
  const paths = { lane: path({ setup_ms: 200, responses_ms: 430 }), over: path({}), cells: 2 };
  const { text } = whyFigure({ lane: "h3", over: "h2" }, paths, "race");
  const bars = [...text.matchAll(/<rect class="(b6|w6)" x="([\d.]+)"[^>]*width="([\d.]+)"/g)].map(
    ([, colour, x, width]) => ({ colour, x: Number(x), width: Number(width) }),
  );
  assert.deepEqual(
    bars.map(({ colour }) => colour),
    ["b6", "w6"],
  );
  const [less, more] = bars as [(typeof bars)[0], (typeof bars)[0]];
  assert.ok(Math.abs(less.x + less.width - more.x) < 0.2, "they meet at the middle");
  assert.ok(Math.abs(less.width / more.width - 100 / 30) < 0.05, "as long as the differences");
  assert.match(text, /100 ms less</);
  assert.match(text, /30 ms more</);
  assert.equal([...text.matchAll(/>as long</g)].length, 2, "round trips and no request");
  assert.doesNotMatch(text, /the link’s queue|waiting for a connection<\/text>/);
  assert.match(text, /Means over the 2 combinations of page and link; the answer has the median/);
  assert.match(
    text,
    /aria-label="Critical paths of HTTP\/2 and HTTP\/3, .*connecting 100 ms less, responses, with losses 30 ms more"/,
  );
});
