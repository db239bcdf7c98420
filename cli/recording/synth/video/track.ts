// A clip's encoded pictures or sound, and how an MP4's sample entry names their codec.
import { BoxError, inside, readBoxes } from "./boxes.ts";

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
  /** The whole box in `stsd`: avc1, Opus. */
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

const visualFields_bytes = 78;
const hex = (value: number | undefined): string => (value ?? 0).toString(16).padStart(2, "0");

/** How a media type names the codec of a sample entry. BoxError for one that is not made here. */
export function codecOf(entry: Buffer): string {
  const type = readBoxes(entry)[0]?.type;
  const children = entry.subarray(8 + visualFields_bytes);
  switch (type) {
    case "avc1": {
      const [, profile, constraints, level] = inside(children, "avcC");
      return `avc1.${hex(profile)}${hex(constraints)}${hex(level)}`;
    }
    case "Opus":
      return "opus";
    default:
      throw new BoxError(`sample entries of type ${type} are not known`);
  }
}
