// How the origins serve a recording: think time, origins, TLS, transports. The choice that a plan or a command makes,
// settled into every setting there is. Pure; what it means for trilane-replay's command line is arguments.ts's.

import { isDeepStrictEqual } from "node:util";
import type { ServingChoice, TransportChoice } from "../../../schemas/generated/serving.ts";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { type LaneLabel, labelParts } from "../../base/lanes.ts";
import { type Setting, serverSettings, settings } from "./settings.ts";

// How the origins serve one lane of a plan: as all lanes, or with the settings that the lane's label names. Pure.

type ServedPlan = Pick<SweepPlan, "serving" | "settings">;

/** Of a label whose settings the plan has not: as all lanes (refuseContradictions refuses such plans). */
export function laneServing({ serving = {}, settings = {} }: ServedPlan, label: LaneLabel): Serving {
  const name = labelParts(label)?.settings ?? null;
  const transport = name === null ? undefined : settings[name];
  return settleServing(transport ? overrideServing(serving, { transport }) : serving);
}

// QUIC's congestion controllers that set a rate by delay, and what a reader of a report should know of each. They are nothing without
// pacing. Their code is native-host/congestion/.

export const rateControllers: Readonly<Record<string, string>> = {
  gcc: "gcc is Google Congestion Control (draft-ietf-rmcat-gcc-02): QUIC is paced at a rate that rises by at most 8 % a second from the initial window in a round trip, and falls as soon as delay grows.",
  "inter-arrival-2013":
    "inter-arrival-2013 is WebRTC Inter-Arrival of Chromium's QUIC of 2013: ten packets probe the link, then QUIC is paced at a rate that rises with the cube of time and falls as soon as delay grows.",
};

// How often the browser acknowledges over QUIC: one way for all lanes of a plan, so that lanes differ by what they are compared
// for, and often enough for the controllers among them. Pure.

/** They measure by ACKs, and starve where a browser sends one for ten packets. */
export const livesOnAcks = (controller: string): boolean => controller.startsWith("sprout-ewma");

/** The plan's serving, with frequent ACKs on all lanes if one of them has a controller that lives on them. */
export function servingWithAcks({ serving = {}, settings = {} }: Pick<SweepPlan, "serving" | "settings">): Serving {
  const settled = settleServing(serving);
  const transports = [settled.transport, ...Object.values(settings)];
  const needed = transports.some(({ quic }) => quic?.congestion_control && livesOnAcks(quic.congestion_control));
  return needed ? { ...settled, client_acks: "frequent" } : settled;
}

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

const stockServers = Object.fromEntries(serverSettings.map(({ name, stock: value }) => [name, value]));

export function settleServing({ transport = {}, ...choice }: ServingChoice = {}): Serving {
  const chosen = Object.entries(choice).filter(([, value]) => value !== undefined);
  return { ...stockServers, ...Object.fromEntries(chosen), transport: settleTransport(transport) } as Serving;
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

/** As a plan's digest has it: without later settings that are as by default, since sweeps from before there was a choice make none. */
export function digestedServing(serving: Serving): object {
  const later = serverSettings.flatMap(({ name, stock, digested }) =>
    digested === undefined ? [] : [{ name, digested, isStock: serving[name] === stock }],
  );
  const always = Object.entries(serving).filter(([name]) => !later.some((setting) => setting.name === name));
  const chosen = later.filter(({ isStock }) => !isStock).toSorted((a, b) => a.digested - b.digested);
  return Object.fromEntries([...always, ...chosen.map(({ name }) => [name, serving[name]])]);
}
