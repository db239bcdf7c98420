// A bundle unpacked and checked, byte for byte, before anything of it is used. It may come from anybody: what is not as `trilane bundle`
// writes it ends in one line that names the file. Writes only members that are requested, below one folder, under names that
// its manifest's schema allows; no more of them than the manifest says, and not without room for it. Does not look into members.
import { createHash, type Hash } from "node:crypto";
import { closeSync, constants, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream";
import { createZstdDecompress, constants as zlibConstants } from "node:zlib";
import type { Bundle, BundleMember } from "../../../schemas/generated/bundle.ts";
import { boundedJson, JsonTextError } from "../../base/bounded_json.ts";
import { freeBytes } from "../../base/disk_room.ts";
import { NoRoomError, UserError } from "../../base/errors.ts";
import { formatSize } from "../../base/numbers.ts";
import { explainSchemaErrors, schemaValidator } from "../../base/schema_error.ts";
import { TarError, type TarMember, tarMembers } from "../../base/tar.ts";
import { formatVersion } from "../../results/store/migrations.ts";
import { byName, limits, manifestName, readmeName, resultsName } from "./layout.ts";

export interface UnpackedBundle {
  readonly manifest: Bundle;
  /** As it lies in the bundle. */
  readonly manifestText: string;
  /** Of the file. */
  readonly sha256: string;
}

interface Unpacking {
  /** An empty folder that no one else writes to. */
  readonly folder: string;
  readonly isWanted: (member: string) => boolean;
  /** Before any member is written; may throw. */
  readonly check?: (manifest: Bundle, text: string) => void;
}

const zstdMagic = "28b52ffd";
const formatPattern = /^trilane\/bundle\/(\d{1,9})$/;
const knownFormat = 1;

/** What the bundle is not as it should be. */
class BundleError extends Error {}

const getAgain = "get the file again";

function opened(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EACCES") throw new UserError(`${path}: may not be read: have its owner allow it, or name a copy`);
    throw error;
  }
}

/** The file's size. UserError for a pipe, which could be read only once and never end, and for what does not begin as a bundle. */
function sizeOf(path: string): number {
  const file = opened(path);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new UserError(`${path}: is not a regular file: name a bundle`);
    const start = Buffer.alloc(4);
    readSync(file, start, 0, 4, 0);
    if (start.toString("hex") !== zstdMagic)
      throw new UserError(`${path}: not a bundle of \`trilane bundle\`: name one`);
    return stat.size;
  } finally {
    closeSync(file);
  }
}

/** The tar's bytes; the file's go through `hash`. Rejects for what stands behind the compressed bytes, which zstd passes over. */
async function* tarBytes(path: string, size: number, hash: Hash): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path);
  file.on("data", (piece) => hash.update(piece));
  // A frame that asks for more memory than any of ours is none.
  const zstd = createZstdDecompress({ params: { [zlibConstants.ZSTD_d_windowLogMax]: 25 } });
  for await (const piece of pipeline(file, zstd, () => {})) yield piece as Uint8Array;
  if (zstd.bytesWritten !== size) throw new BundleError(`has more behind its end: ${getAgain}`);
}

async function textOf({ name, bytes, content }: TarMember): Promise<string> {
  if (bytes > limits.text_bytes)
    throw new BundleError(
      `${name} has ${formatSize(bytes)}, more than the ${formatSize(limits.text_bytes)} that it may have: ${getAgain}`,
    );
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString("utf8");
}

function formatOf(document: unknown): number {
  const schema =
    typeof document === "object" && document !== null && "schema" in document ? document.schema : undefined;
  const format = typeof schema === "string" ? formatPattern.exec(schema)?.[1] : undefined;
  if (format === undefined) throw new BundleError("not a bundle of `trilane bundle`: name one");
  return Number(format);
}

function refuseNewer(format: number, known: number, what: string): void {
  if (format > known)
    throw new BundleError(`${what} of a newer Trilane (format ${format}, this one knows ${known}): upgrade Trilane`);
}

/** BundleError for names out of order, twice, or of which one is another's folder; for too much; and without results. */
function refuseMembers(members: readonly BundleMember[]): void {
  const sorted = members.toSorted(byName);
  const names = new Set(members.map(({ name }) => name));
  const isFolder = ({ name }: BundleMember): boolean =>
    name.split("/").some((_, index, parts) => index > 0 && names.has(parts.slice(0, index).join("/")));
  if (
    names.size !== members.length ||
    sorted.some((member, index) => member !== members[index]) ||
    members.some(isFolder)
  )
    throw new BundleError(`${manifestName} lists members twice or out of order: ${getAgain}`);
  if (!names.has(resultsName)) throw new BundleError(`has no ${resultsName}: ${getAgain}`);
  const all = members.reduce((sum, { bytes }) => sum + bytes, 0);
  if (all > limits.all_bytes || members.length > limits.members)
    throw new BundleError(
      `would unpack to ${members.length} members of ${formatSize(all)}, more than a bundle may have (${limits.members} and ${formatSize(limits.all_bytes)})`,
    );
}

