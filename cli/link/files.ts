// The files that a link names: traces, and numbers for jitter and loss. Makes their paths absolute, notes their sums, and
// notices when one is no longer what it was, so that a sweep which is resumed elsewhere or later meets the link it began with.
// Says nothing of what a file does to packets: trilane-shaper reads it itself.
import { createHash } from "node:crypto";
import { type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { chunksOf } from "../base/text_lines.ts";
import { describeLinks, type LinkDirection, type LinkProfile, refuse } from "./link.ts";

interface NamedFile {
  readonly file: string;
  readonly sha256?: string;
}

type Change = <File extends NamedFile>(file: File) => File;

function mapDirection(direction: LinkDirection, change: Change): LinkDirection {
  const { trace, jitter, loss_model: model } = direction;
  return {
    ...direction,
    ...(trace ? { trace: change(trace) } : {}),
    ...(jitter && "file" in jitter ? { jitter: change(jitter) } : {}),
    ...(model && "file" in model ? { loss_model: change(model) } : {}),
  };
}

/** Both directions of a link, or of the one that it switches to. */
interface BothWays {
  readonly down: LinkDirection;
  readonly up: LinkDirection;
}

function mapDirections<Link extends BothWays>(
  link: Link,
  change: (way: LinkDirection, side: "down" | "up") => LinkDirection,
): Link {
  return { ...link, down: change(link.down, "down"), up: change(link.up, "up") };
}

/** The profile with each file that it names changed. */
export function mapFiles(profile: LinkProfile, change: Change): LinkProfile {
  const changed = <Link extends BothWays>(link: Link): Link => mapDirections(link, (way) => mapDirection(way, change));
  const { switch: other } = profile;
  return { ...changed(profile), ...(other ? { switch: { ...other, link: changed(other.link) } } : {}) };
}

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

/** In the link that a form switches to it stands for a comma (shaper/language/link_switch.h). */
export const innerComma = "+";

/** The form with the link that it switches to, if it does, written in other words. */
export function mapSwitchedTo(form: string, change: (link: string) => string): string {
  return form
    .split(",")
    .map((part) => part.replace(/^(switch=[^:]*:)(.+)$/s, (_, time: string, link: string) => `${time}${change(link)}`))
    .join(",");
}

/** A form, which may be no whole link but a change to one (`loss=file:losses`), with each file that it names changed. */
function mapFormFiles(form: string, change: (file: string) => string): string {
  const changed = (_: string, setting: string, file: string) => `${setting}${change(file)}`;
  const settingWith = (setting: string): string =>
    setting.replace(/^(trace(?:_down|_up)?=|(?:jitter|loss)(?:_down|_up)?=file:)(.+)$/s, changed);
  return mapSwitchedTo(form.replace(/^[ \t]+/, "").replace(/[ \t]+$/, ""), (link) =>
    link.split(innerComma).map(settingWith).join(innerComma),
  )
    .split(",")
    .map(settingWith)
    .join(",");
}

/** As withAbsoluteFiles, of a form. */
export function formWithAbsoluteFiles(form: string, folder: string): string {
  return mapFormFiles(form, (file) => absolutePath(file, folder));
}

/** By path, with the stamp of the file that they are of. */
const knownSums = new Map<string, { stamp: string; sum: string }>();

/** SHA-256; computed again when the file has changed. */
function sumOf(path: string): string {
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
  const known = knownSums.get(path);
  if (known?.stamp === stamp) return known.sum;
  const hash = createHash("sha256");
  for (const chunk of chunksOf(path)) hash.update(chunk);
  const sum = hash.digest("hex");
  knownSums.set(path, { stamp, sum });
  return sum;
}

/** As profiles are stored: their files with absolute paths and sums, and the rates and losses that they come to. */
export function settleFiles(profiles: readonly LinkProfile[], folder: string): LinkProfile[] {
  const absolute = profiles.map((profile) =>
    mapFiles(withAbsoluteFiles(profile, folder), (file) => ({ ...file, sha256: sumOf(file.file) })),
  );
  const withFiles = absolute.filter((profile) => filesOf(profile).length > 0);
  const read = new Map(
    describeLinks(withFiles, { files: true }).map(({ profile }, index) => [withFiles[index], profile]),
  );
  const settle = <Link extends BothWays>(link: Link, figures: BothWays): Link =>
    mapDirections(link, (way, side) => ({ ...way, rate_bps: figures[side].rate_bps, loss: figures[side].loss }));
  return absolute.map((profile) => {
    const figures = read.get(profile) ?? profile;
    const { switch: other } = profile;
    const link = other && figures.switch ? settle(other.link, figures.switch.link) : other?.link;
    return { ...settle(profile, figures), ...(other && link ? { switch: { ...other, link } } : {}) };
  });
}

/** UserError where a file is not what it was when the profile was stored; `again`: what to do where it cannot be brought back. */
export function refuseChangedFiles(profile: LinkProfile, again = "begin again with --new"): void {
  for (const { file, sha256: before } of filesOf(profile)) {
    if (before === undefined) continue;
    const now = sumOf(file);
    if (now !== before) {
      throw refuse(
        `${file} has changed since it was planned (sha256 ${before.slice(0, 12)}, now ${now.slice(0, 12)}): ` +
          `bring the earlier one back, or ${again}`,
      );
    }
  }
}
