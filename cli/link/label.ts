// How a link is called where people read: its short form with the names of files instead of their paths, its name where it
// has one, and a sentence. Pure.
import type { LinkDirection, LinkProfile, LinkQueue } from "../../schemas/generated/link_profile.ts";
import { formatLink, parseLink } from "./link.ts";
import { namedLinks } from "./names.ts";

export interface NamedFile {
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

/** The profile with each file that it names changed. */
export function mapFiles(profile: LinkProfile, change: Change): LinkProfile {
  return { ...profile, down: mapDirection(profile.down, change), up: mapDirection(profile.up, change) };
}

/** The short form with the names of files, not their paths. */
export function linkLabel(profile: LinkProfile): string {
  return formatLink(mapFiles(profile, (file) => ({ ...file, file: file.file.split("/").at(-1) ?? file.file })));
}

/** The first of the known links that is just this one. */
export function nameOf(profile: LinkProfile): string | null {
  const form = formatLink(profile);
  return namedLinks.find((link) => formatLink(parseLink(link.form)) === form)?.name ?? null;
}

const plainKeys = /^(down|up|rtt|delay_down|delay_up|queue|queue_down|queue_up|loss|loss_down|loss_up|seed)=/;

/**
 * What there is beyond a constant rate and delay, a drop-tail queue and a share of losses: the settings as they are
 * written, `aqm=codel`. Empty for a plain link.
 */
export function furtherSettings(profile: LinkProfile): string[] {
  const { down, up } = profile;
  const varies = [down, up].some(({ rate_steps, delay_steps, trace }) => rate_steps || delay_steps || trace);
  const [first = "", ...parts] = linkLabel(profile).split(",");
  const isModel = (part: string): boolean => /^loss(_down|_up)?=[a-z]/.test(part);
  const isWanted = (part: string): boolean => !plainKeys.test(part) || isModel(part);
  if (!varies) return parts.filter(isWanted);
  return [first, ...parts.filter((part) => isWanted(part) || /^(down|up|rtt|delay_down|delay_up)=/.test(part))];
}

const trimmed = (value: number): string => String(Number(value.toPrecision(6)));

function rateText({ rate_bps, rate_steps, trace }: LinkDirection): string {
  const text = rate_bps === null ? "unlimited" : `${trimmed(rate_bps / 1e6)} Mbit/s`;
  if (trace) return `${rate_bps === null ? "a trace's rate" : `${text} in the mean`}`;
  return rate_steps ? `${text} at first` : text;
}

export function lossLabel({ down, up }: LinkProfile): string {
  const [lossDown, lossUp] = [down, up].map(({ loss }) => `${trimmed(loss * 100)} %`);
  return lossDown === lossUp ? `${lossDown}` : `${lossDown} down, ${lossUp} up`;
}

export function queueLabel(queue: LinkQueue): string {
  if ("bdp" in queue) return `${trimmed(queue.bdp)} BDP`;
  if ("packets" in queue) return `${queue.packets} packets`;
  if ("bytes" in queue) return `${trimmed(queue.bytes / 1000)} kB`;
  if ("ms" in queue) return `${trimmed(queue.ms)} ms`;
  return "unlimited";
}

const disciplineNames: Readonly<Record<NonNullable<LinkDirection["aqm"]> | "droptail", string>> = {
  droptail: "drop-tail queue",
  drophead: "drop-head queue",
  codel: "CoDel queue",
  pie: "PIE queue",
  fq_codel: "FQ-CoDel queue",
};

function queueText({ down, up }: LinkProfile): string {
  const [queueDown, queueUp] = [down, up].map(
    ({ queue, aqm }) => `${disciplineNames[aqm ?? "droptail"]} of ${queueLabel(queue)}`,
  );
  return queueDown === queueUp ? `${queueDown}` : `${queueDown} down, ${queueUp} up`;
}

/** `10 Mbit/s each way, RTT 50 ms, loss 1 %, drop-tail queue of 1 BDP, seed 1`, and what there is besides. */
export function linkSentence(profile: LinkProfile): string {
  const { down, up } = profile;
  const [rateDown, rateUp] = [rateText(down), rateText(up)];
  const rates = rateDown === rateUp ? `${rateDown} each way` : `${rateDown} down, ${rateUp} up`;
  const further = furtherSettings(profile).filter((setting) => !setting.startsWith("aqm"));
  const besides = further.length > 0 ? `; besides ${further.join(", ")}` : "";
  return `${rates}, RTT ${trimmed(profile.rtt_ms)} ms, loss ${lossLabel(profile)}, ${queueText(profile)}, seed ${profile.seed}${besides}`;
}
