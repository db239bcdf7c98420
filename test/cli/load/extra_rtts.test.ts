// What is made of recorded round-trip times: how much farther than the nearest each server was.
import assert from "node:assert/strict";
import { test } from "node:test";
import { extraRttArguments, extraRtts } from "../../../cli/load/extra_rtts.ts";

const exchange = (address: string, rtt_ms?: number | null | string) => ({
  address,
  recorded: rtt_ms === undefined ? {} : { rtt_ms },
});

test("a server's distance is that of its quickest connection, less the nearest server's", () => {
  const extras = extraRtts([
    exchange("192.0.2.1", 12.5),
    exchange("192.0.2.2", 40),
    exchange("192.0.2.2", 31.2504),
    exchange("2001:db8::3", 12.5),
    exchange("192.0.2.4"),
    exchange("192.0.2.5", null),
    exchange("192.0.2.6", "20"),
    exchange("192.0.2.7", -1),
  ]);
  assert.deepEqual([...extras], [["192.0.2.2", 18.75]]);
  assert.deepEqual(extraRttArguments(extras), ["--extra-rtt", "192.0.2.2=18750us"]);
});

test("a host that is not recorded is as far as the median server", () => {
  const of = (...rtts: number[]) => extraRtts(rtts.map((rtt_ms, index) => exchange(`192.0.2.${index}`, rtt_ms)));
  assert.equal(of(10, 30, 90).get("198.19.192.0/18"), 20);
  assert.equal(of(10, 30, 90, 100).get("198.19.192.0/18"), 20);
  assert.equal(of(10, 10, 90).has("198.19.192.0/18"), false);
});

test("a recording that knows no round-trip times has none to add", () => {
  assert.equal(extraRtts([]).size, 0);
  assert.equal(extraRtts([exchange("192.0.2.1"), exchange("192.0.2.2")]).size, 0);
  assert.deepEqual(extraRttArguments(new Map()), []);
});

test("times stay whole and plain numbers, however small", () => {
  assert.deepEqual(
    extraRttArguments(
      new Map([
        ["192.0.2.1", 0.001],
        ["2001:db8::1", 59_999.5],
      ]),
    ),
    ["--extra-rtt", "192.0.2.1=1us,2001:db8::1=59999500us"],
  );
});
