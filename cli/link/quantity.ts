// The quantities of a link's short form, with their units: rates, times, queues, shares, seeds. Each is read exactly
// (no unit, no sign, no spaces are guessed) and written in the largest unit that keeps it short.

import type { LinkQueue } from "../../schemas/generated/link_profile.ts";
import { UserError } from "../errors.ts";

const number = /^(\d+(?:\.\d+)?)([A-Za-z%]*)$/;

function split(name: string, text: string, example: string): { value: number; unit: string } {
  const match = number.exec(text);
  if (!match) throw new UserError(`link: ${name} "${text}" is not a number with a unit: write it as ${example}`);
  return { value: Number(match[1]), unit: match[2] ?? "" };
}

const rateUnits: readonly (readonly [string, number])[] = [
  ["gbit", 1e9],
  ["mbit", 1e6],
  ["kbit", 1e3],
  ["bit", 1],
];
const maxRate_bps = 100e9;

/** Bits per second; null: unlimited. */
export function readRate(name: string, text: string): number | null {
  if (text === "unlimited") return null;
  const { value, unit } = split(name, text, "3mbit");
  if (value === 0) throw new UserError(`link: rate must be above 0 (got "${text}")`);
  const factor = rateUnits.find(([known]) => known === unit)?.[1];
  if (factor === undefined)
    throw new UserError(`link: ${name} "${text}" has no unit of rate: use bit, kbit, mbit or gbit`);
  const rate_bps = Math.round(value * factor);
  if (rate_bps < 1) throw new UserError(`link: rate must be above 0 (got "${text}")`);
  if (rate_bps > maxRate_bps)
    throw new UserError(`link: ${name} "${text}" is above 100gbit: lower it, or say unlimited`);
  return rate_bps;
}

export function formatRate(rate_bps: number | null): string {
  if (rate_bps === null) return "unlimited";
  const [unit, factor] = rateUnits.find(([, size]) => rate_bps >= size) ?? ["bit", 1];
  return `${shortest(rate_bps, factor)}${unit}`;
}

const timeUnits_ns: ReadonlyMap<string, number> = new Map([
  ["us", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
]);
const maxTime_ns = 60e9;

/** Milliseconds, of whole nanoseconds. */
export function readTime(name: string, text: string): number {
  const { value, unit } = split(name, text, "50ms");
  const factor = value === 0 && unit === "" ? 1 : timeUnits_ns.get(unit);
  if (factor === undefined) throw new UserError(`link: ${name} "${text}" has no unit of time: use us, ms or s`);
  const time_ns = Math.round(value * factor);
  if (time_ns > maxTime_ns) throw new UserError(`link: ${name} "${text}" is above 60s: lower it`);
  return time_ns / 1e6;
}

export function formatTime(time_ms: number): string {
  const time_ns = Math.round(time_ms * 1e6);
  return time_ns > 0 && time_ns < 1e6 ? `${shortest(time_ns, 1e3)}us` : `${shortest(time_ns, 1e6)}ms`;
}

const byteUnits: readonly (readonly [string, number])[] = [
  ["MB", 1e6],
  ["kB", 1e3],
  ["B", 1],
];
const maxQueue = 1e9;

export function readQueue(name: string, text: string): LinkQueue {
  if (text === "unlimited") return { unlimited: true };
  const { value, unit } = split(name, text, "1bdp, 100p or 64kB");
  if (value === 0) throw new UserError(`link: ${name} must be above 0 (got "${text}")`);
  if (unit === "bdp") {
    if (value > 1000) throw new UserError(`link: ${name} "${text}" is above 1000bdp: lower it, or say unlimited`);
    return { bdp: value };
  }
  const factor = unit === "p" ? 1 : byteUnits.find(([known]) => known === unit)?.[1];
  if (factor === undefined)
    throw new UserError(`link: ${name} "${text}" has no unit of a queue: use bdp, p (packets), B, kB or MB`);
  const size = value * factor;
  if (!Number.isInteger(size))
    throw new UserError(`link: ${name} "${text}" is not whole: give whole ${unit === "p" ? "packets" : "bytes"}`);
  if (size > maxQueue) throw new UserError(`link: ${name} "${text}" is too large: lower it, or say unlimited`);
  return unit === "p" ? { packets: size } : { bytes: size };
}

export function formatQueue(queue: LinkQueue): string {
  if ("unlimited" in queue) return "unlimited";
  if ("bdp" in queue) return `${queue.bdp}bdp`;
  if ("packets" in queue) return `${queue.packets}p`;
  const [unit, factor] = byteUnits.find(([, size]) => queue.bytes >= size) ?? ["B", 1];
  return `${shortest(queue.bytes, factor)}${unit}`;
}

/** A share from 0 to 1, written in per cent. */
export function readShare(name: string, text: string): number {
  const { value, unit } = split(name, text, "1%");
  if (unit !== "%" && !(unit === "" && value === 0))
    throw new UserError(`link: ${name} "${text}" has no unit: write it in per cent, as 1%`);
  if (value > 100) throw new UserError(`link: ${name} must be at most 100% (got "${text}")`);
  // 0.1 % is 0.001, not 0.0010000000000000002.
  return Number((value / 100).toPrecision(12));
}

export function formatShare(share: number): string {
  return `${Number((share * 100).toPrecision(12))}%`;
}

export function readSeed(name: string, text: string): number {
  const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seed <= 4294967295))
    throw new UserError(`link: ${name} must be a whole number from 0 to 4294967295 (got "${text}")`);
  return seed;
}

// Whole numbers of small units, so that the quotient's shortest decimal is exact.
function shortest(value: number, factor: number): string {
  return String(Number((value / factor).toPrecision(15)));
}
