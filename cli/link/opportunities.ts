// A trace in Mahimahi's format, read and written: a line is a time in whole milliseconds at which the link may deliver
// one packet of 1500 bytes; times never decrease; when the last has passed, the trace begins again from 0. Two
// opportunities of the same millisecond are two lines. Does not know where a trace comes from (synth, convert) nor what
// it says (facts). Takes just what shaper/nodes/trace.c takes.

import { UserError } from "../base/errors.ts";
import { chunksOf, lineError, linesOf, quoted } from "../base/text_lines.ts";

/** An IP packet of the lab's MTU. (Mahimahi writes 1504: it counts 4 bytes that the TUN device puts before each.) */
const opportunity_bytes = 1500;
export const opportunity_bits = opportunity_bytes * 8;
/** 49 days. */
export const latest_ms = 2 ** 32 - 1;
/** That we write: 2 GB of text. */
export const mostOpportunities = 200_000_000;

const newline = 10;
const carriageReturn = 13;
const zero = 48;

/** Times of a trace in the making; grows as it is read. */
class TimeList {
  #times = new Uint32Array(1 << 16);
  #length = 0;

  add(time_ms: number): void {
    if (this.#length === this.#times.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#times);
      this.#times = larger;
    }
    this.#times[this.#length++] = time_ms;
  }

  /** The times so far; not a copy. */
  get times(): Uint32Array {
    return this.#times.subarray(0, this.#length);
  }
}

/** Says what is wrong with a line. Reads the file again up to it, which only happens once. */
function refuse(path: string, number: number, problem: (text: string) => string): never {
  for (const line of linesOf(path))
    if (line.number === number) throw lineError(path, number, problem(quoted(line.text)));
  throw lineError(path, number, problem('""'));
}

const notATime = (text: string): string => `${text} is not a time: a line is one whole number of milliseconds`;

const hasReturn = (text: string): string => `${text} ends in a carriage return: save the file with line feeds alone`;

/** All times of a trace in ms, in rising order. UserError with file and line for what is none. */
export function readOpportunities(path: string): Uint32Array {
  const list = new TimeList();
  let line = 1;
  let previous_ms = 0;
  let value = 0;
  let digits = 0;
  const end = (): void => {
    if (digits === 0) refuse(path, line, notATime);
    if (value < previous_ms)
      refuse(path, line, (text) => `${text} is earlier than the line before it (${previous_ms}): sort the times`);
    list.add(value);
    previous_ms = value;
    line++;
    value = 0;
    digits = 0;
  };
  for (const chunk of chunksOf(path)) {
    // By hand: a number of ten million lines is not to become ten million strings.
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] as number;
      if (byte === newline) {
        end();
        continue;
      }
      const digit = byte - zero;
      if (digit < 0 || digit > 9) refuse(path, line, byte === carriageReturn ? hasReturn : notATime);
      value = value * 10 + digit;
      digits++;
      if (value > latest_ms) refuse(path, line, (text) => `${text} is beyond ${latest_ms} ms: shorten the trace`);
    }
  }
  // The last line may want its end.
  if (digits > 0) end();
  const times = list.times;
  if (times.length === 0) throw new UserError(`${path}: holds no line: a trace has one time in ms a line`);
  if (times.at(-1) === 0) throw lineError(path, times.length, "the trace ends at 0 ms: it must last for some time");
  return times;
}

/** A trace's text, some lines at a time. */
export function* opportunityLines(times: Iterable<number>): Generator<string, void, undefined> {
  let lines: number[] = [];
  for (const time_ms of times) {
    lines.push(time_ms);
    if (lines.length === 8192) {
      yield `${lines.join("\n")}\n`;
      lines = [];
    }
  }
  if (lines.length > 0) yield `${lines.join("\n")}\n`;
}

/**
 * Opportunities in each whole window, in order; what is left over at the end is no window. A trace shorter than one is
 * one window. An opportunity at the very end of a window belongs to it: it delivers what was sent before.
 */
export function windowCounts(times: Uint32Array, window_ms: number): Float64Array {
  const length_ms = times.at(-1) ?? 0;
  const windows = Math.max(1, Math.floor(length_ms / window_ms));
  const counts = new Float64Array(windows);
  for (const time_ms of times) {
    const index = Math.max(0, Math.ceil(time_ms / window_ms) - 1);
    if (index < windows) counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}

/** The highest rate over windows of that length; of a shorter trace, over all of it. */
export function peak_bps(times: Uint32Array, window_ms: number): number {
  const within_ms = Math.min(window_ms, times.at(-1) ?? 0);
  const most = windowCounts(times, within_ms).reduce((greatest, count) => Math.max(greatest, count), 0);
  return most * ((opportunity_bits * 1000) / within_ms);
}
