// Folders of Mahimahi: one written by protobufjs from Mahimahi's own schema, and what is wrong with others.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { UserError } from "../../../../cli/base/errors.ts";
import { randomSource } from "../../../../cli/base/random.ts";
import { storeWire } from "../../../../cli/recording/import/import_wire.ts";
import { readMahimahi } from "../../../../cli/recording/import/mahimahi.ts";
import type { WireNotes } from "../../../../cli/recording/import/wire_notes.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { readOrRefused } from "../../refused.ts";
import { MemoryArchive } from "./wire_archive.ts";

const fixture = join(import.meta.dirname, "../../../fixtures/mahimahi/shop");
// More of them by hand: TRILANE_FUZZ_SEEDS=10000 takes half a minute.
const seeds = Number(process.env.TRILANE_FUZZ_SEEDS ?? 2000);
let folder: string;
beforeEach(() => {
  folder = tempFolder("trilane-mahimahi-");
});

const choice = { name: "shop", replace: false, url: undefined, document: undefined, credentials: "kept" } as const;

async function imported(path: string, url?: string): Promise<MemoryArchive> {
  const archive = new MemoryArchive();
  await storeWire(archive, await readMahimahi(path), { ...choice, url });
  return archive;
}

test("a folder becomes a recording: addresses, chunks taken off, trailers, order by the servers' clocks", async () => {
  const { about, written, notes } = await imported(fixture);
  assert.equal(about?.url, "https://www.shop.example/");
  assert.equal(about?.source, "mahimahi");
  assert.deepEqual(
    written.map(({ exchange: e }) => [e.method, e.scheme, e.host, e.port, e.path, e.address, e.status]),
    [
      ["GET", "https", "www.shop.example", 443, "/", "203.0.113.10", 200],
      ["GET", "http", "cdn.shop.example", 80, "/app.js", "198.51.100.7", 200],
      ["GET", "https", "www.shop.example", 443, "/style.css", "203.0.113.10", 200],
      ["POST", "https", "api.shop.example", 443, "/order", "203.0.113.9", 204],
      ["GET", "https", "img.shop.example", 8443, "/logo.gif?v=1", "203.0.113.77", 200],
      ["GET", "https", "intern.shop.example", 443, "/private", "198.18.0.1", 200],
    ],
  );
  const [page, script, style, order, logo, intern] = written;
  assert.match(gunzipSync(page?.body ?? "").toString(), /^<!doctype html>.*<h1>Shop<\/h1>.*<\/html>\n$/);
  assert.deepEqual(page?.exchange.response_headers.slice(-2), [
    ["set-cookie", "a=1"],
    ["set-cookie", "b=2"],
  ]);
  assert.equal(script?.body.toString(), "fetch('https://api.shop.example/order',{method:'POST',body:'{\"n\":1}'})\n");
  assert.deepEqual(script?.exchange.recorded.trailers, [["x-sum", "7"]]);
  assert.equal(style?.body.toString(), "h1 { color: red }");
  assert.equal(order?.requestBody.toString(), '{"n":1}');
  assert.equal(order?.body.length, 0);
  assert.equal(logo?.body.length, 42);
  assert.equal(logo?.exchange.recorded.cut_off, true); // its content-length says 43
  assert.equal(intern?.exchange.recorded.address_recorded, "10.1.2.3");
  const { skipped, cut_off, misencoded, misencoded_urls, bodies, addresses_mapped } = notes as WireNotes;
  assert.deepEqual(
    { skipped, cut_off, misencoded, misencoded_urls, bodies, addresses_mapped },
    {
      skipped: { "not modified": 1 },
      cut_off: 1,
      misencoded: 1,
      misencoded_urls: ["https://intern.shop.example/private"],
      bodies: { recorded: 5, empty: 1 },
      addresses_mapped: 1,
    },
  );
});

test("a folder that is none, or has a file that is none, is refused in one line that names it", async () => {
  await assert.rejects(readMahimahi(folder), /holds no file/);
  mkdirSync(join(folder, "site"));
  await assert.rejects(readMahimahi(folder), /holds folders and no recording.*site/);
  writeFileSync(join(folder, "a.har.gz"), "");
  await assert.rejects(readMahimahi(folder), /name a file in it.*a\.har\.gz/);
  cpSync(fixture, folder, { recursive: true });
  const page = readFileSync(join(fixture, "save.zW8a01"));
  for (const [bytes, what] of [
    [Buffer.alloc(0), /save\.bad: holds no request and response/],
    [Buffer.from("<html>"), /save\.bad: .*is no recording of Mahimahi's/],
    [page.subarray(0, 100), /save\.bad: is cut off at byte 100/],
    [page.subarray(0, -1), /save\.bad: is cut off/],
  ] as const) {
    writeFileSync(join(folder, "save.bad"), bytes);
    await assert.rejects(readMahimahi(folder), (error) => error instanceof UserError && what.test(error.message));
  }
});

/** A protobuf by hand: a field's number, and its bytes, text or number. */
function message(...fields: readonly (readonly [number, Buffer | string | number])[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === "number") return Buffer.from([number * 8, (value & 0x7f) | 0x80, value >> 7]);
      const bytes = Buffer.from(value);
      return Buffer.concat([Buffer.from([number * 8 + 2, (bytes.length & 0x7f) | 0x80, bytes.length >> 7]), bytes]);
    }),
  );
}

