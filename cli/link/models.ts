// The settings of a link's short form that are more than a quantity: steps, jitter, loss, reordering, periods, and words.
// Opens no file. The language is that of shaper/link_models.c, errors included.
import type {
  DrawnJitter,
  GilbertElliott,
  LinkDirection,
  NumberFile,
  OnOff,
  Reordering,
} from "../../schemas/generated/link_profile.ts";
import { bytesOf, cutTo, refuse } from "./form.ts";
import {
  formatShare,
  formatSpan,
  formatTime,
  numberMax_bytes,
  readShare,
  readSpan,
  readTime,
  readWhole,
} from "./quantity.ts";

const stepsMax = 64;
const reorderDistanceMax = 1000;
const fecGroupMax = 64;
const everyMax = 1e9;

export interface Step<Value> {
  readonly at_ms: number;
  readonly value: Value;
}

/** `8mbit`, or `8mbit:1mbit@10s:8mbit@20s`, each value read by `read`; at least one. */
export function readSteps<Value>(
  name: string,
  text: string,
  example: string,
  read: (name: string, text: string) => Value,
): [Step<Value>, ...Step<Value>[]] {
  const [first = "", ...later] = text.split(":");
  refuseLong(name, first, example);
  if (first.includes("@")) throw refuse(`${name} begins with "${first}": the first step is at 0 and has no time`);
  const start: Step<Value> = { at_ms: 0, value: read(name, first) };
  const steps: Step<Value>[] = [];
  for (const part of later) {
    if (steps.length + 1 === stepsMax) throw refuse(`${name} has more than ${stepsMax} steps: take some out`);
    refuseLong(name, part, example);
    const at = part.indexOf("@");
    if (at < 0) throw refuse(`${name} step "${part}" has no time: write it as ${example}@10s`);
    const at_ms = readSpan(name, part.slice(at + 1));
    if (at_ms <= (steps.at(-1)?.at_ms ?? 0))
      throw refuse(`${name} step "${part}" is not after the one before it: put steps in order`);
    steps.push({ at_ms, value: read(name, part.slice(0, at)) });
  }
  return [start, ...steps];
}

function refuseLong(name: string, part: string, example: string): void {
  if (bytesOf(part) > 2 * numberMax_bytes + 1) {
    throw refuse(`${name} "${cutTo(part, 20)}..." is longer than ${numberMax_bytes} bytes: write it as ${example}`);
  }
}

export function formatSteps<Value>(steps: readonly Step<Value>[], format: (value: Value) => string): string {
  return steps
    .map(({ at_ms, value }, index) => (index === 0 ? format(value) : `${format(value)}@${formatSpan(at_ms)}`))
    .join(":");
}

/** `file:PATH`; a path may hold colons. */
function readFile(name: string, text: string): NumberFile {
  const file = text.slice("file:".length);
  if (file === "") throw refuse(`${name} "file:" names no file: write it as file:PATH`);
  return { file };
}

const distributions = ["uniform", "normal", "pareto"] as const;

/** null: none. */
export function readJitter(name: string, text: string): DrawnJitter | NumberFile | null {
  if (text.startsWith("file:")) return readFile(name, text);
  const distribution = distributions.find((known) => text.startsWith(`${known}:`));
  if (distribution === undefined && text.includes(":")) {
    throw refuse(`${name} "${text}" is of no known kind: use uniform, normal, pareto or file, as normal:5ms`);
  }
  const ms = readTime(name, distribution === undefined ? text : text.slice(distribution.length + 1));
  return ms === 0 ? null : { distribution: distribution ?? "uniform", ms };
}

export function formatJitter(jitter: LinkDirection["jitter"]): string {
  if (jitter === undefined) return formatTime(0);
  if ("file" in jitter) return `file:${jitter.file}`;
  const time = formatTime(jitter.ms);
  return jitter.distribution === "uniform" ? time : `${jitter.distribution}:${time}`;
}

export type LossModel = NonNullable<LinkDirection["loss_model"]>;

/** A share, or how else packets are lost. */
export function readLoss(name: string, text: string): number | LossModel {
  if (text.startsWith("ge:")) return readGilbertElliott(name, text);
  if (text.startsWith("every:")) {
    return { every: readWhole(`${name} every`, text.slice("every:".length), 1, everyMax) };
  }
  if (text.startsWith("file:")) return readFile(name, text);
  if (text.includes(":")) throw refuse(`${name} "${text}" is of no known kind: use ge, every or file, as ge:1%:30%`);
  return readShare(name, text);
}

