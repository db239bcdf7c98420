// Files to a zip archive (PKWARE APPNOTE 6.3: local headers, central directory, deflate), the same bytes for the same
// files: sorted by name, with one fixed date. No zip64, no encryption: each file and the whole stay far below 4 GB.
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipFile {
  /** With slashes, relative to the archive's root. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

// 1980-01-01 00:00, the first date that a zip archive can tell.
const dosTime = 0;
const dosDate = (1 << 5) | 1;
const version = 20;
const utf8Names = 0x0800;
const deflated = 8;

/** The archive's bytes. */
export function zip(files: readonly ZipFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const nameBytes = Buffer.from(name, "utf8");
    const data = deflateRawSync(bytes, { level: 9 });
    // What local header and directory entry have in common.
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(version, 0);
    facts.writeUInt16LE(utf8Names, 2);
    facts.writeUInt16LE(deflated, 4);
    facts.writeUInt16LE(dosTime, 6);
    facts.writeUInt16LE(dosDate, 8);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(data.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), facts, nameBytes, data]);
    // Comment length, disk, attributes inside, attributes outside, where the local header is.
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([version, 0]);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02", "latin1"), madeBy, facts, tail, nameBytes]));
    parts.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, entries, end]);
}
