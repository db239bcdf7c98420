// A link's short form (3mbit/50ms,loss=1%) to its profile and back. The short form is also what trilane-shaper takes,
// so shaper/link_profile.c reads the same language: schemas/examples/link-forms.json is the test of both.
// Decides nothing about packets, and reads none of the files that a form names: files.ts does.

import type { LinkDirection, LinkProfile, LinkQueue, LinkTrace } from "../../schemas/generated/link_profile.ts";
import { type Key, keyOf, refuse, type Setting, type Settings, type Side, settingsOf } from "./form.ts";
import {
  formatJitter,
  formatLoss,
  formatOnOff,
  formatReorder,
  formatSteps,
  meanLoss,
  readFec,
  readJitter,
  readLoss,
  readOnOff,
  readReorder,
  readSteps,
  readWord,
  type Step,
} from "./models.ts";
import {
  formatQueue,
  formatRate,
  formatShare,
  formatSpan,
  formatTime,
  readQueue,
  readRate,
  readShare,
  readSpan,
  readTime,
  readWhole,
} from "./quantity.ts";

export type { LinkDirection, LinkProfile, LinkQueue };

export const defaultSeed = 1;
const maxSeed = 2 ** 32 - 1;

const disciplines = ["droptail", "drophead", "codel", "pie", "fq_codel"] as const;
type Discipline = (typeof disciplines)[number];

/** What a direction's queue is where none is asked for. */
function defaultQueue(hasRate: boolean, rtt_ms: number, discipline: Discipline): LinkQueue {
  // There is no product of an unlimited rate or of no delay, and an algorithm that keeps the queue short itself gets
  // room to do so.
  const hasProduct = hasRate && rtt_ms > 0;
  return hasProduct && (discipline === "droptail" || discipline === "drophead") ? { bdp: 1 } : { packets: 1000 };
}

/** One direction's settings, the one for it alone before the one for both. */
class Reader {
  readonly #settings: Settings;
  readonly #side: Side;

  constructor(settings: Settings, side: Side) {
    this.#settings = settings;
    this.#side = side;
  }

  #keyOf(setting: Setting): Key {
    const special = keyOf(setting, this.#side);
    return this.#settings.has(special) ? special : setting;
  }

  read<T>(setting: Setting, reader: (name: string, text: string) => T): T | undefined {
    const name = this.#keyOf(setting);
    const text = this.#settings.get(name);
    return text === undefined ? undefined : reader(name, text);
  }

  readWord<Word extends string>(setting: Setting, words: readonly Word[], listed: string): Word | undefined {
    return this.read(setting, (name, text) => readWord(name, text, words, listed));
  }

  /** A direction has a rate or a trace; the one for it alone counts more than the one for both. */
  hasTrace(): boolean {
    const specialRate = this.#settings.has(keyOf("rate", this.#side));
    const specialTrace = this.#settings.has(keyOf("trace", this.#side));
    const special = specialRate || specialTrace;
    const rate = special ? specialRate : this.#settings.has("rate");
    const trace = special ? specialTrace : this.#settings.has("trace");
    if (rate && trace) {
      throw refuse(`${this.#keyOf("rate")} and ${this.#keyOf("trace")} exclude each other: give one of them`);
    }
    return trace;
  }
}

type RatePart = Pick<LinkDirection, "rate_bps" | "rate_steps" | "trace">;

function readRatePart(reader: Reader): RatePart {
  if (reader.hasTrace()) {
    const end = reader.readWord("trace_end", ["wrap", "once"], "wrap or once");
    const file = reader.read("trace", (_, text) => text) ?? "";
    const trace: LinkTrace = end === "once" ? { file, end } : { file };
    return { rate_bps: null, trace };
  }
  const steps = reader.read("rate", (name, text) => {
    const read = readSteps(name, text, "3mbit", readRate);
    if (read.length > 1 && read.some(({ value }) => value === null))
      throw refuse(`${name} "unlimited" cannot be a step: give a rate, as 100gbit`);
    return read;
  });
  const list = (steps ?? []).map(({ at_ms, value }) => ({ at_ms, rate_bps: value ?? 0 }));
  const [first, second, ...rest] = list;
  const rate_bps = steps?.[0].value ?? null;
  return first && second ? { rate_bps, rate_steps: [first, second, ...rest] } : { rate_bps };
}

type DelayPart = Pick<LinkDirection, "delay_ms" | "delay_steps">;

