// A synthetic video page's exchanges: document, player, manifest, and of each representation its initialization segment and its
// numbered segments, on three servers: the page's, that of the pictures and that of the sound. Stores nothing.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import type { VideoSettings } from "../../../../schemas/generated/video_events.ts";
import { UserError } from "../../../base/errors.ts";
import { checkout, isCheckout } from "../../../base/programs.ts";
import type { Exchange, Header, JsonObject, NewExchange } from "../../archive/archive.ts";
import { type Clip, framing_bytes, paddedSegment } from "./fragments.ts";
import { playAndRecord } from "./page_player.ts";
import { segmentBytes, type VideoRate, type VideoSpec } from "./video_spec.ts";

// The manifest of a video page (MPEG-DASH, ISO/IEC 23009-1): static, on demand, numbered segments of equal length, each kind on a
// server of its own. Pure.

/** Thousandths of a second: segments last whole ones. */
const timescale = 1000;

const segments = (segment_s: number): string =>
  `<SegmentTemplate timescale="${timescale}" duration="${Math.round(segment_s * timescale)}" startNumber="1" initialization="$RepresentationID$/init.mp4" media="$RepresentationID$/$Number$.m4s"/>`;

function manifestOf({ clip_s, segment_s, video, audio }: VideoSettings): string {
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

/** Goes up when the same name gives other bytes than before, so that old recordings are not taken for new ones. */
const generation = 4;

const hosts = { page: "clip.synth.test", video: "video.clip.synth.test", audio: "audio.clip.synth.test" } as const;
type Server = keyof typeof hosts;
/** 198.18.0.0/15 is the range for benchmarks (RFC 2544): no real server. */
const addresses: Record<Server, string> = { page: "198.18.0.1", video: "198.18.0.2", audio: "198.18.0.3" };
const videoServers = Object.keys(hosts).length;
export const videoUrl = `https://${hosts.page}/`;

/** How large the video is shown, in CSS pixels, in the page's upper left corner. */
export const shownAs = { width: 640, height: 360 } as const;

/** A package has of it what goes into pages. */
const playerFolder = (isCheckout() ? ["node_modules", "dashjs"] : ["build", "dashjs"]) as readonly string[];
const playerFile = (...path: readonly string[]): string =>
  readFileSync(join(checkout, ...playerFolder, ...path), "utf8");

function dashVersion(): string {
  const { version } = JSON.parse(playerFile("package.json")) as { version: string };
  return `dash.js ${version}`;
}

/** With its licence (BSD, three clauses), which asks to go where it goes. */
const playerScript = (): string =>
  `/*!\n${playerFile("LICENSE.md")}*/\n${playerFile("dist", "modern", "umd", "dash.mediaplayer.min.js")}`;

let compressedPlayer: Buffer | null = null;
/** Its best compression takes a second: once for all pages of a process. */
function playerBody(): Buffer {
  compressedPlayer ??= brotliCompressSync(playerScript());
  return compressedPlayer;
}

interface Answer {
  readonly server: Server;
  readonly path: string;
  readonly type: string;
  readonly resourceType: string;
  readonly body: Buffer;
  readonly encoding?: string;
}

function exchange({ server, path, type, resourceType, body, encoding }: Answer): NewExchange {
  const headers: Header[] = [
    ["content-type", type],
    ["cache-control", "max-age=3600"],
    ...(encoding ? [["content-encoding", encoding] as const] : []),
    // The page may read what other hosts send, and when it came.
    ...(server === "page"
      ? []
      : [["access-control-allow-origin", "*"] as const, ["timing-allow-origin", "*"] as const]),
  ];
  const described: Exchange = {
    method: "GET",
    scheme: "https",
    host: hosts[server],
    port: 443,
    path,
    request_headers: [],
    address: addresses[server],
    status: 200,
    response_headers: headers,
    body_origin: "recorded",
    recorded: { resource_type: resourceType, mime_type: type, transfer_size: body.length },
  };
  return { exchange: described, body };
}

/** Where encoded clips come from (clip_store.ts). */
export interface Clips {
  pictures(spec: VideoSpec, rate: VideoRate): Promise<Clip>;
  sound(spec: VideoSpec): Promise<Clip>;
}

interface Representation {
  readonly id: string;
  readonly kbps: number;
  readonly server: "video" | "audio";
  readonly clip: Clip;
}

/** Of each kind in the order of bitrates. */
async function representationsOf(spec: VideoSpec, clips: Clips): Promise<Representation[]> {
  const made: Representation[] = [];
  for (const [index, rate] of spec.video.entries())
    made.push({ id: `v${index + 1}`, kbps: rate.kbps, server: "video", clip: await clips.pictures(spec, rate) });
  const sound = await clips.sound(spec);
  for (const [index, kbps] of spec.audio_kbps.entries())
    made.push({ id: `a${index + 1}`, kbps, server: "audio", clip: sound });
  for (const representation of made) refuseTooSmall(spec, representation);
  return made;
}

function refuseTooSmall(spec: VideoSpec, { kbps, clip, server }: Representation): void {
  const largest = Math.max(...clip.media.map((fragment) => fragment.length)) + framing_bytes;
  if (largest <= segmentBytes(kbps, spec.segment_s)) return;
  const least = Math.ceil((largest * 8) / spec.segment_s / 1000);
  throw new UserError(
    `synth page ${spec.name}: ${kbps}k is too little for its ${server}: as encoded it takes ${least}k in its largest segment`,
  );
}

function settingsOf(spec: VideoSpec, representations: readonly Representation[]): VideoSettings {
  const { clip_s, segment_s, fixed } = spec;
  const clipOf = (id: string): Clip => representations.find((each) => each.id === id)?.clip as Clip;
  const facts = (id: string, kbps: number, server: Server) => ({
    id,
    bitrate_bps: kbps * 1000,
    segment_bytes: segmentBytes(kbps, segment_s),
    host: hosts[server],
    codec: clipOf(id).codec,
  });
  const idOf = (kind: "v" | "a", rates: readonly number[], kbps: number) => `${kind}${rates.indexOf(kbps) + 1}`;
  const videoRates = spec.video.map(({ kbps }) => kbps);
  return {
    clip_s,
    segment_s,
    mode: fixed ? "fixed" : "adaptive",
    player: dashVersion(),
    video: spec.video.map(({ kbps, width, height, fps }, index) => ({
      ...facts(`v${index + 1}`, kbps, "video"),
      width,
      height,
      fps,
    })) as VideoSettings["video"],
    audio: spec.audio_kbps.map((kbps, index) => facts(`a${index + 1}`, kbps, "audio")) as VideoSettings["audio"],
    fixed: fixed
      ? { video: idOf("v", videoRates, fixed.video_kbps), audio: idOf("a", spec.audio_kbps, fixed.audio_kbps) }
      : null,
  };
}

function documentOf(spec: VideoSpec, settings: VideoSettings): string {
  const { width, height } = shownAs;
  // The icon is an empty data URL, so that no browser asks the server for one.
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${spec.name}</title>
<link rel="icon" href="data:,">
<style>body { margin: 0; background: #222 } video { display: block; width: ${width}px; height: ${height}px; object-fit: fill }</style>
</head>
<body>
<video id="player" width="${width}" height="${height}" playsinline></video>
<script type="application/json" id="trilane-video"></script>
<script src="/dash.js"></script>
<script>
(${playAndRecord})(${JSON.stringify({ settings, manifest: "/manifest.mpd" })});
</script>
</body>
</html>
`;
}

/** The same encoded clip and number is the same padding on all pages, so that their bodies are stored once. */
const seedOf = ({ server }: Representation, number: number, size_bytes: number): string =>
  `trilane video ${generation} ${server} ${number} ${size_bytes}`;

function segmentExchange(representation: Representation, path: string, body: Buffer): NewExchange {
  const { server } = representation;
  return exchange({ server, path, type: `${server}/mp4`, resourceType: "xhr", body });
}

interface VideoPage {
  readonly settings: VideoSettings;
  /** In the order in which a player may ask for them. */
  exchanges(): Generator<NewExchange>;
}

/** Makes the clips that it needs. UserError where a bitrate is below what its clip takes. */
export async function videoPage(spec: VideoSpec, clips: Clips): Promise<VideoPage> {
  const representations = await representationsOf(spec, clips);
  const settings = settingsOf(spec, representations);
  return { settings, exchanges: () => exchangesOf(spec, settings, representations) };
}

/** What its recording says of it. */
export const videoNotes = ({ settings }: VideoPage): JsonObject => {
  const { player, mode } = settings;
  return { generation, player, mode, codec: "h264", hosts: videoServers };
};

/** Whether a recording with these notes is the page as it would be made today; pictures of an earlier version may be VP9. */
export const isCurrentVideo = (notes: JsonObject): boolean =>
  notes.generation === generation && notes.player === dashVersion();

function* exchangesOf(
  spec: VideoSpec,
  settings: VideoSettings,
  representations: readonly Representation[],
): Generator<NewExchange> {
  const server = "page";
  const document = Buffer.from(documentOf(spec, settings));
  yield exchange({ server, path: "/", type: "text/html; charset=utf-8", resourceType: "document", body: document });
  yield exchange({
    server,
    path: "/dash.js",
    type: "text/javascript; charset=utf-8",
    resourceType: "script",
    body: playerBody(),
    encoding: "br",
  });
  const manifest = Buffer.from(manifestOf(settings));
  yield exchange({ server, path: "/manifest.mpd", type: "application/dash+xml", resourceType: "xhr", body: manifest });
  for (const representation of representations) {
    const { id, kbps, clip } = representation;
    yield segmentExchange(representation, `/${id}/init.mp4`, clip.initialization);
    const size_bytes = segmentBytes(kbps, spec.segment_s);
    for (const [index, fragment] of clip.media.entries()) {
      const body = paddedSegment(fragment, size_bytes, seedOf(representation, index + 1, size_bytes));
      if (!body) throw new RangeError(`segment ${index + 1} of ${id} is larger than ${size_bytes} bytes`);
      yield segmentExchange(representation, `/${id}/${index + 1}.m4s`, body);
    }
  }
}
