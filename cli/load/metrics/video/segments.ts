// What of a video came over the network: which representation each part of the clip was played in, and how fast video and audio came.
// From the requests for segments; pure.
import type { VideoEvents, VideoSegment } from "../../../../schemas/generated/video_events.ts";

type Stream = VideoSegment["stream"];

export interface PlayedPart {
  /** Of the clip. */
  readonly start_s: number;
  readonly duration_s: number;
  readonly representation: string;
  readonly bitrate_bps: number;
}

const came = ({ status, bytes, first_byte_ms }: VideoSegment): boolean =>
  status >= 200 && status < 300 && bytes > 0 && first_byte_ms !== null;

/** Requests for segments that were answered; with initialization segments, whose number is 0. */
export function segmentsOf(events: VideoEvents["events"], stream: Stream): VideoSegment[] {
  return events
    .filter((event): event is VideoSegment => event.kind === "segment" && event.stream === stream)
    .filter(came)
    .sort((a, b) => a.start_ms - b.start_ms);
}

/** How far the clip was played. */
function playedTo_s({ settings, events }: Pick<VideoEvents, "settings" | "events">): number {
  const isEnded = events.some(({ kind }) => kind === "ended");
  if (isEnded) return settings.clip_s;
  return events.reduce((most_s, event) => ("media_s" in event ? Math.max(most_s, event.media_s) : most_s), 0);
}

/** Reports when the playhead first was beyond a place in the clip; never: infinity. */
function playheadOf(events: VideoEvents["events"]): (place_s: number) => number {
  const reported = events.flatMap((event) => ("media_s" in event ? [event] : [])).sort((a, b) => a.t_ms - b.t_ms);
  return (place_s) => reported.find(({ media_s }) => media_s > place_s)?.t_ms ?? Number.POSITIVE_INFINITY;
}

/**
 * The clip's parts in their order, each in the representation it was played in. A player that changes its mind fetches a part again: what
 * it gave up was not played, nor what came when the part was on the screen already. A part of which nothing came whole was not played.
 */
export function playedParts(record: Pick<VideoEvents, "settings" | "events">, stream: Stream): PlayedPart[] {
  const { settings, events } = record;
  const representations = new Map(settings[stream].map((each) => [each.id, each]));
  const whole = segmentsOf(events, stream).filter(
    ({ number, bytes, representation }) => number > 0 && bytes === representations.get(representation)?.segment_bytes,
  );
  const reached_ms = playheadOf(events);
  const to_s = playedTo_s(record);
  return [...Map.groupBy(whole, ({ number }) => number)]
    .sort(([a], [b]) => a - b)
    .flatMap(([number, candidates]): PlayedPart[] => {
      const start_s = (number - 1) * settings.segment_s;
      const duration_s = Math.min(start_s + settings.segment_s, to_s) - start_s;
      const byEnd = candidates.toSorted((a, b) => a.end_ms - b.end_ms);
      const shown_ms = reached_ms(start_s);
      // If none came in time, it waited for the first.
      const played = byEnd.findLast(({ end_ms }) => end_ms <= shown_ms) ?? byEnd[0];
      const of = played && representations.get(played.representation);
      if (!of || duration_s <= 0) return [];
      return [{ start_s, duration_s, representation: of.id, bitrate_bps: of.bitrate_bps }];
    });
}

/** Mean over the time that was played. Null: none was. */
export function ratePlayed_bps(parts: readonly PlayedPart[]): number | null {
  const played_s = parts.reduce((sum, { duration_s }) => sum + duration_s, 0);
  if (played_s <= 0) return null;
  return parts.reduce((sum, { bitrate_bps, duration_s }) => sum + bitrate_bps * duration_s, 0) / played_s;
}

/** From one representation to another. Null: nothing was played. */
export function switchesOf(parts: readonly PlayedPart[]): number | null {
  if (parts.length === 0) return null;
  return parts.slice(1).filter(({ representation }, index) => representation !== parts[index]?.representation).length;
}

/** Time in which at least one of the requests was under way. */
function activeTime_ms(segments: readonly VideoSegment[]): number {
  let active_ms = 0;
  let until_ms = Number.NEGATIVE_INFINITY;
  for (const { start_ms, end_ms } of segments) {
    active_ms += Math.max(0, end_ms - Math.max(start_ms, until_ms));
    until_ms = Math.max(until_ms, end_ms);
  }
  return active_ms;
}

/** Bytes over the time in which they were requested (the average throughput of ISO/IEC 23009-1, annex D). Null: nothing came. */
export function downloadRate_bps(segments: readonly VideoSegment[]): number | null {
  const active_ms = activeTime_ms(segments);
  if (active_ms <= 0) return null;
  return (segments.reduce((sum, { bytes }) => sum + bytes, 0) * 8000) / active_ms;
}

/** Transport and TLS of the first connection to a stream's server, without the name's look-up. Null: it was there, or never came about. */
export function connect_ms(segments: readonly VideoSegment[]): number | null {
  const opening = segments.find(({ connect_start_ms }) => connect_start_ms !== null);
  const { connect_start_ms: start_ms = null, connect_end_ms: end_ms = null } = opening ?? {};
  return start_ms === null || end_ms === null || end_ms < start_ms ? null : end_ms - start_ms;
}