function delayPart(steps: readonly Step<number>[]): DelayPart {
  const list = steps.map(({ at_ms, value }) => ({ at_ms, delay_ms: value }));
  const [first, second, ...rest] = list;
  const delay_ms = first?.delay_ms ?? 0;
  return first && second ? { delay_ms, delay_steps: [first, second, ...rest] } : { delay_ms };
}

function readDelays(settings: Settings): { down: DelayPart; up: DelayPart } {
  const read = (key: Key): Step<number>[] => {
    const text = settings.get(key);
    return text === undefined ? [] : readSteps(key, text, "50ms", readTime);
  };
  if (!settings.has("rtt")) return { down: delayPart(read("delay_down")), up: delayPart(read("delay_up")) };
  if (settings.has("delay_down") || settings.has("delay_up")) {
    throw refuse("rtt and one-way delays exclude each other: give rtt, or delay_down and delay_up");
  }
  // Both ways take the same whole nanoseconds.
  const half_ms = (time_ms: number) => Math.ceil(Math.round(time_ms * 1e6) / 2) / 1e6;
  const half = delayPart(read("rtt").map(({ at_ms, value }) => ({ at_ms, value: half_ms(value) })));
  return { down: half, up: half };
}

type QueuePart = Pick<LinkDirection, "queue" | "aqm" | "ecn">;

function readQueuePart(reader: Reader, hasRate: boolean, rtt_ms: number): QueuePart {
  const discipline = reader.readWord("aqm", disciplines, "droptail, drophead, codel, pie or fq_codel") ?? "droptail";
  const ecn = reader.read("ecn", (name, text) => {
    const on = readWord(name, text, ["off", "on"], "on or off") === "on";
    if (on && (discipline === "droptail" || discipline === "drophead"))
      throw refuse(`${name}=on needs a queue that marks: add aqm=codel, aqm=pie or aqm=fq_codel`);
    return on;
  });
  const queue = reader.read("queue", (name, text) => {
    const asked = readQueue(name, text);
    if ("bdp" in asked && (!hasRate || rtt_ms === 0)) {
      const missing = hasRate ? "no delay" : "an unlimited rate";
      throw refuse(`${name} "${text}" is no size with ${missing}: give the queue in packets, as queue=1000p`);
    }
    return asked;
  });
  return {
    queue: queue ?? defaultQueue(hasRate, rtt_ms, discipline),
    ...(discipline === "droptail" ? {} : { aqm: discipline }),
    ...(ecn === true ? { ecn } : {}),
  };
}

function readDirection(settings: Settings, side: Side, delay: DelayPart, rtt_ms: number): LinkDirection {
  const reader = new Reader(settings, side);
  const rate = readRatePart(reader);
  const jitter = reader.read("jitter", readJitter) ?? null;
  const order = reader.readWord("jitter_order", ["keep", "free"], "keep or free");
  const queue = readQueuePart(reader, rate.rate_bps !== null || rate.trace !== undefined, rtt_ms);
  const loss = reader.read("loss", readLoss) ?? 0;
  const slot_ms = reader.read("loss_slot", readSpan) ?? 0;
  const duplicate = reader.read("duplicate", readShare) ?? 0;
  const reorder = reader.read("reorder", readReorder) ?? null;
  const onoff = reader.read("onoff", readOnOff) ?? null;
  const fec = reader.read("fec", readFec) ?? null;
  return {
    ...rate,
    ...delay,
    ...(jitter === null ? {} : { jitter }),
    ...(order === "free" ? { jitter_order: order } : {}),
    ...queue,
    ...(typeof loss === "number" ? { loss } : { loss: meanLoss(loss), loss_model: loss }),
    ...(slot_ms > 0 ? { loss_slot_ms: slot_ms } : {}),
    ...(duplicate > 0 ? { duplicate } : {}),
    ...(reorder === null ? {} : { reorder }),
    ...(onoff === null ? {} : { onoff }),
    ...(fec === null ? {} : { fec }),
  };
}

/** A profile from its short form. UserError where it is not one. */
export function parseLink(form: string): LinkProfile {
  const settings = settingsOf(form);
  const delays = readDelays(settings);
  const rtt_ms = sumOfTimes(delays.down.delay_ms, delays.up.delay_ms);
  const down = readDirection(settings, "down", delays.down, rtt_ms);
  const up = readDirection(settings, "up", delays.up, rtt_ms);
  const saysEnd = (["trace_end", "trace_end_down", "trace_end_up"] as const).some((key) => settings.has(key));
  if (saysEnd && down.trace === undefined && up.trace === undefined) {
    throw refuse("trace_end is for a trace, and there is none: give one, or leave it out");
  }
  const seed = settings.get("seed");
  return { down, up, rtt_ms, seed: seed === undefined ? defaultSeed : readWhole("seed", seed, 0, maxSeed) };
}