function readGilbertElliott(name: string, text: string): GilbertElliott {
  const [, ...shares] = text.split(":");
  if (shares.length < 2 || shares.length > 4 || isLong(shares)) {
    throw refuse(`${name} "${text}" is not ge:P:R, ge:P:R:H or ge:P:R:H:G: write it as ge:1%:30%`);
  }
  const [good_to_bad = 0, bad_to_good = 0, loss_in_bad = 1, loss_in_good = 0] = shares.map((share) =>
    readShare(name, share),
  );
  if (bad_to_good === 0) throw refuse(`${name} "${text}" never leaves the bad state: let R be above 0%`);
  return { good_to_bad, bad_to_good, loss_in_bad, loss_in_good };
}

/** The share lost in the long run; 0 for a file, which is not read here. */
export function meanLoss(model: LossModel): number {
  if ("file" in model) return 0;
  if ("every" in model) return Number((1 / model.every).toPrecision(12));
  const { good_to_bad, bad_to_good, loss_in_bad, loss_in_good } = model;
  const bad = good_to_bad / (good_to_bad + bad_to_good);
  return Number((bad * loss_in_bad + (1 - bad) * loss_in_good).toPrecision(12));
}

export function formatLoss({ loss, loss_model: model }: Pick<LinkDirection, "loss" | "loss_model">): string {
  if (model === undefined) return formatShare(loss);
  if ("file" in model) return `file:${model.file}`;
  if ("every" in model) return `every:${model.every}`;
  const { good_to_bad, bad_to_good, loss_in_bad, loss_in_good } = model;
  const shares = [good_to_bad, bad_to_good];
  if (loss_in_bad !== 1 || loss_in_good !== 0) shares.push(loss_in_bad);
  if (loss_in_good !== 0) shares.push(loss_in_good);
  return ["ge", ...shares.map(formatShare)].join(":");
}

/** null: none. */
export function readReorder(name: string, text: string): Reordering | null {
  const parts = text.split(":");
  const [first = "", second = ""] = parts;
  if (parts.length !== 2 || isLong(parts)) throw refuse(`${name} "${text}" is not SHARE:DISTANCE: write it as 1%:3`);
  const share = readShare(name, first);
  const distance = readWhole(`${name} distance`, second, 1, reorderDistanceMax);
  return share === 0 ? null : { share, distance };
}

export function formatReorder(reorder: Reordering | undefined): string {
  return reorder === undefined ? "0%:1" : `${formatShare(reorder.share)}:${reorder.distance}`;
}

/** null: always on. */
export function readOnOff(name: string, text: string): OnOff | null {
  if (text === "off") return null;
  const exponential = text.startsWith("exp:");
  const parts = (exponential ? text.slice("exp:".length) : text).split(":");
  if (parts.length !== 2 || isLong(parts))
    throw refuse(`${name} "${text}" is not ON:OFF, exp:ON:OFF or off: write it as 10s:1s`);
  const [on_ms = 0, off_ms = 0] = parts.map((part) => {
    const span_ms = readSpan(name, part);
    if (span_ms === 0) throw refuse(`${name} must be above 0 (got "${part}")`);
    return span_ms;
  });
  return { on_ms, off_ms, periods: exponential ? "exponential" : "fixed" };
}

export function formatOnOff(onoff: OnOff | undefined): string {
  if (onoff === undefined) return "off";
  const spans = `${formatSpan(onoff.on_ms)}:${formatSpan(onoff.off_ms)}`;
  return onoff.periods === "exponential" ? `exp:${spans}` : spans;
}

/** Datagrams to a parity packet; null: none. */
export function readFec(name: string, text: string): number | null {
  return text === "off" ? null : readWhole(name, text, 1, fecGroupMax);
}

/** One of `words`, which are `listed` for the error. */
export function readWord<Word extends string>(
  name: string,
  text: string,
  words: readonly Word[],
  listed: string,
): Word {
  const word = words.find((known) => known === text);
  if (word === undefined) throw refuse(`${name} must be ${listed} (got "${text}")`);
  return word;
}

function isLong(parts: readonly string[]): boolean {
  return parts.some((part) => bytesOf(part) > numberMax_bytes);
}
