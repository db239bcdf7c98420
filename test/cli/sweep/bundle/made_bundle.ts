// Bundles for tests: of a made-up sweep of a recording that is there, and their members taken apart and put together again.
import { createReadStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createZstdDecompress, zstdCompressSync } from "node:zlib";
import { tarEnd, tarHeader, tarMembers, tarPadding } from "../../../../cli/base/tar.ts";
import { bundledSweeps } from "../../../../cli/instruments/all.ts";
import type { Exchange } from "../../../../cli/recording/archive/archive.ts";
import { withArchive } from "../../../../cli/recording/archive/client.ts";
import { resultsPath } from "../../../../cli/results/store/database.ts";
import { type BundleRequest, writeBundle } from "../../../../cli/sweep/bundle/write_bundle.ts";
import type { Bundled } from "../../../../schemas/generated/bundled.ts";
import { exchange as anExchange } from "../../recording/archive/example_recording.ts";
import { type Fixture, storeFixture } from "../../report/fixture.ts";
import { raceFixture } from "../../report/fixtures.ts";

export const secret = "s3cr3t-0f-th3-us3r";

const exchange = (path: string, more: Partial<Exchange> = {}): Exchange =>
  anExchange(path, { host: "shop.example.com", ...more });

/** A recording of three exchanges; with credentials one has and sets a cookie. Its digest. */
export async function storeRecording(home: string, name: string, { credentials = false } = {}): Promise<string> {
  const about = { name, url: "https://shop.example.com/", source: "test", notes: { filled: 0 }, replace: true };
  const cookie: Partial<Exchange> = credentials
    ? { request_headers: [["cookie", `id=${secret}`]], response_headers: [["set-cookie", `id=${secret}; Secure`]] }
    : {};
  const recording = await withArchive(home, (archive) =>
    archive.write(about, async (writer) => {
      await writer.add({ exchange: exchange("/", cookie), body: Buffer.from(`<!doctype html>${name}`) });
      await writer.add({ exchange: exchange("/a.css"), body: Buffer.alloc(300_000, "a { color: red }\n") });
      await writer.add({ exchange: exchange("/log", { method: "POST", status: 204 }), requestBody: Buffer.from("{}") });
    }),
  );
  return recording.digest;
}

/** A home with a race of the recording `shop`; the sweep's number. */
export async function storeRace(
  home: string,
  more: Partial<Fixture> & { credentials?: boolean } = {},
): Promise<number> {
  const { credentials = false, ...fixture } = more;
  const shop = await storeRecording(home, "shop", { credentials });
  return storeFixture(home, { ...raceFixture, digests: { shop }, ...fixture });
}

export async function bundled(
  home: string,
  sweep: number,
  out: string,
  more: Partial<BundleRequest> = {},
): Promise<Bundled> {
  const request = { home, results: resultsPath(home), sweep, out, keepCredentials: false, resultsOnly: false };
  const kinds = bundledSweeps;
  return (await writeBundle({ ...request, kinds, ...more })).bundled;
}

export interface TestMember {
  readonly name: string;
  readonly bytes: Buffer;
  /** Instead of the one that it should have. */
  readonly header?: Buffer;
}

export async function membersOf(path: string): Promise<TestMember[]> {
  const members: TestMember[] = [];
  for await (const { name, content } of tarMembers(createReadStream(path).pipe(createZstdDecompress()))) {
    const parts: Buffer[] = [];
    for await (const part of content) parts.push(Buffer.from(part));
    members.push({ name, bytes: Buffer.concat(parts) });
  }
  return members;
}

export function tarOf(members: readonly TestMember[]): Buffer {
  const parts = members.flatMap(({ name, bytes, header = tarHeader(name, bytes.length) }) => [
    header,
    bytes,
    tarPadding(bytes.length),
  ]);
  return Buffer.concat([...parts, tarEnd()]);
}

/** Writes members, or any bytes in place of their tar, as a bundle's file is. */
export function packed(folder: string, name: string, content: readonly TestMember[] | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, zstdCompressSync(Buffer.isBuffer(content) ? content : tarOf(content)));
  return path;
}