// Delays are whole nanoseconds in the shaper; 0.1 + 0.2 must not become 0.30000000000000004 ms.
function sumOfTimes(a_ms: number, b_ms: number): number {
  return Math.round((a_ms + b_ms) * 1e6) / 1e6;
}

function rateText({ rate_bps, rate_steps }: LinkDirection): string {
  const steps = rate_steps?.map((step) => ({ at_ms: step.at_ms, value: step.rate_bps }));
  return steps ? formatSteps(steps, formatRate) : formatRate(rate_bps);
}

function delaySteps({ delay_ms, delay_steps }: LinkDirection): Step<number>[] {
  return delay_steps?.map((step) => ({ at_ms: step.at_ms, value: step.delay_ms })) ?? [{ at_ms: 0, value: delay_ms }];
}

/** `3mbit/50ms`, or the same in more words where the directions differ. */
function formatRatesAndDelays({ down, up }: LinkProfile): string[] {
  const [delayDown, delayUp] = [down, up].map((direction) => formatSteps(delaySteps(direction), formatTime));
  const sameDelay = delayDown === delayUp;
  const doubled = delaySteps(down).map(({ at_ms, value }) => ({ at_ms, value: sumOfTimes(value, value) }));
  const rtt = formatSteps(doubled, formatTime);
  const sameRate = !down.trace && !up.trace && rateText(down) === rateText(up);
  if (sameRate && sameDelay) return [`${rateText(down)}/${rtt}`];
  const delays = sameDelay ? [`rtt=${rtt}`] : [`delay_down=${delayDown}`, `delay_up=${delayUp}`];
  if (sameRate) return [rateText(down), ...delays];
  if (down.trace && up.trace && down.trace.file === up.trace.file) return [`trace=${down.trace.file}`, ...delays];
  const downText = down.trace ? `trace_down=${down.trace.file}` : `down=${rateText(down)}`;
  const upText = up.trace ? `trace_up=${up.trace.file}` : `up=${rateText(up)}`;
  return [downText, upText, ...delays];
}

/** The canonical short form: the shortest that parseLink reads as this profile. The label of a link everywhere. */
export function formatLink(profile: LinkProfile): string {
  const { down, up, rtt_ms } = profile;
  const parts = formatRatesAndDelays(profile);
  const add = (
    name: Setting,
    format: (direction: LinkDirection) => string,
    otherwise: (direction: LinkDirection) => string,
  ) => {
    const [downText, upText] = [format(down), format(up)];
    const [plainDown, plainUp] = [downText === otherwise(down), upText === otherwise(up)];
    if (downText === upText && !(plainDown && plainUp)) parts.push(`${name}=${downText}`);
    else {
      if (!plainDown) parts.push(`${name}_down=${downText}`);
      if (!plainUp) parts.push(`${name}_up=${upText}`);
    }
  };
  const always = (text: string) => () => text;
  const usualQueue = ({ rate_bps, trace, aqm }: LinkDirection) =>
    formatQueue(defaultQueue(rate_bps !== null || trace !== undefined, rtt_ms, aqm ?? "droptail"));
  add("trace_end", ({ trace }) => trace?.end ?? "wrap", always("wrap"));
  add("jitter", ({ jitter }) => formatJitter(jitter), always(formatJitter(undefined)));
  add("jitter_order", ({ jitter_order = "keep" }) => jitter_order, always("keep"));
  add("queue", ({ queue }) => formatQueue(queue), usualQueue);
  add("aqm", ({ aqm = "droptail" }) => aqm, always("droptail"));
  add("ecn", ({ ecn }) => (ecn ? "on" : "off"), always("off"));
  add("loss", formatLoss, always(formatShare(0)));
  add("loss_slot", ({ loss_slot_ms = 0 }) => formatSpan(loss_slot_ms), always(formatSpan(0)));
  add("duplicate", ({ duplicate = 0 }) => formatShare(duplicate), always(formatShare(0)));
  add("reorder", ({ reorder }) => formatReorder(reorder), always(formatReorder(undefined)));
  add("onoff", ({ onoff }) => formatOnOff(onoff), always(formatOnOff(undefined)));
  add("fec", ({ fec }) => (fec === undefined ? "off" : String(fec)), always("off"));
  if (profile.seed !== defaultSeed) parts.push(`seed=${profile.seed}`);
  return parts.join(",");
}
