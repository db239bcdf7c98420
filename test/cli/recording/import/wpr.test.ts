// Web Page Replay archives: one written by Go's net/http and encoding/json, as its own recorder writes them, and what is
// wrong with others.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { UserError } from "../../../../cli/base/errors.ts";
import { randomSource } from "../../../../cli/base/random.ts";
import { storeWire } from "../../../../cli/recording/import/import_wire.ts";
import { Spool } from "../../../../cli/recording/import/spool.ts";
import type { WireNotes } from "../../../../cli/recording/import/wire_notes.ts";
import { readWpr } from "../../../../cli/recording/import/wpr.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { readOrRefused } from "../../refused.ts";
import { MemoryArchive } from "./wire_archive.ts";

const fixture = join(import.meta.dirname, "../../../fixtures/wpr/shop.wprgo");
const whole = readFileSync(fixture);
const json = gunzipSync(whole).toString();
// More of them by hand: TRILANE_FUZZ_SEEDS=10000 takes two minutes.
const seeds = Number(process.env.TRILANE_FUZZ_SEEDS ?? 1000);
let folder: string;
beforeEach(() => {
  folder = tempFolder("trilane-wpr-");
});

async function imported(path: string, url?: string): Promise<MemoryArchive> {
  const archive = new MemoryArchive();
  await Spool.with(async (spool) =>
    storeWire(archive, await readWpr(path, "shop.wprgo", spool), {
      name: "shop",
      replace: false,
      url,
      document: undefined,
    }),
  );
  return archive;
}

test("an archive becomes a recording: from the redirect on, duplicates in order, names of certificates", async () => {
  const { about, written, notes } = await imported(fixture);
  assert.equal(about?.url, "https://shop.example/");
  assert.deepEqual(
    written.map(({ exchange: e, body }) => [e.method, `${e.scheme}://${e.host}${e.path}`, e.status, body.length]),
    [
      ["GET", "https://shop.example/", 301, 0],
      ["GET", "https://www.shop.example/?a=1&b=%3Cx%3E", 200, 114],
      ["GET", "https://img.shop.example/logo.gif", 200, 21_000],
      ["GET", "https://www.shop.example/app.js", 200, 15],
      ["POST", "https://www.shop.example/order", 204, 0],
      ["GET", "http://plain.shop.example/x", 200, 5],
      ["GET", "https://www.shop.example/app.js", 200, 17],
    ],
  );
  const [, page, , script, order, , second] = written;
  assert.match(gunzipSync(page?.body ?? "").toString(), /^<!doctype html>.*script>\n$/);
  assert.deepEqual(page?.exchange.recorded.tls, {
    version: null,
    names: ["www.shop.example", "*.shop.example"],
    issuer: "Web Page Replay Root",
    chain_bytes: null,
  });
  assert.equal(page?.exchange.recorded.protocol, "h2");
  assert.equal(script?.body.toString(), "fetch('/order')");
  assert.equal(second?.body.toString(), "// the second one");
  assert.equal(order?.requestBody.toString(), '{"n":1}');
  assert.deepEqual((notes as WireNotes).failed_urls, ["https://www.shop.example/gone"]);
  assert.equal((notes as WireNotes).misencoded, 0);
});

test("what is no archive, or a damaged one, is refused in one line that names it", async () => {
  const path = join(folder, "bad.wprgo");
  for (const [bytes, what] of [
    [Buffer.alloc(0), /cut off after byte 0/],
    [whole.subarray(0, 1000), /gzip is cut off/],
    [Buffer.concat([whole.subarray(0, -8), Buffer.alloc(8)]), /gzip is damaged/], // its checksum
    [gzipSync(json.slice(0, 3000)), /cut off after byte 3000/],
    [gzipSync("{}"), /no Requests/],
    [gzipSync('{"log":{"entries":[]}}'), /no Requests/],
    [gzipSync("[".repeat(100_000)), /no Web Page Replay archive/],
    [gzipSync(`{"x":${"[".repeat(100_000)}`), /too many levels/],
    [gzipSync(`${json}{}`), /more after the end/],
    [gzipSync(json.replace('"SerializedRequest":"R0VU', '"SerializedRequest":"R0V*')), /no base64/],
    [gzipSync(json.replace('"SerializedRequest":"R0VU', '"SerializedRequest":"R0V')), /no base64|request/],
  ] as const) {
    writeFileSync(path, bytes);
    await assert.rejects(
      imported(path),
      (error) => error instanceof UserError && error.message.startsWith("shop.wprgo: ") && what.test(error.message),
      String(what),
    );
  }
  // Not zipped at all, and members that it does not know: taken.
  writeFileSync(path, json.replace("{", '{"Metadata":{"a":[1,null,true,"\\u00fc"]},'));
  assert.equal((await imported(path)).written.length, 7);
});

test("an archive that is cut off anywhere is refused, zipped or not", async () => {
  const path = join(folder, "cut.wprgo");
  const cuts = Math.min(200, 2 * seeds);
  for (const bytes of [whole, Buffer.from(json)])
    for (let size = 0; size < bytes.length - 2; size += 1 + Math.floor(bytes.length / cuts)) {
      writeFileSync(path, bytes.subarray(0, size));
      await assert.rejects(imported(path), UserError, `${size} bytes`);
    }
});

test("a mutated archive is imported or refused, and never anything else", async () => {
  const path = join(folder, "x.wprgo");
  const { taken, refused } = await readOrRefused(seeds, (seed) => {
    const random = randomSource(seed, "wpr");
    const below = (limit: number) => Math.floor(random() * limit);
    // Within the JSON, within a message, or within the zipped bytes.
    let text = json;
    const flip = (bytes: Buffer): Buffer => {
      bytes[below(bytes.length)] = below(256);
      return bytes;
    };
    const kind = seed % 4;
    if (kind === 0) text = flip(Buffer.from(text)).toString("latin1");
    if (kind === 1) {
      const at = below(text.length);
      text = text.slice(0, at) + text.slice(at + below(10));
    }
    if (kind === 2) {
      const messages = [...text.matchAll(/"Serialized(?:Request|Response)":"([^"]+)"/g)];
      const message = messages[below(messages.length)]?.[1] ?? "";
      let bytes = flip(Buffer.from(message, "base64"));
      if (below(3) === 0) bytes = bytes.subarray(0, below(bytes.length));
      text = text.replace(message, bytes.toString("base64"));
    }
    writeFileSync(path, kind === 3 ? flip(Buffer.from(whole)) : text);
    return imported(path, "https://www.shop.example/");
  });
  assert.ok(taken > seeds / 10 && refused > seeds / 10, `${taken} taken, ${refused} refused`);
});

test("passwords in an archive's URLs and in the given start URL are left behind", async () => {
  const path = join(folder, "password.wprgo");
  writeFileSync(path, json.replaceAll('"https://www.shop.example/', '"https://me:word@www.shop.example/'));
  const { about, written, notes } = await imported(path, "https://me:word@shop.example/");
  assert.equal(about?.url, "https://shop.example/");
  assert.equal(written.filter(({ exchange }) => exchange.host === "www.shop.example").length, 4);
  assert.deepEqual((notes as WireNotes).failed_urls, ["https://www.shop.example/gone"]);
});
