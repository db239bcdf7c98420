// A recording as Mahimahi's mm-webreplay reads it: a folder with a protobuf `RequestResponse` for each exchange. What it
// cannot hold is counted: an IPv6 address is replaced, and protocols, timings and certificates are left out.
import { type FileHandle, mkdir, mkdtemp, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { basename, dirname, join } from "node:path";
import { RunError, UserError } from "../../base/errors.ts";
import type { ArchivedExchange, Header } from "../archive/archive.ts";
import { type RecordingSource, requestHeaders, requestLine, responseHeaders, statusLine } from "./recording_source.ts";

interface MahimahiExport {
  readonly exchanges: number;
  /** IPv6 addresses that were replaced by one of 198.19.0.0/16 each. */
  readonly addresses_replaced: number;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const numberField = (number: number, value: number): Buffer => Buffer.concat([varint(number * 8), varint(value)]);

/** What stands before `size` bytes of a field. */
const fieldHead = (number: number, size: number): Buffer => Buffer.concat([varint(number * 8 + 2), varint(size)]);

function bytesField(number: number, bytes: Buffer | string): Buffer {
  const content = Buffer.from(bytes);
  return Buffer.concat([fieldHead(number, content.length), content]);
}

/** An HTTPMessage up to where its body's bytes begin. */
function messageStart(firstLine: string, headers: readonly Header[], body_bytes: number): Buffer {
  return Buffer.concat([
    bytesField(1, firstLine),
    ...headers.map(([name, value]) => bytesField(2, Buffer.concat([bytesField(1, name), bytesField(2, value)]))),
    fieldHead(3, body_bytes),
  ]);
}

/** Mahimahi's addresses are IPv4. */
class Addresses {
  readonly #given = new Map<string, string>();

  of(address: string): string {
    if (!isIPv6(address)) return address;
    const known = this.#given.get(address);
    if (known) return known;
    const number = this.#given.size;
    const given = `198.19.${Math.floor(number / 254) % 256}.${(number % 254) + 1}`;
    this.#given.set(address, given);
    return given;
  }

  get replaced(): number {
    return this.#given.size;
  }
}

async function writeExchange(
  file: FileHandle,
  source: RecordingSource,
  exchange: ArchivedExchange,
  address: string,
): Promise<void> {
  const request_bytes = await source.requestBody_bytes(exchange);
  const request = messageStart(requestLine(exchange), requestHeaders(exchange, request_bytes), request_bytes);
  const response = messageStart(statusLine(exchange), responseHeaders(exchange), exchange.body_size);
  const head = [
    bytesField(1, address),
    numberField(2, exchange.port),
    numberField(3, exchange.scheme === "https" ? 2 : 1),
  ];
  await file.writeFile(Buffer.concat([...head, fieldHead(4, request.length + request_bytes), request]));
  for await (const piece of source.requestBody(exchange)) await file.writeFile(piece);
  await file.writeFile(Buffer.concat([fieldHead(5, response.length + exchange.body_size), response]));
  for await (const piece of source.responseBody(exchange)) await file.writeFile(piece);
}

/** A folder for the export to take the place of: one that is not there, or empty. */
async function mustBeFree(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    if (error.code === "ENOTDIR") throw new UserError(`${folder}: is a file: name a folder for Mahimahi's files`);
    throw error;
  });
  if (entries && entries.length > 0) throw new UserError(`${folder}: is not empty: name another folder, or remove it`);
  if (entries) await rmdir(folder);
}

/** Writes the folder whole or not at all. UserError where it is there and not empty. */
export async function exportMahimahi(source: RecordingSource, folder: string): Promise<MahimahiExport> {
  const addresses = new Addresses();
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true });
  await mustBeFree(folder);
  const aside = await mkdtemp(join(parent, `.${basename(folder)}.`));
  try {
    for (const exchange of source.exchanges) {
      const file = await open(join(aside, `save.${String(exchange.seq).padStart(6, "0")}`), "wx", 0o666);
      try {
        await writeExchange(file, source, exchange, addresses.of(exchange.address));
      } finally {
        await file.close();
      }
    }
    await rename(aside, folder);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    if (error instanceof Error && "code" in error && error.code === "ENOSPC")
      throw new RunError(`${folder}: no space left: free some, or name another folder`);
    throw error;
  }
  return { exchanges: source.exchanges.length, addresses_replaced: addresses.replaced };
}
