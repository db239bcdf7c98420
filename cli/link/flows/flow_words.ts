// The words of `--flow` and what they mean: [N*]TRANSPORT[:CONTROLLER][@START][,paced][,migrate=TIME][,down|up][,for=TIME][,size=SIZE]. Their
// one parser and their one writer. Knows a single flow; what flows mean together is mix.ts's.
import type { Flow, FlowDirection, FlowTransport } from "../../../schemas/generated/flow.ts";
import { UserError } from "../../base/errors.ts";
import {
  allTransports,
  isTransport,
  kernelLacks,
  quicControllers,
  transportFacts,
  usualController,
} from "./transports.ts";

// Times and sizes as `--flow` writes them: 30s, 500ms, 2min; 8MB, 1500B. Pure; says what is wrong with a word, not where it stands.

/** A value, or why there is none. */
type Read = { readonly value: number } | { readonly fault: string };

const times_ms: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 };
const sizes_bytes: Readonly<Record<string, number>> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

const listed = (units: Readonly<Record<string, number>>): string => Object.keys(units).join(", ");

/** 0.3 s is 300 ms, and not 299.99999999999994. */
const exact = (value: number): number => Number(value.toPrecision(12));

function read(word: string, units: Readonly<Record<string, number>>, example: string): Read {
  const [, number = "", unit = ""] = /^(-?\d+(?:\.\d+)?|-?\.\d+)([A-Za-z]*)$/.exec(word) ?? [];
  if (number === "") return { fault: `write a number with its unit, as ${example}` };
  const size = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (size === undefined)
    return { fault: `${unit === "" ? "has no unit" : "has an unknown unit"}: use ${listed(units)}` };
  return { value: exact(Number(number) * size) };
}

/** In ms; whole ones, as runs take them. May be negative. */
export function readTime_ms(word: string): Read {
  const time = read(word, times_ms, "5s");
  if ("value" in time && !Number.isInteger(time.value)) return { fault: "is no whole number of milliseconds" };
  return time;
}

/** In bytes. */
export function readSize_bytes(word: string): Read {
  const size = read(word, sizes_bytes, "8MB");
  if ("value" in size && !Number.isInteger(size.value)) return { fault: "is no whole number of bytes" };
  return size;
}

/** `500ms`, `1.5s`: the one form of a time. */
export function formatTime_ms(time_ms: number): string {
  return time_ms > 0 && time_ms < 1000 ? `${time_ms}ms` : `${exact(time_ms / 1000)}s`;
}

/** `8MB`, `1.5kB`, `1234567B`: the largest unit that leaves three decimals or fewer. */
export function formatSize_bytes(size_bytes: number): string {
  const fitting = Object.entries(sizes_bytes).filter(
    ([, size]) => size_bytes >= size && size_bytes % Math.max(1, size / 1000) === 0,
  );
  const [unit, size] = fitting.at(-1) ?? ["B", 1];
  return `${exact(size_bytes / size)}${unit}`;
}

/** More flows than the ports of a run are for (native-host/flows). */
export const mostFlows = 1000;
const longest_ms = 86_400_000;
const largest_bytes = 1e12;
/** A move takes a round trip. */
const leastMigration_ms = 100;

/** The form of the words, for help and for errors. */
export const flowForm = "[N*]TRANSPORT[:CONTROLLER][@START][,paced][,migrate=TIME][,down|up][,for=TIME][,size=SIZE]";

/** How the value of a setting is read, and the range that it must lie in. */
interface Quantity {
  readonly what: string;
  readonly read: (text: string) => Read;
  readonly least: number;
  readonly most: number;
  /** What is wrong with a value beyond it. */
  readonly words: string;
}

function readCount(text: string): Read {
  return /^\d+$/.test(text) ? { value: Number(text) } : { fault: `must be a whole number from 1 to ${mostFlows}` };
}

function readDuration(text: string): Read {
  const read = readTime_ms(text);
  return "value" in read && read.value <= 0 ? { fault: "ends before it starts: give at least 1ms" } : read;
}