function manifestOf(text: string): Bundle {
  let document: unknown;
  try {
    document = boundedJson(Buffer.from(text), limits.manifest);
  } catch (error) {
    if (error instanceof JsonTextError) throw new BundleError(`${manifestName} ${error.message}: ${getAgain}`);
    throw new BundleError(`${manifestName} is no JSON: ${getAgain}`);
  }
  refuseNewer(formatOf(document), knownFormat, "is a bundle");
  const validate = schemaValidator<Bundle>("bundle", { allowUnionTypes: true, allErrors: false });
  if (!validate(document))
    throw new BundleError(
      `${manifestName}: ${explainSchemaErrors(validate.errors ?? [], "schemas/bundle.schema.json")}`,
    );
  refuseNewer(document.results_format, formatVersion, "holds results");
  refuseMembers(document.members);
  return document;
}

/** Through the file's descriptor, which no one else can have put there. */
async function unpack({ name, bytes, content }: TarMember, sha256: string, path: string | null): Promise<void> {
  if (path !== null) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = path === null ? null : await open(path, "wx", 0o600);
  try {
    const hash = createHash("sha256");
    for await (const piece of content) {
      hash.update(piece);
      await file?.writeFile(piece);
    }
    const got = hash.digest("hex");
    if (got !== sha256)
      throw new BundleError(
        `${name} (${bytes} bytes) is not what ${manifestName} says: its SHA-256 is ${got.slice(0, 12)}, not ${sha256.slice(0, 12)}: ${getAgain}`,
      );
  } finally {
    await file?.close();
  }
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, 200));

/** The member of that name, which has to be the next one. */
async function expected(members: AsyncIterator<TarMember>, name: string): Promise<TarMember> {
  const { value, done } = await members.next();
  if (done) throw new BundleError(`has no ${name}: ${getAgain}`);
  if (value.name !== name) throw new BundleError(`has ${quoted(value.name)} where ${name} belongs: ${getAgain}`);
  return value;
}

async function unpackAll(
  members: AsyncIterator<TarMember>,
  { folder, isWanted, check }: Unpacking,
): Promise<Omit<UnpackedBundle, "sha256">> {
  await textOf(await expected(members, readmeName));
  const manifestText = await textOf(await expected(members, manifestName));
  const manifest = manifestOf(manifestText);
  check?.(manifest, manifestText);
  const needed = manifest.members.reduce((sum, { name, bytes }) => sum + (isWanted(name) ? bytes : 0), 0);
  const free = freeBytes(folder);
  if (needed > free)
    throw new NoRoomError(
      `${folder}: has room for ${formatSize(free)}, and ${formatSize(needed)} are to be unpacked: free some, or name another folder with --out`,
    );
  for (const { name, bytes, sha256 } of manifest.members) {
    const member = await expected(members, name);
    if (member.bytes !== bytes)
      throw new BundleError(`${name} has ${member.bytes} bytes, and ${manifestName} says ${bytes}: ${getAgain}`);
    await unpack(member, sha256, isWanted(name) ? join(folder, ...name.split("/")) : null);
  }
  const more = await members.next();
  if (!more.done)
    throw new BundleError(`has ${quoted(more.value.name)}, which ${manifestName} does not list: ${getAgain}`);
  return { manifest, manifestText };
}

/** Of Node's zlib: `ZSTD_error_checksum_wrong`, `Z_BUF_ERROR`. */
function isOfZstd(error: unknown): error is Error {
  return error instanceof Error && "code" in error && /^Z(?:STD)?_/.test(String(error.code));
}

function explained(error: unknown, path: string): unknown {
  if (error instanceof BundleError) return new UserError(`${path}: ${error.message}`);
  if (error instanceof TarError) return new UserError(`${path}: ${error.message}: ${getAgain}`);
  if (isOfZstd(error)) return new UserError(`${path}: is cut off or damaged (${error.message}): ${getAgain}`);
  return error;
}

/** UserError for what is no whole bundle; NoRoomError where what is wanted of it has no room. What was written is then of no use. */
export async function readBundle(path: string, unpacking: Unpacking): Promise<UnpackedBundle> {
  const size = sizeOf(path);
  const hash = createHash("sha256");
  const members = tarMembers(tarBytes(path, size, hash));
  try {
    return { ...(await unpackAll(members, unpacking)), sha256: hash.digest("hex") };
  } catch (error) {
    throw explained(error, path);
  } finally {
    await members.return(undefined);
  }
}
