// A track as fragmented MP4 (ISO/IEC 14496-12, 8.8): an initialization segment, then for each segment a movie fragment and
// its data; reads such a file back, strictly; and brings a segment to an exact size with a `free` box in front, which no
// player shows, so that a segment's bytes are its bitrate's whatever its pictures need.

import { seededBytes } from "../../fill/seeded.ts";
import {
  type Box,
  BoxError,
  box,
  fullBox,
  inside,
  only,
  readBoxes,
  smallestBox_bytes,
  u16,
  u32,
  u64,
} from "./boxes.ts";
import { codecOf, type Sample, type Track } from "./track.ts";

const trackId = 1;
const keyFlags = 0x0200_0000;
const otherFlags = 0x0101_0000;
/** trun: data offset, and of each sample size and flags. */
const runFlags = 0x0000_0601;
/** tfhd: default duration; offsets count from the moof box. */
const headerFlags = 0x0002_0008;
/** 1, 0, 0, 0, 1, 0, 0, 0, 1: as it is. */
const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000);

function mediaInformation({ kind, entry }: Track): Buffer {
  const header = kind === "video" ? fullBox("vmhd", 0, 1, Buffer.alloc(8)) : fullBox("smhd", 0, 0, Buffer.alloc(4));
  const none = u32(0);
  return box(
    "minf",
    header,
    box("dinf", fullBox("dref", 0, 0, u32(1), fullBox("url ", 0, 1))),
    box(
      "stbl",
      fullBox("stsd", 0, 0, u32(1), entry),
      fullBox("stts", 0, 0, none),
      fullBox("stsc", 0, 0, none),
      fullBox("stsz", 0, 0, u32(0, 0)),
      fullBox("stco", 0, 0, none),
    ),
  );
}

function initializationSegment(track: Track): Buffer {
  const { kind, timescale, sampleDuration, samples, width, height } = track;
  const duration = sampleDuration * samples.length;
  const volume = kind === "audio" ? 0x100 : 0;
  const undetermined = 0x55c4;
  const name = Buffer.from("\0", "latin1");
  return Buffer.concat([
    box("ftyp", Buffer.from("iso6", "latin1"), u32(0), Buffer.from("iso6cmfcdash", "latin1")),
    box(
      "moov",
      fullBox(
        "mvhd",
        0,
        0,
        u32(0, 0, timescale, 0, 0x10000),
        u16(0x100, 0),
        u32(0, 0),
        matrix,
        Buffer.alloc(24),
        u32(trackId + 1),
      ),
      box(
        "trak",
        fullBox(
          "tkhd",
          0,
          3,
          u32(0, 0, trackId, 0, 0, 0, 0),
          u16(0, 0, volume, 0),
          matrix,
          u32(width * 65536, height * 65536),
        ),
        box(
          "mdia",
          fullBox("mdhd", 0, 0, u32(0, 0, timescale, 0), u16(undetermined, 0)),
          fullBox("hdlr", 0, 0, u32(0), Buffer.from(kind === "video" ? "vide" : "soun", "latin1"), u32(0, 0, 0), name),
          mediaInformation(track),
        ),
      ),
      box("mvex", fullBox("mehd", 1, 0, u64(duration)), fullBox("trex", 0, 0, u32(trackId, 1, sampleDuration, 0, 0))),
    ),
  ]);
}

/** Samples `from` to before `to`; the segment's `number` from 1. */
function mediaSegment(track: Track, number: number, from: number, to: number): Buffer {
  const samples = track.samples.slice(from, to);
  const movieFragment = (dataOffset: number): Buffer =>
    box(
      "moof",
      fullBox("mfhd", 0, 0, u32(number)),
      box(
        "traf",
        fullBox("tfhd", 0, headerFlags, u32(trackId, track.sampleDuration)),
        fullBox("tfdt", 1, 0, u64(from * track.sampleDuration)),
        fullBox(
          "trun",
          0,
          runFlags,
          u32(
            samples.length,
            dataOffset,
            ...samples.flatMap(({ bytes, isKey }) => [bytes.length, isKey ? keyFlags : otherFlags]),
          ),
        ),
      ),
    );
  const fragment = movieFragment(movieFragment(0).length + smallestBox_bytes);
  return Buffer.concat([fragment, box("mdat", ...samples.map(({ bytes }) => bytes))]);
}

export interface Segments {
  readonly initialization: Buffer;
  /** A movie fragment and its data each. */
  readonly media: readonly Buffer[];
}

/** The track in so many segments of equal length, each of which begins with a key sample. */
export function segmentsOfTrack(track: Track, count: number): Segments {
  const each = track.samples.length / count;
  if (!Number.isInteger(each)) throw new RangeError(`${track.samples.length} samples are not ${count} equal segments`);
  const media = Array.from({ length: count }, (_, index) => {
    if (!track.samples[index * each]?.isKey)
      throw new RangeError(`segment ${index + 1} does not begin with a key sample`);
    return mediaSegment(track, index + 1, index * each, (index + 1) * each);
  });
  return { initialization: initializationSegment(track), media };
}

const segmentType = box("styp", Buffer.from("msdh", "latin1"), u32(0), Buffer.from("msdhcmfs", "latin1"));
/** What a segment has at least besides its fragment. */
export const framing_bytes = segmentType.length + smallestBox_bytes;

/** A fragment brought to `size_bytes`; null: it has more, or leaves no room for a box. */
export function paddedSegment(fragment: Buffer, size_bytes: number, seed: string): Buffer | null {
  const left = size_bytes - fragment.length - framing_bytes;
  if (left < 0) return null;
  return Buffer.concat([segmentType, box("free", seededBytes(seed, left)), fragment], size_bytes);
}