const quantities = {
  count: { what: "count", read: readCount, least: 1, most: mostFlows, words: `must be from 1 to ${mostFlows}` },
  start: { what: "start", read: readTime_ms, least: 0, most: longest_ms, words: "must be from 0s to 86400s" },
  for: { what: "duration", read: readDuration, least: 1, most: longest_ms, words: "must be at most 86400s" },
  size: { what: "size", read: readSize_bytes, least: 1, most: largest_bytes, words: "must be from 1B to 1TB" },
  migrate: {
    ...{ what: "time", read: readTime_ms, least: leastMigration_ms, most: longest_ms },
    words: "must be from 100ms to 86400s",
  },
} as const satisfies Record<string, Quantity>;

/** A piece of the words, and where in them it begins. */
interface Piece {
  readonly text: string;
  readonly at: number;
}

class Reader {
  readonly #words: string;
  readonly #kernel: readonly string[] | null;

  constructor(words: string, kernel: readonly string[] | null) {
    this.#words = words;
    this.#kernel = kernel;
  }

  /** A terminal would take a control character for a command; JSON escapes all but those from 0x7f on. */
  #shown(text: string): string {
    return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text).replaceAll(/[\u007f-\u009f]/g, "?");
  }

  fault({ text, at }: Piece, what: string, why: string): UserError {
    const value = text === "" ? `no ${what}` : `${what} ${this.#shown(text)}`;
    return new UserError(`flow ${this.#shown(this.#words)}, character ${at + 1}: ${value}: ${why}`);
  }

  /** The value, if it lies in its range. UserError where it does not, or is none. */
  value(piece: Piece, { what, read: readText, least, most, words }: Quantity): number {
    const read = readText(piece.text);
    if ("fault" in read) throw this.fault(piece, what, read.fault);
    if (read.value < least || read.value > most) throw this.fault(piece, what, words);
    return read.value;
  }

  #offered(): string {
    return this.#kernel?.join(", ") ?? "reno, cubic, ...";
  }

  transport(piece: Piece): FlowTransport {
    if (isTransport(piece.text)) return piece.text;
    throw this.fault(piece, "transport", `use ${allTransports.join(", ")}`);
  }

  controller(piece: Piece, transport: FlowTransport): string {
    const name = piece.text;
    if (transportFacts[transport].controlledBy === "quiche") {
      if (quicControllers().includes(name)) return name;
      throw this.fault(piece, "controller", `for quic use ${quicControllers().join(", ")}`);
    }
    if (!/^[a-z][a-z0-9_-]{0,14}$/.test(name))
      throw this.fault(piece, "controller", `for ${transport} use ${this.#offered()}`);
    if (this.#kernel?.includes(name)) return name;
    if (ofQuicAlone(name))
      throw this.fault(
        piece,
        "controller",
        `is only for QUIC: use quic:${name}, or for ${transport} ${this.#offered()}`,
      );
    const lacks = kernelLacks(name, this.#kernel);
    if (lacks === null) return name;
    throw this.fault(piece, "controller", `for ${transport} ${lacks}`);
  }

  migrate_ms(piece: Piece, transport: FlowTransport): number {
    if (transportFacts[transport].controlledBy === "quiche") return this.value(piece, quantities.migrate);
    throw this.fault(piece, "time", `a ${transport} connection ends with its address: leave migrate= out, or use quic`);
  }
}

/** What stands between commas, each with its place. */
function piecesOf(words: string): Piece[] {
  let at = 0;
  return words.split(",").map((text) => {
    const piece = { text, at };
    at += text.length + 1;
    return piece;
  });
}

/** Some kernels have TCP controllers by the names of quiche's own. */
const quicheNames = ["cubic", "reno", "bbr2"];
const ofQuicAlone = (name: string): boolean => quicControllers().includes(name) && !quicheNames.includes(name);

type Settings = Pick<Flow, "paced" | "migrate_s" | "direction" | "for_s" | "size_bytes">;

const settingNames: ReadonlyMap<string, keyof Settings> = new Map([
  ["down", "direction"],
  ["up", "direction"],
  ["paced", "paced"],
  ["migrate", "migrate_s"],
  ["for", "for_s"],
  ["size", "size_bytes"],
]);

function settingsOf(pieces: readonly Piece[], transport: FlowTransport, reader: Reader): Settings {
  const given: { -readonly [Name in keyof Settings]?: Settings[Name] } = {};
  for (const piece of pieces) {
    const { text, at } = piece;
    const equals = text.indexOf("=");
    const key = equals < 0 ? text : text.slice(0, equals);
    const name = settingNames.get(key);
    const takesValue = name !== "direction" && name !== "paced";
    if (name === undefined || takesValue !== equals >= 0)
      throw reader.fault(
        piece,
        "setting",
        "use paced, migrate=TIME, down, up, for=TIME or size=SIZE; count, controller and @START stand before",
      );
    if (name in given) throw reader.fault(piece, "setting", "says again what stands before it: give it once");
    if (name === "paced" && transportFacts[transport].controlledBy === "quiche")
      throw reader.fault(piece, "setting", "QUIC flows are paced as their controller wants: leave it out");
    const after = { text: text.slice(equals + 1), at: at + equals + 1 };
    if (name === "direction") given.direction = key as FlowDirection;
    else if (name === "paced") given.paced = true;
    else if (name === "migrate_s") given.migrate_s = reader.migrate_ms(after, transport) / 1000;
    else if (name === "for_s") given.for_s = reader.value(after, quantities.for) / 1000;
    else given.size_bytes = reader.value(after, quantities.size);
  }
  const { paced, migrate_s, direction = "down", for_s = null, size_bytes = null } = given;
  const rare = { ...(paced ? { paced } : {}), ...(migrate_s === undefined ? {} : { migrate_s }) };
  return { ...rare, direction, for_s, size_bytes };
}

/** Always matches what stands before the first comma. */
const head = /^(?:(?<count>[^*]*)\*)?(?<transport>[^:@]*)(?::(?<controller>[^@]*))?(?:@(?<start>.*))?$/ds;

/**
 * What the words mean. UserError, in one line with the place, the value and what is accepted, where they mean nothing. `kernel`: the
 * TCP congestion controls there are (kernelControllers); null: any name is taken, as for plans that were stored elsewhere.
 */
export function parseFlow(written: string, kernel: readonly string[] | null): Flow {
  const words = written.trim();
  const reader = new Reader(words, kernel);
  const [first = { text: "", at: 0 }, ...rest] = piecesOf(words);
  const matched = head.exec(first.text);
  const piece = (name: string): Piece | null => {
    const text = matched?.groups?.[name];
    return text === undefined ? null : { text, at: matched?.indices?.groups?.[name]?.[0] ?? 0 };
  };
  const [counted, named, started] = [piece("count"), piece("controller"), piece("start")];
  const count = counted === null ? 1 : reader.value(counted, quantities.count);
  const transport = reader.transport(piece("transport") ?? first);
  const congestion = reader.controller(named ?? { text: usualController, at: first.text.length }, transport);
  const start_s = started === null ? 0 : reader.value(started, quantities.start) / 1000;
  return { transport, congestion, start_s, count, ...settingsOf(rest, transport, reader) };
}

/** The one form of a flow: parsed again it is the same flow. */
export function formatFlow({
  transport,
  congestion,
  paced,
  migrate_s,
  direction,
  start_s,
  for_s,
  size_bytes,
  count,
}: Flow): string {
  const ms = (time_s: number): number => Math.round(time_s * 1000);
  return [
    `${count === 1 ? "" : `${count}*`}${transport}:${congestion}${start_s === 0 ? "" : `@${formatTime_ms(ms(start_s))}`}`,
    ...(paced ? ["paced"] : []),
    ...(migrate_s === undefined ? [] : [`migrate=${formatTime_ms(ms(migrate_s))}`]),
    ...(direction === "down" ? [] : [direction]),
    ...(for_s === null ? [] : [`for=${formatTime_ms(ms(for_s))}`]),
    ...(size_bytes === null ? [] : [`size=${formatSize_bytes(size_bytes)}`]),
  ].join(",");
}
