// A clip's encoded pictures or sound, whoever encoded them, and the description that an MP4's sample entry has of them.
import { BoxError, box, fullBox, inside, readBoxes, u8, u16, u32 } from "./boxes.ts";

export interface Sample {
  readonly bytes: Uint8Array;
  /** It needs none before it. */
  readonly isKey: boolean;
}

/** All samples last equally long and are presented in the order in which they are decoded. */
export interface Track {
  readonly kind: "video" | "audio";
  /** As a media type names it (RFC 6381). */
  readonly codec: string;
  /** The whole box in `stsd`: avc1, vp09, Opus. */
  readonly entry: Buffer;
  /** Units a second of `sampleDuration`. */
  readonly timescale: number;
  readonly sampleDuration: number;
  readonly width: number;
  readonly height: number;
  readonly samples: readonly Sample[];
}

/** Of a frame; a track of pictures has so many units in a frame. */
export const sampleDuration = 512;
export const opusRate = 48_000;
export const packetDuration = opusRate / 50;

/** Of pictures (14496-12, 12.1.3); `configuration`: avcC, vpcC or av1C. */
function visualEntry(type: string, width: number, height: number, configuration: Buffer): Buffer {
  const inch = 72 * 2 ** 16;
  return box(
    type,
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(16),
    u16(width, height),
    u32(inch, inch, 0),
    u16(1),
    Buffer.alloc(32),
    u16(24, 0xffff),
    configuration,
  );
}

/** Of H.264: the encoder gave its avcC. */
export const avcEntry = (width: number, height: number, avcC: Uint8Array): Buffer =>
  visualEntry("avc1", width, height, box("avcC", avcC));

/** Of VP9, from its codec's name: vp09.PROFILE.LEVEL.DEPTH; 4:2:0, BT.709, limited range. */
export function vp9Entry(width: number, height: number, codec: string): Buffer {
  const [profile = 0, level = 0, depth = 8] = codec.split(".").slice(1).map(Number);
  const bt709 = 1;
  const configuration = fullBox("vpcC", 1, 0, u8(profile, level, (depth << 4) | (1 << 1), bt709, bt709, bt709), u16(0));
  return visualEntry("vp09", width, height, configuration);
}

/** Of Opus with two channels at 48 kHz (the Opus in ISOBMFF mapping). */
export function opusEntry(preSkip: number): Buffer {
  const dOps = box("dOps", u8(0, 2), u16(preSkip), u32(opusRate), u16(0), u8(0));
  return box("Opus", Buffer.alloc(6), u16(1), Buffer.alloc(8), u16(2, 16, 0, 0), u32(opusRate * 2 ** 16), dOps);
}

const visualFields_bytes = 78;
const hex = (value: number | undefined): string => (value ?? 0).toString(16).padStart(2, "0");
const decimal = (value: number): string => String(value).padStart(2, "0");

/** How a media type names the codec of a sample entry. BoxError for one that is not made here. */
export function codecOf(entry: Buffer): string {
  const type = readBoxes(entry)[0]?.type;
  const children = entry.subarray(8 + visualFields_bytes);
  switch (type) {
    case "avc1": {
      const [, profile, constraints, level] = inside(children, "avcC");
      return `avc1.${hex(profile)}${hex(constraints)}${hex(level)}`;
    }
    case "vp09": {
      const [, , , , profile = 0, level = 0, depth = 0] = inside(children, "vpcC");
      return `vp09.${decimal(profile)}.${decimal(level)}.${decimal(depth >> 4)}`;
    }
    case "Opus":
      return "opus";
    default:
      throw new BoxError(`sample entries of type ${type} are not known`);
  }
}