/** A file of an initialization segment and `count` fragments, taken apart. BoxError where it is another. */
export function readSegments(file: Buffer, count: number): Segments {
  const boxes = readBoxes(file);
  const types = boxes.map(({ type }) => type).join(" ");
  const expected = ["ftyp", "moov", ...Array.from({ length: count }, () => "moof mdat")].join(" ");
  if (types !== expected) throw new BoxError(`not ${count} segments: ${types.slice(0, 80)}`);
  const bytesAt = (place: number): Buffer => (boxes[place] as Box).bytes;
  return {
    initialization: Buffer.concat([bytesAt(0), bytesAt(1)]),
    media: Array.from({ length: count }, (_, index) => Buffer.concat([bytesAt(2 + 2 * index), bytesAt(3 + 2 * index)])),
  };
}

interface Run {
  readonly baseTime: number;
  readonly sampleDuration: number;
  readonly samples: readonly Sample[];
}

const hasFlag = (flags: number, flag: number): boolean => (flags & flag) !== 0;

/** Defaults of the track (trex) and of the fragment (tfhd): duration, size and flags. */
interface Defaults {
  readonly duration: number;
  readonly size: number;
  readonly flags: number;
}

function fragmentDefaults(tfhd: Buffer, track: Defaults): Defaults {
  const flags = tfhd.readUInt32BE(0) & 0xff_ffff;
  if (!hasFlag(flags, 0x2_0000)) throw new BoxError("tfhd does not count from its moof");
  let at = 8 + (hasFlag(flags, 1) ? 8 : 0) + (hasFlag(flags, 2) ? 4 : 0);
  const next = (flag: number, otherwise: number): number => {
    if (!hasFlag(flags, flag)) return otherwise;
    at += 4;
    return tfhd.readUInt32BE(at - 4);
  };
  return { duration: next(8, track.duration), size: next(16, track.size), flags: next(32, track.flags) };
}

function samplesOfRun(trun: Buffer, defaults: Defaults, fragment: Buffer): Sample[] {
  const flags = trun.readUInt32BE(0) & 0xff_ffff;
  const count = trun.readUInt32BE(4);
  if (!hasFlag(flags, 1)) throw new BoxError("trun has no data offset");
  let data = trun.readInt32BE(8);
  let at = 12;
  const next = (flag: number, otherwise: number): number => {
    if (!hasFlag(flags, flag)) return otherwise;
    at += 4;
    return trun.readUInt32BE(at - 4);
  };
  const first = next(4, -1);
  const samples: Sample[] = [];
  for (let place = 0; place < count; place++) {
    if (next(0x100, defaults.duration) !== defaults.duration) throw new BoxError("samples of different lengths");
    const size = next(0x200, defaults.size);
    const sampleFlags = next(0x400, place === 0 && first >= 0 ? first : defaults.flags);
    if (next(0x800, 0) !== 0) throw new BoxError("samples are not presented in the order of decoding");
    if (data + size > fragment.length) throw new BoxError("a sample ends behind its fragment");
    samples.push({ bytes: fragment.subarray(data, data + size), isKey: !hasFlag(sampleFlags, 0x1_0000) });
    data += size;
  }
  if (at !== trun.length) throw new BoxError(`trun has ${trun.length} bytes, not ${at}`);
  return samples;
}

function readRun(fragment: Buffer, track: Defaults): Run {
  const traf = inside(fragment, "moof", "traf");
  const boxes = readBoxes(traf);
  const defaults = fragmentDefaults(only(boxes, "tfhd").content, track);
  const tfdt = only(boxes, "tfdt").content;
  const baseTime = tfdt.readUInt8(0) === 1 ? Number(tfdt.readBigUInt64BE(4)) : tfdt.readUInt32BE(4);
  const samples = samplesOfRun(only(boxes, "trun").content, defaults, fragment);
  return { baseTime, sampleDuration: defaults.duration, samples };
}

/** The track that segments hold, in one run of one track in each. BoxError where they hold another. */
export function trackOf({ initialization, media }: Segments): Track {
  const moov = inside(initialization, "moov");
  const mdia = inside(moov, "trak", "mdia");
  const timescale = inside(mdia, "mdhd").readUInt32BE(12);
  const kind = inside(mdia, "hdlr").toString("latin1", 8, 12) === "vide" ? "video" : "audio";
  const entry = readBoxes(inside(mdia, "minf", "stbl", "stsd").subarray(8))[0]?.bytes;
  const tkhd = inside(moov, "trak", "tkhd");
  const trex = inside(moov, "mvex", "trex");
  if (!entry || tkhd.readUInt8(0) !== 0) throw new BoxError("the track is not described");
  const defaults = { duration: trex.readUInt32BE(12), size: trex.readUInt32BE(16), flags: trex.readUInt32BE(20) };
  const runs = media.map((fragment) => readRun(fragment, defaults));
  const sampleDuration = runs[0]?.sampleDuration ?? defaults.duration;
  let time = 0;
  for (const { baseTime, samples, sampleDuration: itsDuration } of runs) {
    if (itsDuration !== sampleDuration) throw new BoxError("fragments with samples of different lengths");
    if (baseTime !== time) throw new BoxError(`a fragment begins at ${baseTime}, not ${time}`);
    time += samples.length * sampleDuration;
  }
  const [width, height] = [tkhd.readUInt32BE(76) / 65536, tkhd.readUInt32BE(80) / 65536];
  return {
    kind,
    codec: codecOf(entry),
    entry,
    timescale,
    sampleDuration,
    width,
    height,
    samples: runs.flatMap(({ samples }) => samples),
  };
}
