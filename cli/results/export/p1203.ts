// A load that played a video as the input of ITU-T P.1203's models in mode 0 (schemas/p1203.schema.json): codecs, bitrates, sizes and
// stalls, no pictures. The models are not here: their reference software's licence allows non-commercial research only. Pure.
import type { P1203Export, P1203Input, P1203Load } from "../../../schemas/generated/p1203.ts";
import type { VideoEvents } from "../../../schemas/generated/video_events.ts";
import { playbackOf } from "../../load/metrics/video/playback.ts";
import { type PlayedPart, playedParts } from "../../load/metrics/video/segments.ts";
import type { Load } from "../store/results.ts";
import { isValid } from "../verdict/sample.ts";

/** By how a media type's codec (RFC 6381) begins. */
const codecWords: readonly (readonly [RegExp, string])[] = [
  [/^avc[13]/, "h264"],
  [/^h(?:vc|ev)1/, "h265"],
  [/^vp09/, "vp9"],
  [/^vp08/, "vp8"],
  [/^av01/, "av1"],
  [/^mp4a\.40\.2$/, "aaclc"],
  [/^mp4a\.40\.(?:5|29)$/, "heaac"],
];

const codecWord = (codec: string): string => codecWords.find(([form]) => form.test(codec))?.[1] ?? codec;

/** Thousandths of a second are what the events tell. */
const rounded = (value: number): number => Number(value.toFixed(3));

const timesOf = ({ start_s, duration_s, bitrate_bps }: PlayedPart) => ({
  bitrate: bitrate_bps / 1000,
  start: rounded(start_s),
  duration: rounded(duration_s),
});

/** Null if nothing of it was played. */
export function p1203Input(record: Pick<VideoEvents, "settings" | "events">, load: number): P1203Input | null {
  const { settings, events } = record;
  const { start_ms, began_ms, stalls } = playbackOf(events);
  if (began_ms === null) return null;
  const video = playedParts(record, "video").flatMap((part) => {
    const of = settings.video.find(({ id }) => id === part.representation);
    if (!of) return [];
    return [{ codec: codecWord(of.codec), ...timesOf(part), resolution: `${of.width}x${of.height}`, fps: of.fps }];
  });
  const audio = playedParts(record, "audio").flatMap((part) => {
    const of = settings.audio.find(({ id }) => id === part.representation);
    return of ? [{ codec: codecWord(of.codec), ...timesOf(part) }] : [];
  });
  const [first, ...rest] = video;
  if (!first) return null;
  const stalling = stalls.map(({ media_s, start_ms: from_ms, end_ms }) => [
    rounded(media_s),
    rounded((end_ms - from_ms) / 1000),
  ]);
  return {
    I11: { streamId: load, segments: audio },
    I13: { streamId: load, segments: [first, ...rest] },
    I23: { streamId: load, stalling: [[0, rounded((began_ms - start_ms) / 1000)], ...stalling] as [number, number][] },
  };
}

/** `recordOf`: what a load recorded of its video; null: it played none. */
export function p1203Export(
  sweep: number,
  loads: readonly Load[],
  recordOf: (load: number) => VideoEvents | null,
): P1203Export {
  return {
    schema: "trilane/p1203/1",
    sweep,
    loads: loads.filter(isValid).flatMap(({ id, page, lane, link }): P1203Load[] => {
      const record = recordOf(id);
      const input = record && p1203Input(record, id);
      return input ? [{ load: id, page, lane, link, input }] : [];
    }),
  };
}
