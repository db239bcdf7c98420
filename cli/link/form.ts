// A link's short form taken apart into its settings as written: `3g,loss=1%,queue_up=50p`. Knows the keys, which replaces
// which, and the names of known links. Does not understand the values: link.ts does. The language is that of
// shaper/link_form.c.
import { UserError } from "../errors.ts";
import { namedForm } from "./names.ts";

/** In threes: for both directions, for down, for up. */
const triples = [
  ["rate", "down", "up"],
  ["trace", "trace_down", "trace_up"],
  ["trace_end", "trace_end_down", "trace_end_up"],
  ["rtt", "delay_down", "delay_up"],
  ["jitter", "jitter_down", "jitter_up"],
  ["jitter_order", "jitter_order_down", "jitter_order_up"],
  ["loss", "loss_down", "loss_up"],
  ["loss_slot", "loss_slot_down", "loss_slot_up"],
  ["duplicate", "duplicate_down", "duplicate_up"],
  ["reorder", "reorder_down", "reorder_up"],
  ["onoff", "onoff_down", "onoff_up"],
  ["queue", "queue_down", "queue_up"],
  ["aqm", "aqm_down", "aqm_up"],
  ["ecn", "ecn_down", "ecn_up"],
  ["fec", "fec_down", "fec_up"],
] as const;
type Triple = (typeof triples)[number];
/** A setting by its name for both directions. */
export type Setting = Triple[0];
export type Key = Triple[number] | "seed";
export type Side = "down" | "up";

export type Settings = ReadonlyMap<Key, string>;

const keys: readonly Key[] = [...triples.flat(), "seed"];
const formMax_bytes = 8000;

/** The error of a link, on one line whatever was written. */
export function refuse(message: string): UserError {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
  return new UserError(`link: ${message.replaceAll(/[\u0000-\u001f\u007f]/g, "?")}`);
}

export function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** As much of a text as an error shows, without a part of a character. */
export function cutTo(text: string, most_bytes: number): string {
  return Buffer.from(text)
    .subarray(0, most_bytes)
    .toString()
    .replace(/\ufffd$/, "");
}

/** The name of a setting for one direction. */
export function keyOf(setting: Setting, side: Side): Key {
  const triple = triples.find(([both]) => both === setting) ?? triples[0];
  return triple[side === "down" ? 1 : 2];
}

function isKey(text: string): text is Key {
  return keys.some((key) => key === text);
}

interface TakenApart {
  readonly settings: Map<Key, string>;
  /** The form of the link whose name it begins with; "" of one that has only what follows. */
  readonly link: string | undefined;
}

/** Without the spaces and tabs at its ends, which do not count. */
export function trimmedForm(form: string): string {
  const isSpace = (at: number) => form[at] === " " || form[at] === "\t";
  let [start, end] = [0, form.length];
  while (start < end && isSpace(start)) start++;
  while (end > start && isSpace(end - 1)) end--;
  return form.slice(start, end);
}

/** The form of the link that a part without "=" names. */
function linkNamed(part: string): string | undefined {
  return part === "unlimited" ? "" : namedForm(part);
}

function takeApart(form: string): TakenApart {
  if (bytesOf(form) > formMax_bytes) throw refuse(`the form is longer than ${formMax_bytes} bytes: shorten it`);
  const settings = new Map<Key, string>();
  let link: string | undefined;
  const set = (key: Key, value: string) => {
    if (settings.has(key)) throw refuse(`${key} is given twice (in "${form}"): give it once`);
    if (value === "") throw refuse(`${key} has no value (in "${form}"): write ${key}=VALUE`);
    settings.set(key, value);
  };
  form.split(",").forEach((part, index) => {
    const equals = part.indexOf("=");
    if (equals < 0) {
      if (index > 0 || part === "") {
        throw refuse(`"${part}" is not KEY=VALUE (in "${form}"): a bare RATE/RTT may only come first, as 3mbit/50ms`);
      }
      link = linkNamed(part);
      if (link !== undefined) return;
      if (/^[A-Za-z]/.test(part) && !part.startsWith("unlimited")) {
        throw refuse(
          `no link is called "${part}": \`trilane links\` lists those with a name, and a rate is written as 3mbit`,
        );
      }
      const slash = part.indexOf("/");
      set("rate", slash < 0 ? part : part.slice(0, slash));
      if (slash >= 0) set("rtt", part.slice(slash + 1));
      return;
    }
    const key = part.slice(0, equals);
    if (!isKey(key)) {
      throw refuse(
        `no setting "${key}" (in "${form}"): there are rate, down, up, trace, trace_end, rtt, delay_down, delay_up, ` +
          "jitter, jitter_order, loss, loss_slot, duplicate, reorder, onoff, queue, aqm, ecn, fec, seed, and most of " +
          "them with _down or _up",
      );
    }
    set(key, part.slice(equals + 1));
  });
  return { settings, link };
}

/** A setting for both directions takes the place of either's; a trace that of a rate, and a rate that of a trace. */
function isReplaced(changes: Settings, key: Key): boolean {
  if (changes.has(key)) return true;
  if (key === "seed") return false;
  if (key === "rtt") return changes.has("delay_down") && changes.has("delay_up");
  const triple: readonly Key[] | undefined = triples.find((names) => names.some((name) => name === key));
  const [both, ...sides] = triple ?? [];
  if (both === undefined || changes.has(both)) return both !== undefined;
  if (both !== "rate" && both !== "trace") return false;
  const other = both === "rate" ? "trace" : "rate";
  if (changes.has(other)) return true;
  return (
    (sides[0] === key && changes.has(keyOf(other, "down"))) || (sides[1] === key && changes.has(keyOf(other, "up")))
  );
}

function merge(settings: Settings, changes: Settings): Settings {
  const kept = [...settings].filter(([key]) => !isReplaced(changes, key));
  return new Map([...kept, ...changes]);
}

/** The settings as written, a known link's among them. UserError where the form is none. */
export function settingsOf(form: string): Settings {
  const { settings, link } = takeApart(trimmedForm(form));
  return link ? merge(takeApart(link).settings, settings) : settings;
}

/** UserError where a link of the command line has a rate or a trace and nothing says its delay: 0 ms is rarely what was meant. */
export function refuseWithoutDelay(form: string): void {
  const settings = settingsOf(form);
  const hasRate = [...settings.keys()].some((key) => /^(rate|down|up|trace|trace_down|trace_up)$/.test(key));
  const hasDelay = (["rtt", "delay_down", "delay_up"] as const).some((key) => settings.has(key));
  if (!hasRate || hasDelay) return;
  const [first = "", ...rest] = trimmedForm(form).split(",");
  const isRate = !first.includes("=") && linkNamed(first) === undefined;
  const [asked, none] = ["50ms", "0ms"].map((rtt) =>
    isRate ? [`${first}/${rtt}`, ...rest].join(",") : [first, ...rest, `rtt=${rtt}`].join(","),
  );
  throw new UserError(`--link ${form}: says no round-trip time: write ${asked}, or ${none} for none`);
}
