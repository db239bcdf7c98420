// What sweeps of earlier versions in dilated time ran, and say of themselves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { settleServing, stockServing } from "../../../../cli/load/serving/serving.ts";
import { dilationSentence, servedInDilatedTime } from "../../../../cli/results/answer/dilated_sweeps.ts";

test("in dilated time Reno took the place of the kernel's CUBIC, and of nothing else", () => {
  assert.equal(servedInDilatedTime(stockServing, 5).transport.tcp.congestion_control, "reno");
  assert.equal(servedInDilatedTime(stockServing, 1), stockServing);
  const bbr = settleServing({ think: { ms: 20 }, transport: { preset: "tuned", tcp: { congestion_control: "bbr" } } });
  assert.equal(servedInDilatedTime(bbr, 5), bbr);
  const { think, transport } = servedInDilatedTime(settleServing({ think: { ms: 20 } }), 5);
  assert.deepEqual(think, { ms: 20 });
  assert.deepEqual(transport.quic, stockServing.transport.quic);
});

test("a sweep that was dilated says so, with its TCP if a lane has one", () => {
  assert.match(dilationSentence({ lanes: ["h2"], dilate: 5 }) ?? "", /^Time was dilated 5 times .* TCP ran Reno, /);
  assert.doesNotMatch(dilationSentence({ lanes: ["h3"], dilate: 5 }) ?? "", /Reno/);
  assert.equal(dilationSentence({ lanes: ["h2"] }), null);
});
