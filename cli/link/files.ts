// The files that a link names: traces, and numbers for jitter and loss. Makes their paths absolute, notes their sums, and
// tells when one is no longer what it was, so that a sweep which goes on elsewhere or later meets the link it began with.
// Says nothing of what a file does to packets: trilane-shaper reads it itself.
import { createHash } from "node:crypto";
import { type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { opportunity_bits, readOpportunities } from "../trace/opportunities.ts";
import { chunksOf } from "../trace/text_lines.ts";
import { refuse, trimmedForm } from "./form.ts";
import { mapFiles, type NamedFile } from "./label.ts";
import type { LinkDirection, LinkProfile } from "./link.ts";
import { readNumbers } from "./number_file.ts";

/** Each file once. */
export function filesOf(profile: LinkProfile): NamedFile[] {
  const files = new Map<string, NamedFile>();
  mapFiles(profile, (file) => {
    files.set(file.file, file);
    return file;
  });
  return [...files.values()];
}

function absolutePath(file: string, folder: string): string {
  const path = resolve(folder, file);
  if (path.includes(","))
    throw refuse(`${path}: a comma ends a setting of a link: give the file another name, or another place`);
  return path;
}

/** With each path absolute, relative ones from `folder`. */
export function withAbsoluteFiles(profile: LinkProfile, folder: string): LinkProfile {
  return mapFiles(profile, (file) => ({ ...file, file: absolutePath(file.file, folder) }));
}

/** The same of a form, which may be no whole link but a change to one: `loss=file:losses`. */
export function formWithAbsoluteFiles(form: string, folder: string): string {
  const absolute = (_: string, setting: string, file: string) => `${setting}${absolutePath(file, folder)}`;
  return trimmedForm(form)
    .split(",")
    .map((part) => part.replace(/^(trace(?:_down|_up)?=|(?:jitter|loss)(?:_down|_up)?=file:)(.+)$/s, absolute))
    .join(",");
}

/** What is read of a file once, and again when it has changed. */
class Known<Value> {
  readonly #known = new Map<string, { stamp: string; value: Value }>();
  readonly #read: (path: string) => Value;

  constructor(read: (path: string) => Value) {
    this.#read = read;
  }

  of(path: string): Value {
    let stats: Stats;
    try {
      stats = statSync(path);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "cannot be read";
      throw refuse(`${path}: ${code === "ENOENT" ? "no such file: name another" : code}`);
    }
    // Opening a pipe would wait for its writer.
    if (!stats.isFile()) throw refuse(`${path}: is not a regular file: name a file`);
    const { dev, ino, size, mtimeMs, ctimeMs } = stats;
    const stamp = [dev, ino, size, mtimeMs, ctimeMs].join(" ");
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.value;
    const value = this.#read(path);
    this.#known.set(path, { stamp, value });
    return value;
  }
}

const sums = new Known((path) => {
  const hash = createHash("sha256");
  for (const chunk of chunksOf(path)) hash.update(chunk);
  return hash.digest("hex");
});

const rates_bps = new Known((path) => {
  const times = readOpportunities(path);
  return Math.round((times.length * opportunity_bits * 1000) / (times.at(-1) ?? 1));
});

const losses = new Known((path) => {
  let numbers = 0;
  let lost = 0;
  for (const number of readNumbers(path, 1)) {
    numbers++;
    if (number !== 0) lost++;
  }
  return Number((lost / numbers).toPrecision(12));
});

const maxJitter_ms = 60_000;

/** How many there are; UserError where one is none. */
const jitters = new Known((path) => {
  let numbers = 0;
  for (const _ of readNumbers(path, maxJitter_ms)) numbers++;
  return numbers;
});

/** As a profile is stored: its files with absolute paths and sums, and the rate and loss that they come to. */
export function settleFiles(profile: LinkProfile, folder: string): LinkProfile {
  const absolute = mapFiles(withAbsoluteFiles(profile, folder), (file) => ({ ...file, sha256: sums.of(file.file) }));
  const settle = (direction: LinkDirection): LinkDirection => {
    const { trace, jitter, loss_model: model } = direction;
    if (jitter && "file" in jitter) jitters.of(jitter.file);
    return {
      ...direction,
      ...(trace ? { rate_bps: rates_bps.of(trace.file) } : {}),
      ...(model && "file" in model ? { loss: losses.of(model.file) } : {}),
    };
  };
  return { ...absolute, down: settle(absolute.down), up: settle(absolute.up) };
}

/** UserError where a file is not what it was when the profile was stored; `again`: what to do where it cannot be brought back. */
export function refuseChangedFiles(profile: LinkProfile, again = "begin again with --new"): void {
  for (const { file, sha256: before } of filesOf(profile)) {
    if (before === undefined) continue;
    const now = sums.of(file);
    if (now !== before) {
      throw refuse(
        `${file} has changed since it was planned (sha256 ${before.slice(0, 12)}, now ${now.slice(0, 12)}): ` +
          `bring the earlier one back, or ${again}`,
      );
    }
  }
}
