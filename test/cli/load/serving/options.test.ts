// The options by which commands say how the origins serve.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command, CommonOptions } from "../../../../cli/commands/command.ts";
import { declarationOf } from "../../../../cli/commands/declared.ts";
import { readWords } from "../../../../cli/commands/words.ts";
import { defineServing, type ServingOptions, servingChoiceOf } from "../../../../cli/load/serving/options.ts";
import { refusedIn } from "../../refused.ts";

const command: Command<CommonOptions & ServingOptions> = {
  usage: "serve",
  summary: "",
  define: (table) => table.with(defineServing),
  run: async () => {},
};

function choiceOf(...words: string[]) {
  const { values } = readWords([declarationOf(command)], ["serve", ...words]);
  return servingChoiceOf(values as unknown as ServingOptions, ["reno", "cubic", "bbr"]);
}

test("nothing said chooses nothing", () => {
  assert.deepEqual(choiceOf(), {});
});

test("each option chooses its own and no more", () => {
  const cases: [string[], object][] = [
    [["--origins", "merged"], { origins: "merged" }],
    [["--think", "recorded"], { think: "recorded" }],
    [["--think", "0"], { think: { ms: 0 } }],
    [["--think", "2.5"], { think: { ms: 2.5 } }],
    [["--extra-rtt"], { extra_rtt: true }],
    [["--no-extra-rtt"], { extra_rtt: false }],
    [["--chain", "recorded"], { chain: "recorded" }],
    [["--chain", "5000"], { chain: { bytes: 5000 } }],
    [["--priorities", "none"], { priorities: "none" }],
    [["--early-hints", "none"], { early_hints: "none" }],
    [["--tls", "1.2"], { tls: "1.2" }],
    [["--pin-time"], { pin_time: true }],
    [["--client-acks", "frequent"], { client_acks: "frequent" }],
    [["--transport", "tuned"], { transport: { preset: "tuned" } }],
    [["--tcp-congestion", "bbr"], { transport: { tcp: { congestion_control: "bbr" } } }],
    [["--tcp-initial-window", "32"], { transport: { tcp: { initial_window_packets: 32 } } }],
    [["--tcp-pacing", "on"], { transport: { tcp: { pacing: true } } }],
    [["--tcp-bounds-unsent", "off"], { transport: { tcp: { bounds_unsent: false } } }],
    [["--tcp-slow-start-after-idle", "off"], { transport: { tcp: { slow_start_after_idle: false } } }],
    [["--tcp-send-buffer", "65536"], { transport: { tcp: { send_buffer_bytes: 65536 } } }],
    [["--tcp-receive-buffer", "65536"], { transport: { tcp: { receive_buffer_bytes: 65536 } } }],
    [["--quic-congestion", "bbr2"], { transport: { quic: { congestion_control: "bbr2" } } }],
    [["--quic-congestion", "cubic-n2"], { transport: { quic: { congestion_control: "cubic-n2" } } }],
    [["--quic-initial-window", "32"], { transport: { quic: { initial_window_packets: 32 } } }],
    [["--quic-pacing", "off"], { transport: { quic: { pacing: false } } }],
    [["--quic-payload", "1200"], { transport: { quic: { max_udp_payload_bytes: 1200 } } }],
    [["--quic-max-ack-delay", "0"], { transport: { quic: { max_ack_delay_ms: 0 } } }],
    [["--quic-batching", "sendmmsg"], { transport: { quic: { batching: "sendmmsg" } } }],
    [["--quic-send-buffer", "65536"], { transport: { quic: { send_buffer_bytes: 65536 } } }],
    [["--quic-receive-buffer", "65536"], { transport: { quic: { receive_buffer_bytes: 65536 } } }],
  ];
  for (const [words, choice] of cases) assert.deepEqual(choiceOf(...words), choice, words.join(" "));
  const all = cases.filter(([words]) => words[0] !== "--no-extra-rtt").flatMap(([words]) => words);
  assert.equal(Object.keys(choiceOf("--think", "recorded", "--tls", "both", "--transport", "stock")).length, 3);
  assert.ok(all.length > 0);
});

test("what cannot be is refused by its option's name", () => {
  const cases: [string[], RegExp][] = [
    [["--think", "fast"], /^--think: must be none, recorded, or milliseconds.*"fast"/],
    [["--think", "-5"], /think/],
    [
      ["--tcp-congestion", "vegas"],
      /^--tcp-congestion "vegas": this kernel offers reno, cubic, bbr: use one of them, or load it \(`modprobe tcp_vegas` as root\)$/,
    ],
    [["--chain", "large"], /^--chain: must be recorded, small, or 1 to 65536 bytes.*"large"/],
    [["--chain", "0"], /^--chain: /],
    [["--chain", "65537"], /^--chain: /],
    [["--think", "3600001"], /^--think: /],
    [
      ["--client-acks", "usual", "--quic-congestion", "sprout-ewma-acks"],
      /^--client-acks usual: sprout-ewma-acks needs frequent ones: leave it out$/,
    ],
  ];
  for (const [words, message] of cases) {
    assert.throws(() => choiceOf(...words), refusedIn(message));
  }
});
