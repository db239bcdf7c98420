// Addresses of either version of IP as numbers, and what of them a prefix has. Pure.
import { isIPv4, isIPv6 } from "node:net";

export type Family = 4 | 6;

export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

export const bitsOf = (family: Family): number => (family === 4 ? 32 : 128);

function ipv4Value(text: string): bigint {
  return text.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function ipv6Value(text: string): bigint {
  const last = text.slice(text.lastIndexOf(":") + 1);
  const plain = last.includes(".")
    ? `${text.slice(0, -last.length)}${(ipv4Value(last) >> 16n).toString(16)}:${(ipv4Value(last) & 0xffffn).toString(16)}`
    : text;
  const [head = "", tail] = plain.split("::");
  const parts = (half: string): string[] => (half === "" ? [] : half.split(":"));
  const [first, rest] = [parts(head), tail === undefined ? [] : parts(tail)];
  const gap = Array<string>(8 - first.length - rest.length).fill("0");
  return [...first, ...gap, ...rest].reduce((value, part) => (value << 16n) | BigInt(`0x${part}`), 0n);
}

/** Null for what is none; an IPv6 zone is none of it. */
export function parseAddress(text: string): Address | null {
  if (isIPv4(text)) return { family: 4, value: ipv4Value(text) };
  if (isIPv6(text) && !text.includes("%")) return { family: 6, value: ipv6Value(text) };
  return null;
}

/** The address without the bits that a prefix of this length leaves open. */
export function networkOf({ family, value }: Address, length: number): bigint {
  const open = BigInt(bitsOf(family) - length);
  return (value >> open) << open;
}

export interface Prefix extends Address {
  /** Its bits, of 32 or 128. */
  readonly length: number;
}

/** Of a number above 0. */
function bitLength(value: bigint): number {
  const digits = value.toString(16);
  return 4 * digits.length - Math.clz32(Number.parseInt(digits[0] as string, 16)) + 28;
}

/** The fewest prefixes that together are all addresses from the first to the last, both included. */
export function prefixesOfRange(first: Address, last: Address): Prefix[] {
  const { family } = first;
  const bits = bitsOf(family);
  const prefixes: Prefix[] = [];
  for (let from = first.value; from <= last.value; ) {
    // The next prefix leaves as many bits open as `from` ends in zeros, and as what is left of the range has room for.
    const zeros = from === 0n ? bits : bitLength(from & -from) - 1;
    const open = Math.min(zeros, bitLength(last.value - from + 1n) - 1);
    prefixes.push({ family, value: from, length: bits - open });
    from += 1n << BigInt(open);
  }
  return prefixes;
}
