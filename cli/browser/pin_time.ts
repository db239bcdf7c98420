// The script that pins a page's time and chance, so that each load of a recording asks for the same URLs (`--pin-time`):
// it runs before the page's own scripts, in every frame and worker, and changes no body. Makes text; injects nothing.
//
// In the page: Date begins at a given moment in each document, moves on by 50 ms with every 25th reading, and else only
// in whole seconds of real time: two loads of different pace read the same dates, and what waits for a date to come
// does not wait for ever. So do Temporal.Now and Intl.DateTimeFormat without a date. performance.timeOrigin and
// performance.timing are moved to that date; performance.now() is left as it is. Math.random, crypto.getRandomValues and
// crypto.randomUUID come from a seed and the document's URL.
// Not pinned: what a page reads of time without a clock (a spinning worker, an animation's frames) and of chance without
// these (WebCrypto's keys, a canvas).

/** Where dates begin unless another moment is given. */
export const defaultMoment_ms = Date.UTC(2026, 0, 1);

/** Of Temporal, what is used here: not every browser has it. */
interface TemporalLike {
  readonly Now: { timeZoneId(): string };
  readonly Instant: { fromEpochMilliseconds(time_ms: number): { toZonedDateTimeISO(zone: string): ZonedLike } };
}
interface ZonedLike {
  toPlainDateTime(): unknown;
  toPlainDate(): unknown;
  toPlainTime(): unknown;
}

interface Pins {
  readonly moment_ms: number;
  readonly seed: number;
}

// Stands in the page as text: it must use nothing from outside itself. Nothing of it can be seen from there but what it
// replaces.
function pin({ moment_ms, seed }: Pins): void {
  const readingsPerStep = 25;
  const step_ms = 50;
  const { performance, crypto } = globalThis;
  const realOrigin_ms = performance.timeOrigin;
  const began_ms = performance.now();
  const elapsed_ms = performance.now.bind(performance);
  let readings = 0;
  let latest_ms = moment_ms;

  const now = (): number => {
    readings++;
    const counted_ms = step_ms * Math.floor(readings / readingsPerStep);
    const real_ms = 1000 * Math.floor((elapsed_ms() - began_ms) / 1000);
    latest_ms = Math.max(latest_ms, moment_ms + Math.max(counted_ms, real_ms));
    return latest_ms;
  };

  const replace = (owner: object, name: string, value: unknown): void => {
    const before = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, {
      configurable: true,
      enumerable: before?.enumerable ?? false,
      writable: true,
      value,
    });
  };
  const replaceGetter = (owner: object, name: string, read: (real: number) => number): void => {
    const before = Object.getOwnPropertyDescriptor(owner, name);
    const get = before?.get;
    if (!get) return;
    Object.defineProperty(owner, name, {
      ...before,
      get(this: unknown) {
        return read(get.call(this));
      },
    });
  };

  const RealDate = Date;
  const PinnedDate = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, values: unknown[], newTarget) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
  });
  replace(RealDate, "now", () => now());
  replace(RealDate.prototype, "constructor", PinnedDate);
  replace(globalThis, "Date", PinnedDate);

  const format = Intl.DateTimeFormat.prototype;
  const formatGetter = Object.getOwnPropertyDescriptor(format, "format");
  Object.defineProperty(format, "format", {
    ...formatGetter,
    get(this: Intl.DateTimeFormat) {
      const real = formatGetter?.get?.call(this) as Intl.DateTimeFormat["format"];
      return (date?: Date | number) => real(date ?? now());
    },
  });
  const realParts = format.formatToParts;
  replace(format, "formatToParts", function (this: Intl.DateTimeFormat, date?: Date | number) {
    return realParts.call(this, date ?? now());
  });

  const temporal = Reflect.get(globalThis, "Temporal") as TemporalLike | undefined;
  if (temporal) {
    const { Now, Instant } = temporal;
    const instant = () => Instant.fromEpochMilliseconds(now());
    const zoned = (zone?: string): ZonedLike => instant().toZonedDateTimeISO(zone ?? Now.timeZoneId());
    replace(Now, "instant", instant);
    replace(Now, "zonedDateTimeISO", zoned);
    replace(Now, "plainDateTimeISO", (zone?: string) => zoned(zone).toPlainDateTime());
    replace(Now, "plainDateISO", (zone?: string) => zoned(zone).toPlainDate());
    replace(Now, "plainTimeISO", (zone?: string) => zoned(zone).toPlainTime());
  }

  const pinned = (real: number): number => (real === 0 ? 0 : real - realOrigin_ms + moment_ms);
  replaceGetter(Object.getPrototypeOf(performance), "timeOrigin", pinned);
  const inWhole_ms = (real: number): number => (real === 0 ? 0 : real - Math.floor(realOrigin_ms) + moment_ms);
  const timing: unknown = Reflect.get(performance, "timing");
  if (typeof timing === "object" && timing !== null) {
    const prototype: object = Object.getPrototypeOf(timing);
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (name !== "constructor") replaceGetter(prototype, name, inWhole_ms);
    }
  }

  // mulberry32, begun from the seed and the document's URL: frames of one page do not draw the same numbers. A worker
  // has no URL yet where this runs, and Chromium ends the page's process over asking for it.
  const url = Reflect.has(globalThis, "document") ? String(Reflect.get(globalThis, "location")) : "worker";
  let state = seed >>> 0;
  for (const character of url) {
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  const draw = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  replace(Math, "random", () => ((draw() >>> 5) * 0x4000000 + (draw() >>> 6)) / 0x20000000000000);

  const cryptoPrototype: object = Object.getPrototypeOf(crypto);
  const realValues = crypto.getRandomValues.bind(crypto);
  // Of whatever integers; a view's bytes are what is filled.
  const fill = (values: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
    realValues(values); // throws what it must for what it does not take
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    for (let at = 0; at < bytes.length; at++) bytes[at] = draw() >>> 24;
    return values;
  };
  replace(cryptoPrototype, "getRandomValues", (values: Uint8Array<ArrayBuffer>) => fill(values));
  // Not there in a document that is not secure.
  if (Reflect.has(cryptoPrototype, "randomUUID")) {
    replace(cryptoPrototype, "randomUUID", () => {
      const bytes = fill(new Uint8Array(16));
      bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
      bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
      const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    });
  }
}

/** The text to evaluate first in every document and worker. */
export function pinTimeScript(pins: Partial<Pins> = {}): string {
  const all: Pins = { moment_ms: pins.moment_ms ?? defaultMoment_ms, seed: pins.seed ?? 1 };
  return `(${pin.toString()})(${JSON.stringify(all)});`;
}
