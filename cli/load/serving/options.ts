// The options by which a command says how the origins serve, the same for all commands, and the choice that they make.
import type { Argv } from "yargs";
import { UserError } from "../../base/errors.ts";
import { type Declared, number } from "../../base/option.ts";
import type { ServingChoice } from "./serving.ts";

type Switch = "on" | "off";

/** As yargs gives them: what nobody said is undefined, so that a plan's own choice stays. */
export interface ServingOptions {
  origins: "as-recorded" | "merged" | "single" | undefined;
  think: string | undefined;
  extraRtt: boolean | undefined;
  chain: string | undefined;
  tls: "1.2" | "1.3" | "both" | undefined;
  pinTime: boolean | undefined;
  transport: "stock" | "tuned" | undefined;
  tcpCongestion: "cubic" | "reno" | "bbr" | undefined;
  tcpInitialWindow: number | undefined;
  tcpPacing: Switch | undefined;
  tcpSlowStartAfterIdle: Switch | undefined;
  tcpBoundsUnsent: Switch | undefined;
  tcpSendBuffer: number | undefined;
  tcpReceiveBuffer: number | undefined;
  quicCongestion: "cubic" | "reno" | "bbr2" | undefined;
  quicInitialWindow: number | undefined;
  quicPacing: Switch | undefined;
  quicPayload: number | undefined;
  quicMaxAckDelay: number | undefined;
  quicBatching: "gso" | "sendmmsg" | "none" | undefined;
  quicSendBuffer: number | undefined;
  quicReceiveBuffer: number | undefined;
}

const switches = ["on", "off"] as const;
const buffer = { least: 16384, most: 2 ** 30, whole: true, unit: "bytes" } as const;
const window = { least: 1, most: 1000, whole: true, unit: "packets" } as const;

const originOptions: Readonly<Record<string, Declared>> = {
  origins: {
    choices: ["as-recorded", "merged", "single"],
    describe: "servers: one per recorded address (as-recorded), one per operator (merged), or one for all (single)",
  },
  think: {
    type: "string",
    placeholder: "none|recorded|MS",
    describe: "server think time: none, recorded, or milliseconds (20)",
  },
  "extra-rtt": { type: "boolean", describe: "servers keep the extra round-trip time they were recorded with" },
  chain: {
    type: "string",
    placeholder: "recorded|small|BYTES",
    describe: "size of certificate chains: recorded, small, or bytes (5000)",
  },
  tls: { choices: ["1.2", "1.3", "both"], describe: "TLS versions offered over TCP" },
  "pin-time": { type: "boolean", describe: "give the page the same clock and random numbers in every load" },
};

const transportOptions: Readonly<Record<string, Declared>> = {
  transport: {
    choices: ["stock", "tuned"],
    describe: "transport preset: stock, or tuned (initial window 32, paced, window kept over pauses)",
  },
  "tcp-congestion": { choices: ["cubic", "reno", "bbr"], describe: "TCP's congestion control" },
  "tcp-initial-window": number(window, { placeholder: "PACKETS", describe: "initial window, in packets" }),
  "tcp-pacing": { choices: switches, describe: "spread packets over the round trip" },
  "tcp-slow-start-after-idle": { choices: switches, describe: "return to the initial window after a pause" },
  "tcp-bounds-unsent": {
    choices: switches,
    describe: "limit unsent data in the kernel; off: fill the send buffer, as many servers do",
  },
  "tcp-send-buffer": number(buffer, { describe: "fixed size in bytes (default: grown by the kernel)" }),
  "tcp-receive-buffer": number(buffer, { describe: "fixed size in bytes (default: grown by the kernel)" }),
  "quic-congestion": { choices: ["cubic", "reno", "bbr2"], describe: "QUIC's congestion control" },
  "quic-initial-window": number(window, { placeholder: "PACKETS", describe: "initial window, in packets" }),
  "quic-pacing": { choices: switches, describe: "spread packets over the round trip" },
  "quic-payload": number(
    { least: 1200, most: 1452, whole: true, unit: "bytes" },
    { describe: "largest datagram in bytes" },
  ),
  "quic-max-ack-delay": number(
    { least: 0, most: 1000, whole: true, unit: "ms" },
    { describe: "longest that the server delays an ACK, in ms" },
  ),
  "quic-batching": { choices: ["gso", "sendmmsg", "none"], describe: "system call that sends a burst" },
  "quic-send-buffer": number(buffer, { describe: "buffer of the UDP socket in bytes" }),
  "quic-receive-buffer": number(buffer, { describe: "buffer of the UDP socket in bytes" }),
};

