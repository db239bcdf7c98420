// From a file's text to one HAR: `{"log": ...}` as it should be, wrapped in another object, a list of HARs, only the log, or only its entries,
// and text that calls a function with one of these (HARP). Pure.
import { endOfString, JsonTextError, scanJson } from "../../base/bounded_json.ts";
import { UserError } from "../../base/errors.ts";
import { isRecord, type JsonRecord } from "../../base/json_fields.ts";
import { count } from "../../base/numbers.ts";

/** Given each line that a reader of the import wants to know of the file. */
export type OnRemark = (line: string) => void;

/** The JSON of `onInputData({...});`, `var har = {...};` or a line against inclusion before it; as it is if it is JSON by itself. */
export function withoutCall(text: Buffer): Buffer {
  const start = text.toString("latin1", 0, 512);
  if (/^\s*[{[]\s*["{[\]}]/.test(start) || /^\s*</.test(start)) return text;
  const call = /^[^{]{0,400}?([(=,'\s])\s*(?=[{[]\s*["{])/.exec(start);
  if (!call || !/[\w$)\]}]/.test(call[0])) return text;
  const end = /[)\];\s]*$/.exec(text.toString("latin1", Math.max(0, text.length - 64)))?.[0] ?? "";
  // A list's own bracket is among them.
  const closing = end.lastIndexOf("]") >= 0 ? end.length - end.lastIndexOf("]") - 1 : end.length;
  return text.subarray(call[0].length, text.length - closing);
}

/** How far a text goes that ends too early. */
export function cutOffError(name: string, what: string, size: number, wholeEntries: number): UserError {
  const read = count(wholeEntries, "whole entry", "whole entries");
  return new UserError(
    `${name}: is cut off ${what} ${size}, after ${read}: nothing was imported; save or copy the file again`,
  );
}

function notJson(text: Buffer, name: string, error: unknown): UserError {
  if (/^\s*</.test(text.toString("latin1", 0, 256)))
    return new UserError(`${name}: is HTML or XML, not HAR: save the recording itself, not a page about it`);
  const reason = error instanceof Error ? error.message : "";
  const where = /position (\d+)/.exec(reason)?.[1];
  return new UserError(`${name}: is not JSON${where ? ` (at character ${where})` : ""}: name a HAR 1.2 file`);
}

const lineEnd = 0x0a;

/** The JSON of a text within the limits. @throws UserError that names the file. */
export function parsedHar(text: Buffer, name: string): unknown {
  const json = withoutCall(text);
  try {
    const { isCutOff, wholeObjects } = scanJson(json, "entries");
    if (isCutOff && /^\s*[[{]/.test(json.toString("latin1", 0, 256)))
      throw cutOffError(name, "at byte", text.length, wholeObjects);
    return JSON.parse(json.toString("utf8"));
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (error instanceof JsonTextError) throw new UserError(`${name}: ${error.message}: name a HAR 1.2 file`);
    const almost = almostJson(json);
    if (almost === undefined) throw notJson(json, name, error);
    return almost;
  }
}

function parsedOrUndefined(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString("utf8"));
  } catch {
    return undefined;
  }
}

const quote = 0x22;
const beginsNaN: ReadonlySet<number> = new Set(Buffer.from("NI-"));

/** The text with HAR's -1, "not known", for numbers that JSON does not have, as Python writes them; each place stays where it was. */
function withoutNaN(text: Buffer): Buffer {
  const copy = Buffer.from(text);
  for (let at = 0; at < copy.length; at++) {
    if (copy[at] === quote) {
      const end = endOfString(copy, at + 1);
      if (end < 0) return copy;
      at = end;
      continue;
    }
    if (!beginsNaN.has(copy[at] ?? 0)) continue;
    const word = /^(NaN|-?Infinity)\b/.exec(copy.toString("latin1", at, at + 10))?.[0];
    if (word === undefined) continue;
    copy.write("-1".padEnd(word.length), at, "latin1");
    at += word.length - 1;
  }
  return copy;
}

/** JSON but for numbers that are none (Python's NaN), or a value on each line, as a list. undefined: neither. */
function almostJson(text: Buffer): unknown {
  const json = withoutNaN(text);
  const whole = parsedOrUndefined(json);
  if (whole !== undefined) return whole;
  const values: unknown[] = [];
  for (let start = 0; start < json.length; ) {
    const next = json.indexOf(lineEnd, start);
    const end = next < 0 ? json.length : next;
    const line = json.subarray(start, end);
    start = end + 1;
    if (!line.some((byte) => byte > 0x20)) continue;
    const value = parsedOrUndefined(line);
    if (!isRecord(value)) return undefined;
    values.push(value);
  }
  return values.length > 1 ? values : undefined;
}

const isLog = (value: unknown): value is JsonRecord => isRecord(value) && Array.isArray(value.entries);
const isEntry = (value: unknown): boolean => isRecord(value) && isRecord(value.request);

/** A wrapper has a few fields, and the HAR is not deep in it. */
const deepestWrapper = 3;

function logsIn(value: unknown, depth = 0): JsonRecord[] {
  if (isRecord(value) && isLog(value.log)) return [value.log];
  if (depth > 0 && isLog(value)) return [value];
  if (Array.isArray(value)) {
    if (value.some(isEntry)) return [{ entries: value }];
    return depth < deepestWrapper ? value.flatMap((each) => logsIn(each, depth + 1)) : [];
  }
  if (isLog(value)) return [value];
  if (!isRecord(value) || depth >= deepestWrapper) return [];
  return Object.values(value).flatMap((each) => logsIn(each, depth + 1));
}

/** The pages of several HARs in one, each with names of its own; one without pages is a page. */
function joined(logs: readonly JsonRecord[]): JsonRecord {
  const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const own = (log: number, id: unknown): string => `${log} ${typeof id === "string" ? id : ""}`;
  return {
    ...logs[0],
    pages: logs.flatMap(({ pages }, log) => {
      const list = listOf(pages).filter(isRecord);
      return (list.length > 0 ? list : [{ id: "" }]).map((page) => ({ ...page, id: own(log, page.id) }));
    }),
    entries: logs.flatMap(({ entries, pages }, log) =>
      listOf(entries).map((entry) =>
        isRecord(entry) ? { ...entry, pageref: own(log, listOf(pages).length > 0 ? entry.pageref : "") } : entry,
      ),
    ),
  };
}

/** As `{"log": ...}`; what holds no HAR stays as it is. */
export function oneHar(json: unknown): unknown {
  if (isRecord(json) && isLog(json.log)) return json;
  const logs = logsIn(json);
  const [first] = logs;
  if (!first) return json;
  return { log: logs.length === 1 ? first : joined(logs) };
}
