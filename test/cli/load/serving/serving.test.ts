// A choice of how origins serve becomes every setting there is, and then options of trilane-replay.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { programPath } from "../../../../cli/base/programs.ts";
import { servingArguments } from "../../../../cli/load/serving/arguments.ts";
import {
  isStockServing,
  overrideServing,
  presets,
  settleServing,
  stockServing,
} from "../../../../cli/load/serving/serving.ts";
import { servingLine, servingTerms } from "../../../../cli/load/serving/terms.ts";

test("what is left out is as stock", () => {
  assert.equal(stockServing.think, "none");
  assert.equal(stockServing.transport.preset, "stock");
  assert.deepEqual(settleServing({ transport: { preset: "custom" } }), stockServing);
  assert.equal(isStockServing(undefined), true);
  assert.equal(isStockServing({ think: "recorded" }), false);
});

test("a settled serving settles to itself", () => {
  for (const choice of [{}, { transport: { preset: "tuned" as const } }, { transport: { tcp: { pacing: true } } }]) {
    const settled = settleServing(choice);
    assert.deepEqual(settleServing(settled), settled);
  }
});

test("a preset is named where the settings are its own, whoever wrote them", () => {
  assert.equal(settleServing({ transport: { preset: "tuned" } }).transport.preset, "tuned");
  assert.equal(settleServing({ transport: { preset: "custom", ...presets.tuned } }).transport.preset, "tuned");
  const nearly = settleServing({ transport: { preset: "tuned", quic: { initial_window_packets: 10 } } });
  assert.equal(nearly.transport.preset, "custom");
  assert.equal(nearly.transport.tcp.initial_window_packets, 32);
  assert.equal(nearly.transport.quic.initial_window_packets, 10);
});

test("tuned gives TCP what QUIC has, and both the same window", () => {
  const { tcp, quic } = presets.tuned;
  assert.equal(tcp.pacing, quic.pacing);
  assert.equal(tcp.slow_start_after_idle, false);
  assert.equal(tcp.initial_window_packets, quic.initial_window_packets);
});

test("one choice goes before another, member by member, a preset before all settings", () => {
  const plan = { think: "recorded", transport: { preset: "tuned", tcp: { pacing: false } } } as const;
  assert.deepEqual(overrideServing(plan, { tls: "1.2" }), {
    ...plan,
    tls: "1.2",
    transport: { ...plan.transport, quic: {} },
  });
  const quic = settleServing(overrideServing(plan, { transport: { quic: { congestion_control: "bbr2" } } }));
  assert.equal(quic.think, "recorded");
  assert.equal(quic.transport.quic.congestion_control, "bbr2");
  assert.equal(quic.transport.tcp.pacing, false);
  assert.equal(quic.transport.tcp.initial_window_packets, 32);
  assert.equal(settleServing(overrideServing(plan, { transport: { preset: "stock" } })).transport.preset, "stock");
  assert.deepEqual(overrideServing({}, {}), {});
});

test("stock needs no options; each setting that differs is one", () => {
  assert.deepEqual(servingArguments(stockServing), []);
  assert.deepEqual(servingArguments(settleServing({ think: "recorded", origins: "single", tls: "1.2" })), [
    "--origins",
    "single",
    "--think",
    "recorded",
    "--tls-max",
    "1.2",
  ]);
  assert.deepEqual(servingArguments(settleServing({ chain: { bytes: 5000 } })), ["--chain", "5000"]);
  assert.deepEqual(servingArguments(settleServing({ priorities: "none" })), ["--priorities", "none"]);
  assert.deepEqual(servingArguments(settleServing({ early_hints: "none" })), ["--early-hints", "none"]);
  assert.deepEqual(servingArguments(settleServing({ early_hints: "recorded" })), []);
  assert.deepEqual(servingArguments(settleServing({ chain: "small" })), ["--chain", "small"]);
  assert.deepEqual(servingArguments(settleServing({ think: { ms: 2.5 }, tls: "1.3" })), [
    "--think",
    "2.5",
    "--tls-min",
    "1.3",
  ]);
  assert.deepEqual(servingArguments(settleServing({ transport: { preset: "tuned" } })), [
    "--tcp-initcwnd",
    "32",
    "--tcp-pacing",
    "on",
    "--tcp-slow-start-after-idle",
    "off",
    "--quic-initcwnd",
    "32",
  ]);
});

const everything = settleServing({
  origins: "merged",
  think: { ms: 20 },
  priorities: "none",
  early_hints: "none",
  tls: "1.2",
  transport: {
    tcp: {
      congestion_control: "reno",
      initial_window_packets: 3,
      pacing: true,
      slow_start_after_idle: false,
      bounds_unsent: false,
      send_buffer_bytes: 65536,
      receive_buffer_bytes: 131072,
    },
    quic: {
      congestion_control: "bbr2",
      initial_window_packets: 4,
      pacing: false,
      max_udp_payload_bytes: 1200,
      max_ack_delay_ms: 0,
      batching: "none",
      send_buffer_bytes: 65536,
      receive_buffer_bytes: 131072,
    },
  },
});

test("trilane-replay knows every option that is said", () => {
  // Which are read before the last one, at which it stops without a recording.
  const words = [...servingArguments(everything), "--help"];
  const help = execFileSync(programPath("trilane-replay"), words, { encoding: "utf8" });
  for (const word of words.filter((each) => each.startsWith("--"))) assert.ok(help.includes(word), word);
  assert.equal(words.filter((each) => each.startsWith("--")).length, 21);
});

test("a serving in words", () => {
  assert.equal(servingLine(stockServing), "");
  assert.equal(
    servingLine(settleServing({ think: { ms: 20 }, transport: { preset: "tuned" } })),
    "server think time: 20 ms; transports: tuned",
  );
  assert.deepEqual(new Map(servingTerms(everything)).get("origins"), "one server for the hosts of one operator");
});
