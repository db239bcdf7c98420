// The metrics of a load that played a video, as schemas/metrics.schema.json defines them. Null: the record does not have what it
// takes. Pure; what the events mean is playback.ts's and segments.ts's.
import type { VideoMetric } from "../../../../extension/capture/metric_facts.ts";
import type { VideoBuffer, VideoEvents } from "../../../../schemas/generated/video_events.ts";
import { playbackOf, stalled_ms, stallRatio, viewing_ms } from "./playback.ts";
import { connect_ms, downloadRate_bps, playedParts, ratePlayed_bps, segmentsOf, switchesOf } from "./segments.ts";

type VideoMetrics = Readonly<Record<VideoMetric, number | null>>;

export const noVideoMetrics: VideoMetrics = {
  startup_delay_ms: null,
  viewing_ms: null,
  stalls: null,
  stall_ms: null,
  stall_ratio: null,
  prebuffering_ms: null,
  video_connect_ms: null,
  audio_connect_ms: null,
  rate_played_bps: null,
  rate_switches: null,
  rate_difference_bps: null,
  dropped_frames: null,
};

/** Of the frames that were decoded so far; the last that was reported. */
function droppedFrames(events: VideoEvents["events"]): number | null {
  return events.findLast((event): event is VideoBuffer => event.kind === "buffer")?.dropped_frames ?? null;
}

const difference = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a - b);

/** Never below 0, however events of one moment were reported. */
const since = (end_ms: number | null, start_ms: number | null): number | null =>
  end_ms === null || start_ms === null ? null : Math.max(0, end_ms - start_ms);

export function videoMetricsOf(record: Pick<VideoEvents, "settings" | "events"> | null): VideoMetrics {
  if (record === null) return noVideoMetrics;
  const { events } = record;
  const playback = playbackOf(events);
  const { start_ms, began_ms, stalls } = playback;
  const [video, audio] = [segmentsOf(events, "video"), segmentsOf(events, "audio")];
  const parts = playedParts(record, "video");
  const firstRequest_ms = [...video, ...audio].reduce<number | null>(
    (least_ms, segment) => (least_ms === null ? segment.start_ms : Math.min(least_ms, segment.start_ms)),
    null,
  );
  const hasPlayed = began_ms !== null;
  return {
    startup_delay_ms: since(began_ms, start_ms),
    viewing_ms: viewing_ms(playback),
    stalls: hasPlayed ? stalls.length : null,
    stall_ms: hasPlayed ? stalled_ms(playback) : null,
    stall_ratio: stallRatio(playback),
    prebuffering_ms: since(began_ms, firstRequest_ms),
    video_connect_ms: connect_ms(video),
    audio_connect_ms: connect_ms(audio),
    rate_played_bps: hasPlayed ? ratePlayed_bps(parts) : null,
    rate_switches: hasPlayed ? switchesOf(parts) : null,
    rate_difference_bps: difference(downloadRate_bps(video), downloadRate_bps(audio)),
    dropped_frames: droppedFrames(events),
  };
}
