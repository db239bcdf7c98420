// The quantities of a link's short form, with their units: rates, times, queues, shares, whole numbers. Each is read exactly
// (no unit, no sign, no spaces are guessed) and written in the largest unit that keeps it short. The language is that of
// shaper/link_quantity.c, errors included.

import type { LinkQueue } from "../../schemas/generated/link_profile.ts";
import { bytesOf, cutTo, refuse } from "./form.ts";

const number = /^(\d+(?:\.\d+)?)([A-Za-z%]*)$/;
export const numberMax_bytes = 63;

function split(name: string, text: string, example: string): { value: number; unit: string } {
  if (bytesOf(text) > numberMax_bytes) {
    throw refuse(`${name} "${cutTo(text, 20)}..." is longer than ${numberMax_bytes} bytes: write it as ${example}`);
  }
  const match = number.exec(text);
  if (!match) throw refuse(`${name} "${text}" is not a number with a unit: write it as ${example}`);
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
  const factor = rateUnits.find(([known]) => known === unit)?.[1];
  const rate_bps = Math.round(value * (factor ?? 1));
  if (value === 0 || (factor !== undefined && rate_bps < 1)) throw refuse(`rate must be above 0 (got "${text}")`);
  if (factor === undefined) throw refuse(`${name} "${text}" has no unit of rate: use bit, kbit, mbit or gbit`);
  if (rate_bps > maxRate_bps) throw refuse(`${name} "${text}" is above 100gbit: lower it, or say unlimited`);
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
const maxTime_s = 60;
const maxSpan_s = 86400;

function readUpTo(name: string, text: string, max_s: number): number {
  const { value, unit } = split(name, text, "50ms");
  const factor = value === 0 && unit === "" ? 1 : timeUnits_ns.get(unit);
  if (factor === undefined) throw refuse(`${name} "${text}" has no unit of time: use us, ms or s`);
  const time_ns = Math.round(value * factor);
  if (time_ns > max_s * 1e9) throw refuse(`${name} "${text}" is above ${max_s}s: lower it`);
  return time_ns / 1e6;
}

/** Milliseconds, of whole nanoseconds, up to a minute. */
export function readTime(name: string, text: string): number {
  return readUpTo(name, text, maxTime_s);
}

/** The same, up to a day. */
export function readSpan(name: string, text: string): number {
  return readUpTo(name, text, maxSpan_s);
}

export function formatTime(time_ms: number): string {
  const time_ns = Math.round(time_ms * 1e6);
  return time_ns > 0 && time_ns < 1e6 ? `${shortest(time_ns, 1e3)}us` : `${shortest(time_ns, 1e6)}ms`;
}

export function formatSpan(time_ms: number): string {
  return time_ms >= 1000 ? `${shortest(Math.round(time_ms * 1e6), 1e9)}s` : formatTime(time_ms);
}

const byteUnits: readonly (readonly [string, number])[] = [
  ["MB", 1e6],
  ["kB", 1e3],
  ["B", 1],
];
const maxQueue = 1e9;
/** 1.001 * 1000 is 1000.9999999999999. */
const wholeWithin = 1e-6;

export function readQueue(name: string, text: string): LinkQueue {
  if (text === "unlimited") return { unlimited: true };
  const { value, unit } = split(name, text, "1bdp, 100p, 64kB or 50ms");
  const timeFactor = timeUnits_ns.get(unit);
  const time_ns = Math.round(value * (timeFactor ?? 1));
  if (value === 0 || (timeFactor !== undefined && time_ns < 1)) throw refuse(`${name} must be above 0 (got "${text}")`);
  if (unit === "bdp") {
    if (value > 1000) throw refuse(`${name} "${text}" is above 1000bdp: lower it, or say unlimited`);
    return { bdp: value };
  }
  if (timeFactor !== undefined) {
    if (time_ns > maxTime_s * 1e9) throw refuse(`${name} "${text}" is above ${maxTime_s}s: lower it, or say unlimited`);
    return { ms: time_ns / 1e6 };
  }
  const factor = unit === "p" ? 1 : byteUnits.find(([known]) => known === unit)?.[1];
  if (factor === undefined)
    throw refuse(`${name} "${text}" has no unit of a queue: use bdp, p (packets), B, kB, MB or ms`);
  const size = Math.round(value * factor);
  if (size < 1 || Math.abs(value * factor - size) > wholeWithin)
    throw refuse(`${name} "${text}" is not whole: give whole ${unit === "p" ? "packets" : "bytes"}`);
  if (size > maxQueue) throw refuse(`${name} "${text}" is too large: lower it, or say unlimited`);
  return unit === "p" ? { packets: size } : { bytes: size };
}

export function formatQueue(queue: LinkQueue): string {
  if ("unlimited" in queue) return "unlimited";
  if ("bdp" in queue) return `${decimal(queue.bdp)}bdp`;
  if ("packets" in queue) return `${queue.packets}p`;
  if ("ms" in queue) return formatTime(queue.ms);
  // The largest unit that keeps it exact: 62.5kB, but 1001B.
  const inUnit = (factor: number) => Number(shortest(queue.bytes, factor));
  const [unit, factor] = byteUnits.find(([, size]) => queue.bytes >= size && inUnit(size) * size === queue.bytes) ?? [
    "B",
    1,
  ];
  return `${shortest(queue.bytes, factor)}${unit}`;
}

/** A share from 0 to 1, written in per cent. */
export function readShare(name: string, text: string): number {
  const { value, unit } = split(name, text, "1%");
  if (unit !== "%" && !(unit === "" && value === 0))
    throw refuse(`${name} "${text}" has no unit: write it in per cent, as 1%`);
  if (value > 100) throw refuse(`${name} must be at most 100% (got "${text}")`);
  // 0.1 % is 0.001, not 0.0010000000000000002.
  return Number((value / 100).toPrecision(12));
}

export function formatShare(share: number): string {
  return `${decimal(Number((share * 100).toPrecision(12)))}%`;
}

/** `what`: what the number is, for the error, as `seed`. */
export function readWhole(what: string, text: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    throw refuse(`${what} must be a whole number from ${least} to ${most} (got "${cutTo(text, 40)}")`);
  }
  return value;
}

// Whole numbers of small units, so that the quotient's shortest decimal is exact.
function shortest(value: number, factor: number): string {
  return decimal(Number((value / factor).toPrecision(15)));
}

/** Without an exponent, which no reader takes. */
function decimal(value: number): string {
  const [digits, zeros] = String(value).split("e-");
  if (digits === undefined || zeros === undefined) return String(value);
  return `0.${"0".repeat(Number(zeros) - 1)}${digits.replace(".", "")}`;
}
