// Encodes a clip's pictures or sound within a page, by WebCodecs. Each function stands in the page as text: it uses nothing from
// outside itself but what it is given. Starts no browser (encode_browser.ts) and writes no file.

export interface EncodedInPage {
  readonly codec: string;
  /** What the encoder says of its output (avcC, OpusHead), base64; null: nothing. */
  readonly description: string | null;
  /** Base64. */
  readonly samples: readonly { readonly data: string; readonly isKey: boolean }[];
}

/** The result, or why there is none: no such codec, or what the encoder reports. */
export type InPage =
  | { readonly encoded: EncodedInPage }
  | { readonly missing: readonly string[] }
  | { readonly failed: string };

interface Chunk {
  readonly type: "key" | "delta";
  readonly byteLength: number;
  copyTo(bytes: Uint8Array): void;
}

interface Metadata {
  readonly decoderConfig?: { readonly description?: ArrayBuffer | ArrayBufferView };
}

interface Encoder {
  readonly encodeQueueSize: number;
  configure(settings: object): void;
  encode(data: object, options?: object): void;
  flush(): Promise<void>;
  close(): void;
  addEventListener(name: "dequeue", listener: () => void, options: { once: true }): void;
}

interface EncoderClass {
  new (handlers: { output(chunk: Chunk, metadata?: Metadata): void; error(error: Error): void }): Encoder;
  isConfigSupported(settings: object): Promise<{ readonly supported?: boolean }>;
}

/** What of a page's globals is used. The types of browsers are not there where the command line is checked. */
interface PageScope {
  readonly VideoEncoder?: EncoderClass;
  readonly AudioEncoder?: EncoderClass;
  readonly VideoFrame: new (data: Uint8Array, settings: object) => { close(): void };
  readonly AudioData: new (settings: object) => { close(): void };
  readonly MediaSource: { isTypeSupported(type: string): boolean };
}

export interface PictureJob {
  /** As a media type names it. */
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frames: number;
  /** A key frame each so many frames. */
  readonly keyEvery: number;
  readonly bitrate_bps: number;
}

export interface SoundJob {
  readonly packets: number;
  readonly bitrate_bps: number;
}

export async function encodePictures(
  job: PictureJob,
  draw: (planes: Uint8Array, width: number, height: number, number: number) => void,
): Promise<InPage> {
  const { VideoEncoder, VideoFrame, MediaSource } = globalThis as unknown as PageScope;
  const { codec, width, height, fps } = job;
  const settings = {
    codec,
    width,
    height,
    framerate: fps,
    bitrate: job.bitrate_bps,
    bitrateMode: "variable",
    // Realtime encoders may leave out frames.
    latencyMode: "quality",
    ...(codec.startsWith("avc1") ? { avc: { format: "avc" } } : {}),
  };
  const { supported } = (await VideoEncoder?.isConfigSupported(settings).catch(() => undefined)) ?? {};
  if (!VideoEncoder || !supported || !MediaSource.isTypeSupported(`video/mp4; codecs="${codec}"`))
    return { missing: [codec] };
  let failed: string | undefined;
  let description: string | null = null;
  const samples: { data: string; isKey: boolean }[] = [];
  const base64 = (bytes: Uint8Array): string => {
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return btoa(text);
  };
  const encoder = new VideoEncoder({
    output(chunk, metadata) {
      const told = metadata?.decoderConfig?.description;
      if (told)
        description ??= base64(
          ArrayBuffer.isView(told)
            ? new Uint8Array(told.buffer, told.byteOffset, told.byteLength)
            : new Uint8Array(told),
        );
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      samples.push({ data: base64(bytes), isKey: chunk.type === "key" });
    },
    error(error) {
      failed = error.message;
    },
  });
  encoder.configure(settings);
  const planes = new Uint8Array((width * height * 3) / 2);
  for (let number = 0; number < job.frames && failed === undefined; number++) {
    draw(planes, width, height, number);
    const frame = new VideoFrame(planes, {
      format: "I420",
      codedWidth: width,
      codedHeight: height,
      timestamp: Math.round((number * 1e6) / fps),
      duration: Math.round(1e6 / fps),
      colorSpace: { primaries: "bt709", transfer: "bt709", matrix: "bt709", fullRange: false },
    });
    encoder.encode(frame, { keyFrame: number % job.keyEvery === 0 });
    frame.close();
    // A few frames in the queue keep the encoder busy; more would only take memory.
    while (encoder.encodeQueueSize > 4 && failed === undefined)
      await new Promise<void>((resolve) => encoder.addEventListener("dequeue", resolve, { once: true }));
  }
  await encoder.flush().catch((error: Error) => {
    failed ??= error.message;
  });
  return failed === undefined ? { encoded: { codec, description, samples } } : { failed };
}

/** A quiet tone of 440 Hz that beeps an octave higher at the beginning of each second, in stereo at 48 kHz. */
export async function encodeSound(job: SoundJob): Promise<InPage> {
  const { AudioEncoder, AudioData, MediaSource } = globalThis as unknown as PageScope;
  const codec = "opus";
  const settings = {
    codec,
    sampleRate: 48_000,
    numberOfChannels: 2,
    bitrate: job.bitrate_bps,
    bitrateMode: "constant",
    opus: { frameDuration: 20_000 },
  };
  const { supported } = (await AudioEncoder?.isConfigSupported(settings).catch(() => undefined)) ?? {};
  if (!AudioEncoder || !supported || !MediaSource.isTypeSupported(`audio/mp4; codecs="${codec}"`))
    return { missing: [codec] };
  let failed: string | undefined;
  const samples: { data: string; isKey: boolean }[] = [];
  const encoder = new AudioEncoder({
    output(chunk) {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      samples.push({ data: btoa(String.fromCharCode(...bytes)), isKey: true });
    },
    error(error) {
      failed = error.message;
    },
  });
  encoder.configure(settings);
  const length = 960;
  for (let packet = 0; packet < job.packets && failed === undefined; packet++) {
    const data = new Float32Array(2 * length);
    for (let at = 0; at < length; at++) {
      const time_s = (packet * length + at) / 48_000;
      const value = 0.1 * Math.sin(2 * Math.PI * (time_s % 1 < 0.1 ? 880 : 440) * time_s);
      data[at] = value;
      data[length + at] = value;
    }
    const timestamp = packet * 20_000;
    const sound = new AudioData({
      format: "f32-planar",
      sampleRate: 48_000,
      numberOfFrames: length,
      numberOfChannels: 2,
      timestamp,
      data,
    });
    encoder.encode(sound);
    sound.close();
    while (encoder.encodeQueueSize > 100 && failed === undefined)
      await new Promise<void>((resolve) => encoder.addEventListener("dequeue", resolve, { once: true }));
  }
  await encoder.flush().catch((error: Error) => {
    failed ??= error.message;
  });
  return failed === undefined ? { encoded: { codec, description: null, samples } } : { failed };
}
