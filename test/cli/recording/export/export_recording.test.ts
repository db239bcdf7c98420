// Recordings exported and imported again: what a format holds comes back as it was.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { UserError } from "../../../../cli/base/errors.ts";
import type { Archive, Exchange, NewExchange, RecordingDetail } from "../../../../cli/recording/archive/archive.ts";
import { withArchive } from "../../../../cli/recording/archive/client.ts";
import { diffExchanges } from "../../../../cli/recording/edit/diff.ts";
import { exportRecording, type RecordingFormat } from "../../../../cli/recording/export/export_recording.ts";
import { importAny } from "../../../../cli/recording/import/import_any.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { publicHarSchema } from "../../results/export/har_schema.ts";
import { exchange as anExchange } from "../archive/example_recording.ts";

let folder: string;
beforeEach(() => {
  folder = tempFolder("trilane-export-");
});

const html: Exchange["response_headers"] = [["content-type", "text/html; charset=utf-8"]];
const exchange = (path: string, more: Partial<Exchange> = {}): Exchange =>
  anExchange(path, {
    host: "shop.example",
    request_headers: [["user-agent", "Chrome"]],
    response_headers: html,
    ...more,
  });

const encoded = (encoding: string): Exchange["response_headers"] => [
  ["content-type", "text/css"],
  ["content-encoding", encoding],
  ["x-name", "grüße"],
];
const large = Buffer.from(Array.from({ length: 1_500_001 }, (_, index) => (index * 37) % 253));
const hinted = {
  protocol: "h2",
  early_hints: [
    {
      time_ms: null,
      headers: [
        ["link", "</a.css>; rel=preload"],
        ["set-cookie", "id=secret"],
      ],
    },
  ],
};
const page: NewExchange[] = [
  { exchange: exchange("/", { recorded: hinted }), body: Buffer.from("<!doctype html>ü") },
  { exchange: exchange("/a.css?x=1&y=%20", { response_headers: encoded("br") }), body: brotliCompressSync("a {}") },
  { exchange: exchange("/b.css", { response_headers: encoded("gzip") }), body: gzipSync("b {}") },
  { exchange: exchange("/large", { host: "img.example", port: 8443, address: "203.0.113.3" }), body: large },
  { exchange: exchange("/plain", { scheme: "http", port: 80, address: "198.51.100.1" }), body: Buffer.from([0, 255]) },
  { exchange: exchange("/post", { method: "POST", status: 204 }), requestBody: large.subarray(1) },
  {
    exchange: exchange("/twice", { response_headers: [["date", "Mon, 03 Mar 2025 10:00:01 GMT"]] }),
    body: Buffer.from("1"),
  },
  {
    exchange: exchange("/twice", { response_headers: [["date", "Mon, 03 Mar 2025 10:00:02 GMT"]] }),
    body: Buffer.from("2"),
  },
  { exchange: exchange("/moved", { status: 301, response_headers: [["location", "/"]] }) },
  { exchange: exchange("/", { host: "2001:db8::7", address: "2001:db8::7" }), body: Buffer.from("six") },
];

async function withPage(use: (archive: Archive, recording: RecordingDetail) => Promise<void>): Promise<void> {
  await withArchive(join(folder, "home"), async (archive) => {
    const about = { name: "page", url: "https://shop.example/", source: "test", notes: {}, replace: false };
    await archive.write(about, async (writer) => {
      for (const each of page) await writer.add(each);
    });
    await use(archive, await archive.show("page"));
  });
}

async function again(archive: Archive, format: RecordingFormat): Promise<RecordingDetail> {
  const path = join(folder, `page.${format}`);
  const { exchanges } = await exportRecording(archive, "page", format, path);
  assert.equal(exchanges, page.length);
  const asked = { file: path, format: undefined, page: undefined, document: undefined, replace: false };
  await importAny(archive, { ...asked, name: format, url: "https://shop.example/" });
  return await archive.show(format);
}

test("Mahimahi's folder holds all but protocols and IPv6", async () => {
  await withPage(async (archive, before) => {
    const after = await again(archive, "mahimahi");
    const diff = diffExchanges(before.exchanges, after.exchanges);
    assert.deepEqual(diff.changes, []);
    assert.equal(diff.same, page.length);
    // Nothing is written over what is there.
    await assert.rejects(exportRecording(archive, "page", "mahimahi", join(folder, "page.mahimahi")), /is not empty/);
    await assert.rejects(exportRecording(archive, "page", "mahimahi", null), UserError);
    mkdirSync(join(folder, "empty"));
    const { left_out } = await exportRecording(archive, "page", "mahimahi", join(folder, "empty"));
    assert.match(left_out.join(), /1 IPv6 address: replaced/);
    assert.equal(readdirSync(join(folder, "empty")).length, page.length);
    assert.deepEqual(readdirSync(folder).toSorted(), ["empty", "home", "page.mahimahi"]);
  });
});

