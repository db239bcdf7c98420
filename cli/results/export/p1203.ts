// A load that played a video as the input of ITU-T P.1203's models in mode 0 (schemas/p1203.schema.json): codecs, bitrates, sizes and
// stalls, no pictures. The models know few codecs: sound of others is left out, as they then assume good sound; pictures of others stay, and
// their software refuses them. The models are not here: that software's licence allows non-commercial research only. Pure.
import type { P1203AudioSegment, P1203Export, P1203Input, P1203Load } from "../../../schemas/generated/p1203.ts";
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
  [/^ac-3$/, "ac3"],
];

const codecWord = (codec: string): string => codecWords.find(([form]) => form.test(codec))?.[1] ?? codec;

const modelledSound: readonly string[] = ["mp2", "ac3", "aaclc", "heaac"] satisfies P1203AudioSegment["codec"][];
const modelledPictures = "h264";

const isModelled = (segment: { readonly codec: string }): segment is P1203AudioSegment =>
  modelledSound.includes(segment.codec);

/** Thousandths of a second are what the events tell. */
const rounded = (value: number): number => Number(value.toFixed(3));

const timesOf = ({ start_s, duration_s, bitrate_bps }: PlayedPart) => ({
  bitrate: bitrate_bps / 1000,
  start: rounded(start_s),
  duration: rounded(duration_s),
});

/** `unsupported`: codecs that the models do not know. Null if nothing of it was played. */
export function p1203Input(
  record: Pick<VideoEvents, "settings" | "events">,
  load: number,
): Pick<P1203Load, "unsupported" | "input"> | null {
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
  const sound = audio.filter(isModelled);
  const input: P1203Input = {
    // Of a part the software would take the scores in turn for those of the whole.
    I11: { streamId: load, segments: sound.length === audio.length ? sound : [] },
    I13: { streamId: load, segments: [first, ...rest] },
    I23: { streamId: load, stalling: [[0, rounded((began_ms - start_ms) / 1000)], ...stalling] as [number, number][] },
  };
  const unknown = [
    ...video.filter(({ codec }) => codec !== modelledPictures),
    ...audio.filter((segment) => !isModelled(segment)),
  ];
  return { unsupported: [...new Set(unknown.map(({ codec }) => codec))], input };
}

/** In the codecs of their pictures, which the models' software refuses to score. */
export function refusedPictures({ loads }: P1203Export): { readonly loads: number; readonly codecs: string[] } {
  const codecsOf = ({ input }: P1203Load): string[] =>
    input.I13.segments.map(({ codec }) => codec).filter((codec) => codec !== modelledPictures);
  const refused = loads.map(codecsOf).filter((codecs) => codecs.length > 0);
  return { loads: refused.length, codecs: [...new Set(refused.flat())] };
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
      return input ? [{ load: id, page, lane, link, ...input }] : [];
    }),
  };
}
