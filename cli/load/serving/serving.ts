// How the origins serve a recording: think time, origins, TLS, transports. The choice that a plan or a command makes,
// settled into every setting there is. Pure; what it means for trilane-replay's command line is arguments.ts's.
import { isDeepStrictEqual } from "node:util";
import type { ServingChoice, TransportChoice } from "../../../schemas/generated/serving.ts";
import { type Setting, settings } from "./settings.ts";

/** Named settings of the transports. */
type TransportPreset = Exclude<Transport["preset"], "custom">;

type Settings = Omit<Transport, "preset">;

const stockOf = (of: Setting["protocol"]): object =>
  Object.fromEntries(settings.filter(({ protocol }) => protocol === of).map(({ name, stock }) => [name, stock]));

const stock = { tcp: stockOf("tcp"), quic: stockOf("quic") } as Settings;

/**
 * Tuned as Wolsing et al. (2019) tune TCP, so that it is not compared with what only QUIC has: pacing, a window that is
 * kept over pauses, and an initial window of 32 packets, here for both.
 */
const tuned: Settings = {
  tcp: { ...stock.tcp, initial_window_packets: 32, pacing: true, slow_start_after_idle: false },
  quic: { ...stock.quic, initial_window_packets: 32 },
};

export const presets: Readonly<Record<TransportPreset, Settings>> = { stock, tuned };

export type { ServingChoice };

type Settled<Choice> = Choice extends object ? { readonly [Name in keyof Choice]-?: Settled<Choice[Name]> } : Choice;

/** Nothing is left out. */
export type Serving = Settled<ServingChoice>;
export type Transport = Settled<TransportChoice>;

/** What preset a transport is: the first whose settings it has. */
function presetOf(settings: Omit<Transport, "preset">): Transport["preset"] {
  const names = Object.keys(presets) as TransportPreset[];
  return names.find((name) => isDeepStrictEqual(presets[name], settings)) ?? "custom";
}

function settleTransport(choice: TransportChoice): Transport {
  const preset = choice.preset === "tuned" ? presets.tuned : presets.stock;
  const settings = { tcp: { ...preset.tcp, ...choice.tcp }, quic: { ...preset.quic, ...choice.quic } } as Omit<
    Transport,
    "preset"
  >;
  return { preset: presetOf(settings), ...settings };
}

export function settleServing(choice: ServingChoice = {}): Serving {
  return {
    origins: choice.origins ?? "as-recorded",
    think: choice.think ?? "none",
    extra_rtt: choice.extra_rtt ?? false,
    chain: choice.chain ?? "recorded",
    priorities: choice.priorities ?? "rfc9218",
    early_hints: choice.early_hints ?? "recorded",
    tls: choice.tls ?? "both",
    pin_time: choice.pin_time ?? false,
    client_acks: choice.client_acks ?? "usual",
    transport: settleTransport(choice.transport ?? {}),
  };
}

export const stockServing: Serving = settleServing();

export function isStockServing(serving: ServingChoice | undefined): boolean {
  return isDeepStrictEqual(settleServing(serving), stockServing);
}

/** One choice with what another one chooses in its place. A preset takes the place of all that was chosen of transports. */
export function overrideServing(choice: ServingChoice, over: ServingChoice): ServingChoice {
  const { transport, ...rest } = over;
  const below = transport?.preset === undefined ? (choice.transport ?? {}) : {};
  return {
    ...choice,
    ...rest,
    ...(choice.transport || transport
      ? {
          transport: {
            ...below,
            ...transport,
            tcp: { ...below.tcp, ...transport?.tcp },
            quic: { ...below.quic, ...transport?.quic },
          },
        }
      : {}),
  };
}
