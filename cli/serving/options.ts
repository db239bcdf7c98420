// The options by which a command says how the origins serve, the same for all commands, and the choice that they make.
import type { Argv } from "yargs";
import { type Declared, number } from "../commands/option.ts";
import { UserError } from "../errors.ts";
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
    describe: "servers: one for each recorded address, one for the hosts of one operator, or one for all",
  },
  think: { type: "string", describe: "a request waits for its answer: none, recorded (as it did then), or ms, as 20" },
  "extra-rtt": { type: "boolean", describe: "servers that were farther away when recorded are so again" },
  chain: { type: "string", describe: "certificate chains: as large as recorded, small, or bytes, as 5000" },
  tls: { choices: ["1.2", "1.3", "both"], describe: "TLS versions offered over TCP" },
  "pin-time": { type: "boolean", describe: "the page's clock and random numbers are the same in every load" },
};

const transportOptions: Readonly<Record<string, Declared>> = {
  transport: {
    choices: ["stock", "tuned"],
    describe: "what the settings below are if not said: stock, or tuned (initial window 32, paced, kept over pauses)",
  },
  "tcp-congestion": { choices: ["cubic", "reno", "bbr"], describe: "TCP's congestion control" },
  "tcp-initial-window": number(window, { describe: "packets" }),
  "tcp-pacing": { choices: switches, describe: "spread what is sent over the round trip" },
  "tcp-slow-start-after-idle": { choices: switches, describe: "begin with a small window again after a pause" },
  "tcp-bounds-unsent": {
    choices: switches,
    describe: "keep little waiting in the kernel; off: all that the buffer takes, as many servers do",
  },
  "tcp-send-buffer": number(buffer, { describe: "bytes, fixed; else the kernel lets it grow" }),
  "tcp-receive-buffer": number(buffer, { describe: "bytes, fixed; else the kernel lets it grow" }),
  "quic-congestion": { choices: ["cubic", "reno", "bbr2"], describe: "QUIC's congestion control" },
  "quic-initial-window": number(window, { describe: "packets" }),
  "quic-pacing": { choices: switches, describe: "spread what is sent over the round trip" },
  "quic-payload": number(
    { least: 1200, most: 1452, whole: true, unit: "bytes" },
    { describe: "bytes of the largest datagram" },
  ),
  "quic-max-ack-delay": number(
    { least: 0, most: 1000, whole: true, unit: "ms" },
    { describe: "ms the server may hold back an ACK" },
  ),
  "quic-batching": { choices: ["gso", "sendmmsg", "none"], describe: "how a burst is handed to the kernel" },
  "quic-send-buffer": number(buffer, { describe: "bytes of the UDP socket" }),
  "quic-receive-buffer": number(buffer, { describe: "bytes of the UDP socket" }),
};

/** Shown by --help-all only. */
export const rareServingOptions = Object.keys(transportOptions).filter((name) => name !== "transport");

/** Adds the options, in groups of their own in the help. */
export function defineServing<Options>(yargs: Argv<Options>): Argv<Options & ServingOptions> {
  for (const [name, declared] of Object.entries({ ...originOptions, ...transportOptions })) {
    // A choice of 1.2 is a text, not a number.
    const type = declared.type ?? "string";
    yargs.option(name, { ...declared, type, requiresArg: type !== "boolean" });
  }
  return yargs
    .group(Object.keys(originOptions), "How the origins serve:")
    .group(Object.keys(transportOptions), "How TCP (h1, h2) and QUIC (h3) carry it:") as Argv<Options & ServingOptions>;
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