test("a Web Page Replay archive holds all but addresses", async () => {
  await withPage(async (archive, before) => {
    const after = await again(archive, "wpr");
    const diff = diffExchanges(before.exchanges, after.exchanges);
    assert.equal(diff.same + diff.changes.length, page.length);
    for (const { a, b, aspects } of diff.changes) assert.ok(a && b && aspects.join() === "address");
    assert.equal(after.exchanges.find(({ path }) => path === "/b.css")?.recorded.protocol, "h2");
  });
});

test("a HAR holds every exchange and every decoded body, and is one by HAR's schema", async () => {
  await withPage(async (archive, before) => {
    const after = await again(archive, "har");
    const diff = diffExchanges(before.exchanges, after.exchanges);
    assert.equal(diff.same + diff.changes.length, page.length);
    for (const { url, a, b, aspects } of diff.changes)
      assert.ok(a && b && !aspects.includes("status") && !aspects.includes("request body"), `${url}: ${aspects}`);
    const har = JSON.parse(readFileSync(join(folder, "page.har"), "utf8"));
    const texts = har.log.entries.map(
      (entry: { response: { content: { text?: string } } }) => entry.response.content.text,
    );
    assert.deepEqual(texts.slice(0, 3), ["<!doctype html>ü", "a {}", "b {}"]);
    const validate = publicHarSchema();
    assert.ok(validate(har), JSON.stringify(validate.errors));
  });
});

test("a body that was made up comes back from a HAR as one, and is told of where a format cannot say so", async () => {
  await withArchive(join(folder, "home"), async (archive) => {
    const about = { name: "page", url: "https://shop.example/", source: "test", notes: {}, replace: false };
    const cut = { protocol: "h2", filled_with: "javascript", cut_off: true };
    const filled: NewExchange[] = [
      { exchange: exchange("/"), body: Buffer.from("<!doctype html>") },
      { exchange: exchange("/a.html", { body_origin: "filled" }), body: Buffer.from("<p>made up") },
      {
        exchange: exchange("/b.css", { body_origin: "filled", response_headers: encoded("gzip") }),
        body: gzipSync("b {}"),
      },
      {
        exchange: exchange("/c.js", { body_origin: "filled", response_headers: [], recorded: cut }),
        body: Buffer.from([1, 255, 0]),
      },
    ];
    await archive.write(about, async (writer) => {
      for (const each of filled) await writer.add(each);
    });
    const path = join(folder, "page.har");
    const { left_out } = await exportRecording(archive, "page", "har", path);
    assert.doesNotMatch(left_out.join(), /filled in/);
    const asked = { file: path, format: undefined, page: undefined, document: undefined, replace: false };
    await importAny(archive, { ...asked, name: "har", url: undefined });
    const { recording, exchanges } = await archive.show("har");
    assert.equal(recording.filled, 3);
    assert.deepEqual(
      exchanges.map(({ body_origin, recorded }) => [body_origin, recorded.filled_with, recorded.cut_off]),
      [
        ["recorded", null, false],
        ["filled", "html", false],
        ["filled", "css", false],
        ["filled", "javascript", true],
      ],
    );
    for (const format of ["wpr", "mahimahi"] as const) {
      const other = await exportRecording(archive, "page", format, join(folder, format));
      assert.match(other.left_out.join(), /that 3 bodies are filled in/);
    }
  });
});

test("a damaged recording is not exported, and a file that cannot be written leaves none", async () => {
  await withPage(async (archive, { exchanges }) => {
    await assert.rejects(exportRecording(archive, "page", "wpr", join(folder, "none", "x.wprgo")), UserError);
    const name = exchanges[0]?.body_sha256 ?? "";
    writeFileSync(join(folder, "home", "bodies", name.slice(0, 2), name), "x");
    for (const format of ["har", "mahimahi", "wpr"] as const)
      await assert.rejects(exportRecording(archive, "page", format, join(folder, "x")), /damaged/);
    assert.deepEqual(readdirSync(folder), ["home"]);
  });
});

test("Early Hints are in a HAR as WebPageTest has them, and secrets in them are masked", async () => {
  await withPage(async (archive) => {
    await again(archive, "har");
    const text = readFileSync(join(folder, "page.har"), "utf8");
    const { log } = JSON.parse(text) as { log: { entries: { _early_hint_headers?: string[] }[] } };
    assert.equal(log.entries[0]?._early_hint_headers?.[0], "link: </a.css>; rel=preload");
    assert.ok(!text.includes("secret"));
    const [document] = (await archive.show("har")).exchanges;
    const hints = document?.recorded.early_hints as { headers: string[][] }[] | undefined;
    assert.equal(hints?.[0]?.headers.length, 2);
  });
});
