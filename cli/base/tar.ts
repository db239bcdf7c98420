// Tar, of POSIX.1-1988's ustar format the part that a bundle needs: regular files, with nothing of who wrote them or when. The
// reader takes no more than the writer makes. A symlink, a device, a folder, an extended header (which other readers hold in memory,
// however large it says it is) or a byte too many is an error with a name, so whoever unpacks has none of them to think about.
// Looks at no file system.

const block_bytes = 512;
/** What eleven octal digits can say. */
export const largestMember_bytes = 8 ** 11 - 1;
const longestName = 100;
const longestPrefix = 155;

/** What a tar is not as it should be, in words that follow a file's name. */
export class TarError extends Error {}

/** It ends too early. */
export class CutOffError extends TarError {
  constructor() {
    super("is cut off");
  }
}

/** In front of a member's bytes. Names are ASCII, with slashes. RangeError for one, or a size, that ustar cannot hold. */
export function tarHeader(name: string, bytes: number): Buffer {
  const [prefix, rest] = splitName(name);
  if (bytes > largestMember_bytes) throw new RangeError(`${name}: ${bytes} bytes are too many for a tar`);
  const header = Buffer.alloc(block_bytes);
  header.write(rest, 0, "latin1");
  // Permissions, owner, group.
  header.write("0000644\0", 100, "latin1");
  header.write("0000000\0", 108, "latin1");
  header.write("0000000\0", 116, "latin1");
  header.write(`${octal(bytes, 11)}\0`, 124, "latin1");
  // The beginning of 1970, so that the same files are the same bytes.
  header.write("00000000000\0", 136, "latin1");
  header.write("0", 156, "latin1");
  header.write("ustar\u000000", 257, "latin1");
  header.write("0000000\0", 329, "latin1");
  header.write("0000000\0", 337, "latin1");
  header.write(prefix, 345, "latin1");
  header.write(`${octal(checksum(header), 6)}\0 `, 148, "latin1");
  return header;
}

/** Behind a member's bytes. */
export const tarPadding = (bytes: number): Buffer => Buffer.alloc(-bytes & (block_bytes - 1));

/** Behind the last member. */
export const tarEnd = (): Buffer => Buffer.alloc(2 * block_bytes);

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");

function splitName(name: string): [prefix: string, rest: string] {
  if (name.length <= longestName) return ["", name];
  const slash = name.indexOf("/", name.length - longestName - 1);
  if (slash < 1 || slash > longestPrefix) throw new RangeError(`${name}: too long a name for a tar`);
  return [name.slice(0, slash), name.slice(slash + 1)];
}

/** The sum of a header's bytes, with spaces in place of the sum itself. */
function checksum(header: Buffer): number {
  let sum = 8 * 0x20;
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte;
  return sum;
}

export interface TarMember {
  readonly name: string;
  readonly bytes: number;
  /** Its bytes, once. What is not read of them is passed over when the next member is read. */
  readonly content: AsyncIterable<Buffer>;
}

/** Bytes as they come, and as they are wanted. */
class Pieces {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #left: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** At least one byte and at most so many; null at the end. */
  async some(most: number): Promise<Buffer | null> {
    while (this.#left.length === 0) {
      const { value, done } = await this.#chunks.next();
      if (done) return null;
      this.#left = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const piece = this.#left.subarray(0, most);
    this.#left = this.#left.subarray(piece.length);
    return piece;
  }

  /** As `some`; CutOffError at the end. */
  async more(most: number): Promise<Buffer> {
    const piece = await this.some(most);
    if (piece === null) throw new CutOffError();
    return piece;
  }

  /** For a few bytes only: they are held together. */
  async exactly(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = bytes; missing > 0; missing -= parts.at(-1)?.length ?? 0) parts.push(await this.more(missing));
    return Buffer.concat(parts);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/** Types of members that other tars have (POSIX pax, GNU tar), in words. */
const otherTypes: Readonly<Record<string, string>> = {
  "1": "a hard link",
  "2": "a symlink",
  "3": "a device",
  "4": "a device",
  "5": "a folder",
  "6": "a pipe",
  g: "an extended header",
  x: "an extended header",
  K: "an extended header",
  L: "an extended header",
};

function textOf(header: Buffer, from: number, length: number): string {
  const field = header.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.toString("latin1", 0, end < 0 ? length : end);
}

function numberOf(header: Buffer, from: number, length: number): number {
  const text = textOf(header, from, length).trim();
  if (!/^[0-7]+$/.test(text)) throw new TarError("has a damaged header");
  return Number.parseInt(text, 8);
}

function memberOf(header: Buffer): { name: string; bytes: number } {
  if (header.toString("latin1", 257, 263) !== "ustar\0") throw new TarError("holds what is no tar of ours");
  if (numberOf(header, 148, 8) !== checksum(header)) throw new TarError("has a damaged header");
  const [prefix, rest] = [textOf(header, 345, longestPrefix), textOf(header, 0, longestName)];
  const name = prefix === "" ? rest : `${prefix}/${rest}`;
  const type = textOf(header, 156, 1);
  if (type !== "0") throw new TarError(`holds ${otherTypes[type] ?? "no regular file"}: ${JSON.stringify(name)}`);
  return { name, bytes: numberOf(header, 124, 12) };
}

const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

/** The members in their order. Rejects with a TarError at the first byte that `tarHeader` and its like would not have written. */
export async function* tarMembers(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember> {
  const pieces = new Pieces(chunks);
  try {
    for (;;) {
      const header = await pieces.exactly(block_bytes);
      if (isZero(header)) break;
      const { name, bytes } = memberOf(header);
      let missing = bytes;
      const next = async (): Promise<Buffer> => {
        const piece = await pieces.more(missing);
        missing -= piece.length;
        return piece;
      };
      const content = (async function* () {
        while (missing > 0) yield await next();
      })();
      yield { name, bytes, content };
      while (missing > 0) await next();
      if (!isZero(await pieces.exactly(tarPadding(bytes).length))) throw new TarError("has a damaged header");
    }
    if (!isZero(await pieces.exactly(block_bytes))) throw new TarError("has a damaged header");
    if ((await pieces.some(1)) !== null) throw new TarError("has more behind its end");
  } finally {
    await pieces.close();
  }
}