/** The others are shown by --help-all only. */
const common: ReadonlySet<string> = new Set(["origins", "think", "pin-time", "transport"]);

/** Adds the options, in groups of their own in the help. */
export function defineServing<Options>(yargs: Argv<Options>): Argv<Options & ServingOptions> {
  for (const [name, declared] of Object.entries({ ...originOptions, ...transportOptions })) {
    // A choice of 1.2 is a text, not a number.
    const type = declared.type ?? "string";
    yargs.option(name, { ...declared, rare: !common.has(name), type, requiresArg: type !== "boolean" });
  }
  return yargs
    .group(Object.keys(originOptions), "How the servers answer:")
    .group(Object.keys(transportOptions), "TCP (h1, h2) and QUIC (h3):") as Argv<Options & ServingOptions>;
}

function thinkOf(text: string): NonNullable<ServingChoice["think"]> {
  if (text === "none" || text === "recorded") return text;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(ms <= 3_600_000))
    throw new UserError(`--think: must be none, recorded, or milliseconds up to an hour (got ${JSON.stringify(text)})`);
  return { ms };
}

function chainOf(text: string): NonNullable<ServingChoice["chain"]> {
  if (text === "recorded" || text === "small") return text;
  const bytes = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (bytes < 1 || bytes > 65_536)
    throw new UserError(`--chain: must be recorded, small, or 1 to 65536 bytes (got ${JSON.stringify(text)})`);
  return { bytes };
}

/** Leaves out what is undefined. */
function said<Value extends object>(value: Value): { [Name in keyof Value]?: Exclude<Value[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [Name in keyof Value]?: Exclude<Value[Name], undefined>;
  };
}

const isOn = (value: Switch | undefined): boolean | undefined => (value === undefined ? undefined : value === "on");

/** What the options say, and nothing beyond it. UserError for a value that cannot be. */
export function servingChoiceOf(options: ServingOptions): ServingChoice {
  const tcp = said({
    congestion_control: options.tcpCongestion,
    initial_window_packets: options.tcpInitialWindow,
    pacing: isOn(options.tcpPacing),
    slow_start_after_idle: isOn(options.tcpSlowStartAfterIdle),
    bounds_unsent: isOn(options.tcpBoundsUnsent),
    send_buffer_bytes: options.tcpSendBuffer,
    receive_buffer_bytes: options.tcpReceiveBuffer,
  });
  const quic = said({
    congestion_control: options.quicCongestion,
    initial_window_packets: options.quicInitialWindow,
    pacing: isOn(options.quicPacing),
    max_udp_payload_bytes: options.quicPayload,
    max_ack_delay_ms: options.quicMaxAckDelay,
    batching: options.quicBatching,
    send_buffer_bytes: options.quicSendBuffer,
    receive_buffer_bytes: options.quicReceiveBuffer,
  });
  const isEmpty = (value: object): boolean => Object.keys(value).length === 0;
  const transport = {
    ...said({ preset: options.transport }),
    ...(isEmpty(tcp) ? {} : { tcp }),
    ...(isEmpty(quic) ? {} : { quic }),
  };
  return {
    ...said({
      origins: options.origins,
      think: options.think === undefined ? undefined : thinkOf(options.think),
      extra_rtt: options.extraRtt,
      chain: options.chain === undefined ? undefined : chainOf(options.chain),
      tls: options.tls,
      pin_time: options.pinTime,
    }),
    ...(isEmpty(transport) ? {} : { transport }),
  };
}
