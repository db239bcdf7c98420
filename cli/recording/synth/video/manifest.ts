// The manifest of a video page (MPEG-DASH, ISO/IEC 23009-1): static, on demand, numbered segments of equal length, each kind on a
// server of its own. Pure.
import type { VideoSettings } from "../../../../schemas/generated/video_events.ts";

/** Thousandths of a second: segments last whole ones. */
const timescale = 1000;

const segments = (segment_s: number): string =>
  `<SegmentTemplate timescale="${timescale}" duration="${Math.round(segment_s * timescale)}" startNumber="1" initialization="$RepresentationID$/init.mp4" media="$RepresentationID$/$Number$.m4s"/>`;

export function manifestOf({ clip_s, segment_s, video, audio }: VideoSettings): string {
  const videos = video.map(
    ({ id, bitrate_bps, codec, width, height, fps }) =>
      `<Representation id="${id}" bandwidth="${bitrate_bps}" codecs="${codec}" width="${width}" height="${height}" frameRate="${fps}"/>`,
  );
  const audios = audio.map(
    ({ id, bitrate_bps, codec }) =>
      `<Representation id="${id}" bandwidth="${bitrate_bps}" codecs="${codec}" audioSamplingRate="48000"/>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" profiles="urn:mpeg:dash:profile:isoff-live:2011" mediaPresentationDuration="PT${clip_s}S" minBufferTime="PT${segment_s}S">
<Period id="1" start="PT0S">
<AdaptationSet id="1" contentType="video" mimeType="video/mp4" segmentAlignment="true" startWithSAP="1">
<BaseURL>https://${video[0]?.host}/</BaseURL>
${segments(segment_s)}
${videos.join("\n")}
</AdaptationSet>
<AdaptationSet id="2" contentType="audio" mimeType="audio/mp4" lang="en" segmentAlignment="true" startWithSAP="1">
<BaseURL>https://${audio[0]?.host}/</BaseURL>
${segments(segment_s)}
${audios.join("\n")}
</AdaptationSet>
</Period>
</MPD>
`;
}
