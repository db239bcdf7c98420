// Pages that play a video: those that the words of `trilane video` stand for, which recordings are such, and how long one takes. Pure.
import type { PlanPage } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { parseLink } from "../../link/link.ts";
import type { Recording } from "../../recording/archive/archive.ts";
import { sourceOf, syntheticName } from "../../recording/archive/recording_source.ts";
import { isVideoName, type VideoSpec, videoSpec } from "../../recording/synth/video/video_spec.ts";

/** What a name stands for; null: no video. */
export function videoNamed(name: string): VideoSpec | null {
  if (!isVideoName(name)) return null;
  try {
    return videoSpec(name);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** Where a page is from, as recordings have it; without: a file that is none yet. */
type Sourced = { readonly source?: string } | undefined;

/** The video that a recording's page plays, an edited one's too; null: it plays none. */
export function videoOf(recording: Sourced): VideoSpec | null {
  const name = syntheticName(recording?.source);
  return name === null ? null : videoNamed(name);
}

/** Null: it plays no video. */
export const videoLength_s = (recording: Sourced): number | null => videoOf(recording)?.clip_s ?? null;

/** What has to come at least until it has been played, in bytes. */
export function leastVideo_bytes({ clip_s, video, audio_kbps, fixed }: VideoSpec): number {
  const video_kbps = fixed?.video_kbps ?? video[0]?.kbps ?? 0;
  return ((video_kbps + (fixed?.audio_kbps ?? audio_kbps[0] ?? 0)) * 1000 * clip_s) / 8;
}

/** `video`'s own words, as they are written. */
export interface VideoWords {
  readonly clip: string | undefined;
  readonly segment: string | undefined;
  readonly rate: string | undefined;
  readonly rates: string | undefined;
  readonly audio: string | undefined;
  readonly adapt: boolean;
}

const seconds_per: Readonly<Record<string, number>> = { ms: 0.001, s: 1, min: 60 };

function time_s(option: string, text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|min)$/.exec(text) ?? [];
  const each = seconds_per[unit ?? ""];
  if (number === undefined || each === undefined)
    throw new UserError(`video: ${option} "${text}" is no time: write it as 30s, 500ms or 2min`);
  const value_s = Number((Number(number) * each).toPrecision(12));
  if (value_s <= 0) throw new UserError(`video: ${option} is 0 s: a video has to last, as ${option} 30s`);
  return value_s;
}

function rate_kbps(option: string, text: string): number {
  let rate_bps: number | null = null;
  try {
    // Steps and further settings are a link's.
    if (/^[^,:]+$/.test(text)) ({ rate_bps } = parseLink(`rate=${text}`).down);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
  if (rate_bps === null || rate_bps <= 0)
    throw new UserError(`video: ${option} "${text}" is no bitrate: write it as 2mbit or 500kbit`);
  const kbps = rate_bps / 1000;
  if (!Number.isInteger(kbps))
    throw new UserError(`video: ${option} "${text}": bitrates are whole kbit/s, as 1500kbit`);
  return kbps;
}

/** UserError. */
function refuseTogether(words: VideoWords, page: string | undefined): void {
  const { rates, adapt } = words;
  const given = Object.entries(words).find(([, value]) => value !== undefined && value !== false)?.[0];
  if (page !== undefined && given !== undefined)
    throw new UserError(`video: --${given} is of a clip that is made: leave it out, or the page ${page}`);
  if (adapt && rates === undefined)
    throw new UserError("video: --adapt chooses between bitrates: name them with --rates 0.5mbit,1mbit,2mbit");
  if (adapt && !rates?.includes(",")) throw new UserError("video: --adapt chooses between bitrates: name two or more");
}

/** Of a recording that was named. UserError if it is not there, or plays no video. */
function refuseNoVideo(name: string, recording: Sourced): void {
  if (videoLength_s(recording) !== null) return;
  const why = recording ? "plays no video" : "is no recording";
  throw new UserError(`video: ${name} ${why}: name a page as video-30s-2000k, or leave it out and use --rate`);
}

export const usualVideo = { clip: "30s", segment: "2s", rate: "2mbit" } as const;

/**
 * The named pages: a recording, if `recordings` have one of the name, whatever it is called; a page of `trilane synth`; or
 * what the words say. UserError for words that go badly together.
 */
export function videoPages(
  words: VideoWords,
  page: string | undefined,
  recordings: readonly Pick<Recording, "name" | "source">[],
): PlanPage[] {
  refuseTogether(words, page);
  if (page === undefined) return madePages(words).map((synth) => ({ synth }));
  const recording = recordings.find(({ name }) => name === page);
  if (recording ? recording.source === sourceOf(page) : isVideoName(page)) return [{ synth: videoSpec(page).name }];
  refuseNoVideo(page, recording);
  return [page];
}

/** Names of pages that are made: one, or without --adapt one for each of several rates. */
function madePages(words: VideoWords): string[] {
  const clip_s = time_s("--clip", words.clip ?? usualVideo.clip);
  const segment_s = time_s("--segment", words.segment ?? usualVideo.segment);
  const option = words.rates === undefined ? "--rate" : "--rates";
  const rates = (words.rates ?? words.rate ?? usualVideo.rate).split(",").map((text) => rate_kbps(option, text.trim()));
  const audio = words.audio === undefined ? "" : `-audio-${rate_kbps("--audio", words.audio)}k`;
  const segment =
    segment_s === 2 && words.segment === undefined && clip_s >= 2 ? "" : `-by-${Math.min(segment_s, clip_s)}s`;
  const named = (video: readonly number[]): string =>
    videoSpec(`video-${clip_s}s${segment}${video.map((kbps) => `-${kbps}k`).join("")}${audio}`).name;
  return words.adapt ? [named(rates)] : rates.map((kbps) => named([kbps]));
}