const header = (name: string, value: Buffer | string): readonly [number, Buffer] => [2, message([1, name], [2, value])];

function saved(
  host: Buffer | string,
  target: string,
  ...response: readonly (readonly [number, Buffer | string])[]
): Buffer {
  const request = message([1, `GET ${target} HTTP/1.1`], header("Host", host));
  return message([1, "2001:db8::5"], [2, 443], [3, 2], [4, request], [5, message(...response)]);
}

test("names of any script, IPv6, no body, and headers that HTTP does not allow", async () => {
  const html = header("Content-Type", "text/html");
  const names = ["bücher.example", "日本語.example", "BÜCHER.example:444"];
  for (const [index, name] of names.entries())
    writeFileSync(join(folder, `save.${index}`), saved(name, `/${index}`, [1, "HTTP/1.1 200 OK"], html, [3, ""]));
  // Of one byte a letter, and with a control character and an empty name in its headers.
  const odd = [header("X-Odd", "a\u0001b"), header("", "x"), header("X-Bytes", Buffer.from([0xe9])), html] as const;
  writeFileSync(
    join(folder, "save.3"),
    saved(Buffer.from("b\xfccher.example", "latin1"), "/ä ö", [1, "HTTP/1.1 200"], ...odd, [3, "x"]),
  );
  const { written, notes } = await imported(folder, "https://bücher.example/0");
  assert.deepEqual(
    written.map(({ exchange: e, body }) => [e.host, e.port, e.path, e.address, e.body_origin, body.length]),
    [
      ["xn--bcher-kva.example", 443, "/0", "2001:db8::5", "recorded", 0],
      ["xn--wgv71a119e.example", 443, "/1", "2001:db8::5", "recorded", 0],
      ["xn--bcher-kva.example", 444, "/2", "2001:db8::5", "recorded", 0],
      ["xn--bcher-kva.example", 443, "/%C3%A4%20%C3%B6", "2001:db8::5", "recorded", 1],
    ],
  );
  assert.deepEqual(written[3]?.exchange.response_headers, [
    ["x-bytes", "é"],
    ["content-type", "text/html"],
  ]);
  assert.equal((notes as WireNotes).illegal_headers, 2);
  assert.deepEqual(written[3]?.exchange.recorded.unsent_headers, [
    ["x-odd", "a\u0001b"],
    ["", "x"],
  ]);
  assert.deepEqual((notes as WireNotes).bodies, { recorded: 1, empty: 3 });

  for (const target of ["no-slash", "/x"])
    await assert.rejects(async () => {
      writeFileSync(join(folder, "save.4"), saved("a b/c", target, [1, "HTTP/1.1 200 OK"]));
      await readMahimahi(folder);
    }, /save\.4: has no host, or a request for what is no URL/);
  const many = Array.from({ length: 300 }, () => header("X", "y".repeat(4000)));
  writeFileSync(join(folder, "save.4"), saved("a.example", "/", [1, "HTTP/1.1 200 OK"]));
  assert.equal((await readMahimahi(folder)).exchanges.length, 5);
  const long = Buffer.concat([message([1, "HTTP/1.1 200 OK"]), ...many.map(([, bytes]) => message([2, bytes]))]);
  const size = Buffer.from([
    5 * 8 + 2,
    (long.length & 0x7f) | 0x80,
    ((long.length >> 7) & 0x7f) | 0x80,
    long.length >> 14,
  ]);
  const request = message([4, message([1, "GET / HTTP/1.1"], header("Host", "a.example"))]);
  writeFileSync(join(folder, "save.4"), Buffer.concat([request, size, long]));
  await assert.rejects(readMahimahi(folder), /save\.4: has headers of over 1048576 bytes/);
});

test("a file that is cut off anywhere is refused", async () => {
  const page = readFileSync(join(fixture, "save.zW8a01"));
  for (let size = 0; size < page.length; size++) {
    writeFileSync(join(folder, "save.x"), page.subarray(0, size));
    await assert.rejects(imported(folder, "https://www.shop.example/"), UserError, `${size} bytes`);
  }
});

test("a mutated file is imported or refused, and never anything else", async () => {
  const files = ["save.zW8a01", "save.Aa11bb", "save.m4rT5x", "save.10.1.1"].map((name) =>
    readFileSync(join(fixture, name)),
  );
  const { taken, refused } = await readOrRefused(seeds, (seed) => {
    const random = randomSource(seed, "mahimahi");
    const below = (limit: number) => Math.floor(random() * limit);
    let bytes: Buffer = Buffer.from(files[seed % files.length] ?? "");
    for (let change = 0; change <= seed % 3; change++) {
      const at = below(bytes.length);
      const kind = below(3) > 0 ? 0 : 1 + below(3);
      if (kind === 0) bytes[at] = below(256);
      if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(8))]);
      if (kind === 2)
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(1 + below(8), below(256)), bytes.subarray(at)]);
      if (kind === 3 && seed % 5 === 0) bytes = bytes.subarray(0, at + 1);
    }
    writeFileSync(join(folder, "save.x"), bytes);
    return imported(folder, "https://www.shop.example/");
  });
  assert.ok(taken > seeds / 10 && refused > seeds / 10, `${taken} taken, ${refused} refused`);
});
