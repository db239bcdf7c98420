// A link's short form (3mbit/50ms,loss=1%) to its profile and back. The short form is also what trilane-shaper takes,
// so shaper/link_profile.c reads the same language: schemas/examples/link-forms.json is the test of both.
// Decides nothing about packets.

import type { LinkDirection, LinkProfile, LinkQueue } from "../../schemas/generated/link_profile.ts";
import { UserError } from "../errors.ts";
import {
  formatQueue,
  formatRate,
  formatShare,
  formatTime,
  readQueue,
  readRate,
  readSeed,
  readShare,
  readTime,
} from "./quantity.ts";

export type { LinkDirection, LinkProfile, LinkQueue };

export const defaultSeed = 1;

const keys = [
  "rate",
  "down",
  "up",
  "rtt",
  "delay_down",
  "delay_up",
  "queue",
  "queue_down",
  "queue_up",
  "loss",
  "loss_down",
  "loss_up",
  "seed",
] as const;
type Key = (typeof keys)[number];

function isKey(text: string): text is Key {
  return keys.some((key) => key === text);
}

/** The settings as written, each at most once. */
function settingsOf(form: string): Map<Key, string> {
  const settings = new Map<Key, string>();
  const set = (key: Key, value: string) => {
    if (settings.has(key)) throw new UserError(`link: ${key} is given twice (in "${form}"): give it once`);
    if (value === "") throw new UserError(`link: ${key} has no value (in "${form}"): write ${key}=VALUE`);
    settings.set(key, value);
  };
  form.split(",").forEach((part, index) => {
    const equals = part.indexOf("=");
    if (equals < 0) {
      if (index > 0 || part === "") {
        throw new UserError(
          `link: "${part}" is not KEY=VALUE (in "${form}"): a bare RATE/RTT may only come first, as 3mbit/50ms`,
        );
      }
      const slash = part.indexOf("/");
      set("rate", slash < 0 ? part : part.slice(0, slash));
      if (slash >= 0) set("rtt", part.slice(slash + 1));
      return;
    }
    const key = part.slice(0, equals);
    if (!isKey(key)) throw new UserError(`link: no setting "${key}" (in "${form}"): there are ${keys.join(", ")}`);
    set(key, part.slice(equals + 1));
  });
  return settings;
}

/** What a direction's queue is where none is asked for. */
export function defaultQueue(rate_bps: number | null, rtt_ms: number): LinkQueue {
  // There is no product of an unlimited rate or of no delay.
  return rate_bps === null || rtt_ms === 0 ? { packets: 1000 } : { bdp: 1 };
}

/** A profile from its short form. UserError where it is not one. */
export function parseLink(form: string): LinkProfile {
  const settings = settingsOf(form.trim());
  const read = <T>(reader: (name: string, text: string) => T, special: Key, general: Key, otherwise: T): T => {
    const key = settings.has(special) ? special : general;
    const text = settings.get(key);
    return text === undefined ? otherwise : reader(key, text);
  };
  const halfway_ms = read(readTime, "rtt", "rtt", 0) / 2;
  const delayDown_ms = read(readTime, "delay_down", "delay_down", halfway_ms);
  const delayUp_ms = read(readTime, "delay_up", "delay_up", halfway_ms);
  if (settings.has("rtt") && (settings.has("delay_down") || settings.has("delay_up"))) {
    throw new UserError(
      `link: rtt and one-way delays exclude each other (in "${form}"): give rtt, or delay_down and delay_up`,
    );
  }
  const rtt_ms = sumOfTimes(delayDown_ms, delayUp_ms);
  const direction = (rateKey: Key, delay_ms: number, queueKey: Key, lossKey: Key): LinkDirection => {
    const rate_bps = read(readRate, rateKey, "rate", null);
    const queue = read(readQueue, queueKey, "queue", defaultQueue(rate_bps, rtt_ms));
    if ("bdp" in queue && (rate_bps === null || rtt_ms === 0)) {
      const missing = rate_bps === null ? "an unlimited rate" : "no delay";
      throw new UserError(
        `link: ${formatQueue(queue)} of ${missing} is no size (in "${form}"): give the queue in packets, as queue=1000p`,
      );
    }
    return { rate_bps, delay_ms, queue, loss: read(readShare, lossKey, "loss", 0) };
  };
  return {
    down: direction("down", delayDown_ms, "queue_down", "loss_down"),
    up: direction("up", delayUp_ms, "queue_up", "loss_up"),
    rtt_ms,
    seed: read(readSeed, "seed", "seed", defaultSeed),
  };
}

// Delays are whole nanoseconds in the shaper; 0.1 + 0.2 must not become 0.30000000000000004 ms.
function sumOfTimes(a_ms: number, b_ms: number): number {
  return Math.round((a_ms + b_ms) * 1e6) / 1e6;
}

/** The canonical short form: the shortest that parseLink reads as this profile. The label of a link everywhere. */
export function formatLink(profile: LinkProfile): string {
  const { down, up } = profile;
  const sameDelay = down.delay_ms === up.delay_ms;
  const parts: string[] = [];
  const rtt = formatTime(profile.rtt_ms);
  if (down.rate_bps === up.rate_bps) {
    parts.push(sameDelay ? `${formatRate(down.rate_bps)}/${rtt}` : formatRate(down.rate_bps));
  } else {
    parts.push(`down=${formatRate(down.rate_bps)}`, `up=${formatRate(up.rate_bps)}`);
    if (sameDelay) parts.push(`rtt=${rtt}`);
  }
  if (!sameDelay) parts.push(`delay_down=${formatTime(down.delay_ms)}`, `delay_up=${formatTime(up.delay_ms)}`);
  const pair = (name: string, downText: string, upText: string, downDefault: string, upDefault: string) => {
    if (downText === upText && (downText !== downDefault || upText !== upDefault)) parts.push(`${name}=${downText}`);
    else {
      if (downText !== downDefault) parts.push(`${name}_down=${downText}`);
      if (upText !== upDefault) parts.push(`${name}_up=${upText}`);
    }
  };
  const queueOf = (direction: LinkDirection) => formatQueue(defaultQueue(direction.rate_bps, profile.rtt_ms));
  pair("queue", formatQueue(down.queue), formatQueue(up.queue), queueOf(down), queueOf(up));
  pair("loss", formatShare(down.loss), formatShare(up.loss), formatShare(0), formatShare(0));
  if (profile.seed !== defaultSeed) parts.push(`seed=${profile.seed}`);
  return parts.join(",");
}
