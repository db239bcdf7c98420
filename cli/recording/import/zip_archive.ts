// The files of a zip archive (PKWARE APPNOTE 6.3: central directory, stored and deflate), within limits that hold whatever the archive says
// of itself, and zip64's larger numbers. Names are only looked up, never written to. No encryption: who meets one says so.
import { inflateRawSync } from "node:zlib";
import { UserError } from "../../base/errors.ts";

/** SECURITY.md lists these. */
const zipLimits = { files: 20_000, bytes: 500e6 } as const;

const endSignature = 0x06054b50;
const directorySignature = 0x02014b50;
const localSignature = 0x04034b50;
const end64Signature = 0x06064b50;
const locator64Signature = 0x07064b50;
const endSize = 22;
const locator64Size = 20;
/** In place of what only zip64's own fields have. */
const [elsewhere16, elsewhere32] = [0xffff, 0xffffffff];
const zip64Field = 1;
const longestComment = 65_535;
const [stored, deflated] = [0, 8];

interface Place {
  readonly offset: number;
  readonly compressed_bytes: number;
  readonly method: number;
  readonly isEncrypted: boolean;
}

export const isZip = (bytes: Buffer): boolean => bytes.length >= endSize && bytes.readUInt32LE(0) === localSignature;

function findEnd(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - endSize - longestComment);
  for (let at = bytes.length - endSize; at >= first; at--) if (bytes.readUInt32LE(at) === endSignature) return at;
  throw new UserError("is a zip that is cut off: save or copy the file again");
}

const damaged = (): UserError => new UserError("is a damaged zip: save or copy the file again");

/** Where the central directory begins, and of how many files. */
function directoryOf(bytes: Buffer, end: number): { readonly files: number; readonly directory: number } {
  const files = bytes.readUInt16LE(end + 10);
  const directory = bytes.readUInt32LE(end + 16);
  if (files !== elsewhere16 && directory !== elsewhere32) return { files, directory };
  const locator = end - locator64Size;
  if (locator < 0 || bytes.readUInt32LE(locator) !== locator64Signature) return { files, directory };
  try {
    const end64 = Number(bytes.readBigUInt64LE(locator + 8));
    if (bytes.readUInt32LE(end64) !== end64Signature) throw damaged();
    return { files: Number(bytes.readBigUInt64LE(end64 + 32)), directory: Number(bytes.readBigUInt64LE(end64 + 48)) };
  } catch (error) {
    throw error instanceof RangeError ? damaged() : error;
  }
}

/** Zip64's numbers of a file, in their order, for those that are not in its entry. */
function* numbers64(extra: Buffer): Generator<number, undefined> {
  for (let at = 0; at + 4 <= extra.length; ) {
    const size = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === zip64Field)
      for (let number = 0; number + 8 <= size; number += 8) yield Number(extra.readBigUInt64LE(at + 4 + number));
    at += 4 + size;
  }
}

export class ZipArchive {
  readonly #bytes: Buffer;
  readonly #places = new Map<string, Place>();
  #left_bytes: number;

  /** @throws UserError, without the file's name, for one that is cut off, damaged, or has too many files. */
  constructor(bytes: Buffer, limits: { files: number; bytes: number } = zipLimits) {
    this.#bytes = bytes;
    this.#left_bytes = limits.bytes;
    const { files, directory } = directoryOf(bytes, findEnd(bytes));
    if (files > limits.files) throw new UserError(`is a zip of ${files} files, and may have ${limits.files}`);
    try {
      let at = directory;
      for (let file = 0; file < files; file++) at = this.#readPlace(at);
    } catch (error) {
      if (error instanceof RangeError) throw damaged();
      throw error;
    }
  }

  #readPlace(at: number): number {
    const bytes = this.#bytes;
    if (bytes.readUInt32LE(at) !== directorySignature) throw damaged();
    const nameSize = bytes.readUInt16LE(at + 28);
    const name = bytes.toString("utf8", at + 46, at + 46 + nameSize).replaceAll("\\", "/");
    const extraSize = bytes.readUInt16LE(at + 30);
    const larger = numbers64(bytes.subarray(at + 46 + nameSize, at + 46 + nameSize + extraSize));
    const number = (value: number): number => (value === elsewhere32 ? (larger.next().value ?? value) : value);
    // The unpacked size comes first, which nothing here needs.
    number(bytes.readUInt32LE(at + 24));
    const compressed_bytes = number(bytes.readUInt32LE(at + 20));
    this.#places.set(name, {
      offset: number(bytes.readUInt32LE(at + 42)),
      compressed_bytes,
      method: bytes.readUInt16LE(at + 10),
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
    });
    return at + 46 + nameSize + extraSize + bytes.readUInt16LE(at + 32);
  }

  get names(): readonly string[] {
    return [...this.#places.keys()];
  }

  /** null: no such file. @throws UserError, without the archive's name, if it cannot be unpacked or all of them come to too much. */
  read(name: string): Buffer | null {
    const place = this.#places.get(name);
    if (!place) return null;
    if (place.isEncrypted) throw new UserError("is an encrypted zip: unpack it and import the HAR in it");
    try {
      const { offset, compressed_bytes, method } = place;
      if (this.#bytes.readUInt32LE(offset) !== localSignature) throw damaged();
      const start = offset + 30 + this.#bytes.readUInt16LE(offset + 26) + this.#bytes.readUInt16LE(offset + 28);
      const packed = this.#bytes.subarray(start, start + compressed_bytes);
      if (packed.length < compressed_bytes || (method !== stored && method !== deflated)) throw damaged();
      // Node refuses 0.
      const unpacked =
        method === stored ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, this.#left_bytes) });
      if (unpacked.length > this.#left_bytes) throw this.#tooLarge();
      this.#left_bytes -= unpacked.length;
      return unpacked;
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
        ? this.#tooLarge()
        : damaged();
    }
  }

  #tooLarge(): UserError {
    return new UserError(
      `is a zip that unpacks to more than ${zipLimits.bytes / 1e6} MB: record fewer pages into one file`,
    );
  }
}
