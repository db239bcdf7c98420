// cli/recording/import/read.ts and what it uses: a HAR in each form that programs write becomes the same page, and what no form allows is refused
// in one line before it costs memory or time.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { JsonTextError, scanJson } from "../../../../cli/base/bounded_json.ts";
import { zip } from "../../../../cli/install/zip.ts";
import { importHar } from "../../../../cli/recording/import/import_har.ts";
import { readHar } from "../../../../cli/recording/import/read.ts";
import { ZipArchive } from "../../../../cli/recording/import/zip_archive.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { refusedIn } from "../../refused.ts";

const folder = tempFolder("trilane-forms-");

function file(name: string, content: Buffer | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const entry = (url: string, content: object): object => ({
  startedDateTime: "2026-01-05T10:00:00.000Z",
  request: { method: "GET", url, headers: [] },
  response: { status: 200, headers: [{ name: "content-type", value: "text/html" }], content },
});
const log = (title: string, ...entries: object[]): object => ({
  version: "1.2",
  creator: { name: "test" },
  pages: [{ id: "p", startedDateTime: "2026-01-05T10:00:00.000Z", title }],
  entries,
});
const url = "https://a.example/";
const page = log(url, entry(url, { text: "<p>caf\u00e9", mimeType: "text/html" }));
const text = JSON.stringify({ log: page });
const bytes = Buffer.from(text);
const big = Buffer.from(text, "utf16le").swap16();

async function read(path: string): Promise<{ bodies: string[]; remarks: string[]; url: string }> {
  const remarks: string[] = [];
  const imported = importHar(await readHar(path, undefined, (line) => remarks.push(line)), { remarks });
  const bodies = imported.exchanges.map(({ body }) => Buffer.from(body ?? []).toString());
  return { bodies, remarks: [...imported.notes.remarks], url: imported.url };
}

/** The archive of one file with its numbers where zip64 has them. */
function zip64(archive: Buffer): Buffer {
  const end = archive.length - 22;
  const start = archive.readUInt32LE(end + 16);
  const directory = Buffer.from(archive.subarray(start, end));
  const sizes = Buffer.alloc(28);
  sizes.writeUInt16LE(1, 0);
  sizes.writeUInt16LE(24, 2);
  for (const [place, at] of [24, 20, 42].entries()) {
    sizes.writeBigUInt64LE(BigInt(directory.readUInt32LE(at)), 4 + place * 8);
    directory.writeUInt32LE(0xffffffff, at);
  }
  // A field of another kind before it.
  const extra = Buffer.concat([Buffer.from([0x55, 0x54, 1, 0, 0]), sizes]);
  directory.writeUInt16LE(extra.length, 30);
  const end64 = Buffer.alloc(56);
  end64.write("PK\x06\x06", "latin1");
  end64.writeBigUInt64LE(1n, 32);
  end64.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.write("PK\x06\x07", "latin1");
  locator.writeBigUInt64LE(BigInt(start + directory.length + extra.length), 8);
  const last = Buffer.from(archive.subarray(end));
  last.writeUInt16LE(0xffff, 10);
  last.writeUInt32LE(0xffffffff, 16);
  return Buffer.concat([archive.subarray(0, start), directory, extra, end64, locator, last]);
}

const refused = async (path: string, message: RegExp): Promise<void> => {
  await assert.rejects(
    readHar(path).then((json) => importHar(json)),
    refusedIn(message),
  );
};

test("a HAR is read in each form that programs write", async () => {
  for (const [name, content] of [
    ["mark.har", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])],
    ["utf16le.har", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")])],
    ["utf16be.har", Buffer.concat([Buffer.from([0xfe, 0xff]), big])],
    ["utf16le-bare.har", Buffer.from(text, "utf16le")],
    ["utf16be-bare.har", big],
    ["a.har.gz", gzipSync(bytes)],
    ["a.har.zst", zstdCompressSync(bytes)],
    ["a.har.br", brotliCompressSync(bytes)],
    ["no-ending", brotliCompressSync(bytes)],
    ["a.harp", `onInputData(${text});\n`],
    ["b.harp", `/**/ typeof cb === 'function' && cb(${text})`],
    ["c.harp", `window["a.b"].call_1 (\n ${text}\n)\n;`],
    ["d.harp", `var har = ${text};`],
    ["e.harp", `)]}',\n${text}`],
    ["f.harp", `callback([${text}]);`],
    ["wrapped.har", JSON.stringify({ har: { log: page } })],
    ["deep.har", JSON.stringify({ status: "ok", data: { id: 1, har: { log: page } } })],
    ["list.har", JSON.stringify([{ log: page }])],
    ["log.har", JSON.stringify(page)],
    ["log-log.har", JSON.stringify({ log: { log: page } })],
    ["lines.har", `${JSON.stringify({ entry: 1 })}\n${JSON.stringify((page as { entries: object[] }).entries[0])}\n`],
    ["hars.har", `${text}\r\n${JSON.stringify({ log: log(url) })}\r\n`],
    ["nan.har", text.replace('"status":200', '"time":NaN,"a":[-Infinity,Infinity],"b":"\\"NaN","status":200')],
    ["twice.har.gz", gzipSync(gzipSync(bytes))],
    ["thrice.har.gz", gzipSync(zstdCompressSync(gzipSync(bytes)))],
    ["entries.har", JSON.stringify((page as { entries: object[] }).entries)],
    ["a.zip", zip([{ name: "some/a.har", bytes }])],
    ["64.zip", zip64(zip([{ name: "some/a.har", bytes }]))],
    ["up.zip", zip([{ name: "../../a.har", bytes }])],
  ] as const) {
    const { bodies } = await read(file(name, content));
    assert.deepEqual(bodies, ["<p>caf\u00e9"], name);
  }
});

test("Latin-1 is read as that, a few damaged bytes as such, and both are said", async () => {
  const latin1 = await read(file("latin1.har", Buffer.from(text, "latin1")));
  assert.deepEqual(latin1.bodies, ["<p>caf\u00e9"]);
  assert.match(latin1.remarks.join(), new RegExp(`is not UTF-8 \\(byte ${text.indexOf("\u00e9")}\\): read as Latin-1`));
  const at = bytes.indexOf("<p>") + 1;
  const damaged = Buffer.from(bytes);
  damaged[at] = 0xff;
  const some = await read(file("damaged.har", damaged));
  assert.deepEqual(some.bodies, ["<\ufffd>caf\u00e9"]);
  assert.match(some.remarks.join(), new RegExp(`byte ${at} and others are not UTF-8`));
});

test("several HARs in one are its pages", async () => {
  const other = log("https://b.example/", entry("https://b.example/", { text: "b" }));
  const path = file("two.har", JSON.stringify([{ log: page }, { log: other }]));
  assert.equal(importHar(await readHar(path), { page: 2 }).url, "https://b.example/");
  const bare = { entries: [entry("https://c.example/", { text: "c", mimeType: "text/html" })] };
  const three = file("three.har", JSON.stringify({ runs: [{ log: page }, { log: bare }] }));
  assert.equal(importHar(await readHar(three), { page: 2 }).url, "https://c.example/");
});

test("attached bodies come from the HAR's own folder or zip, and from nowhere else", async () => {
  const attached = JSON.stringify({ log: log(url, entry(url, { _file: "body.html" })) });
  mkdirSync(join(folder, "own"));
  file("own/body.html", "<p>attached");
  file("secret", "secret");
  assert.deepEqual((await read(file("own/a.har", attached))).bodies, ["<p>attached"]);
  const zipped = zip([
    { name: "x/a.har", bytes: Buffer.from(attached) },
    { name: "x/body.html", bytes: Buffer.from("<p>zipped") },
  ]);
  assert.deepEqual((await read(file("attached.zip", zipped))).bodies, ["<p>zipped"]);
  const missing = await read(file("missing.har", attached));
  assert.match(missing.remarks.join(), /1 attached body is not beside the HAR/);
  symlinkSync(join(folder, "secret"), join(folder, "own/link"));
  const linked = JSON.stringify({ log: log(url, entry(url, { _file: "link" })) });
  assert.match((await read(file("own/linked.har", linked))).remarks.join(), /not beside the HAR/);
  for (const name of ["../secret", join(folder, "secret"), "own/../../secret", "C:\\secret", "..\\secret"]) {
    const outside = JSON.stringify({ log: log(url, entry(url, { _file: name })) });
    await refused(file("own/escape.har", outside), /has no HTTP response to replay \(1 with a body outside/);
    await refused(
      file("escape.zip", zip([{ name: "a.har", bytes: Buffer.from(outside) }])),
      /1 with a body outside of the HAR's folder/,
    );
  }
});

test("a Playwright trace's network log is a HAR", async () => {
  const snapshot = entry(url, { _sha1: "abc.html", mimeType: "text/html" });
  const lines = [{ type: "context-options" }, { type: "resource-snapshot", snapshot }].map((line) =>
    JSON.stringify(line),
  );
  const trace = zip([
    { name: "trace.network", bytes: Buffer.from(lines.join("\n")) },
    { name: "resources/abc.html", bytes: Buffer.from("<p>of a trace") },
  ]);
  assert.deepEqual((await read(file("trace.zip", trace))).bodies, ["<p>of a trace"]);
});

test("what ends early says where, and how many entries are whole", async () => {
  const two = JSON.stringify({ log: log(url, entry(url, { text: ']}{[\\"' }), entry(url, {})) });
  const cut = two.slice(0, -12);
  await refused(file("cut.har", cut), /is cut off at byte \d+, after 1 whole entry: nothing was imported/);
  await refused(file("cut16.har", Buffer.from(cut, "utf16le")), /after 1 whole entry/);
  await refused(
    file("cut.har.gz", gzipSync(two).subarray(0, -20)),
    /is cut off \(its gzip ends at byte \d+\) at byte \d+, after \d whole/,
  );
  await refused(file("cut.harp", `cb(${cut}`), /after 1 whole entry/);
  const archive = zip([{ name: "a.har", bytes: Buffer.from(two) }]);
  await refused(file("cut.zip", archive.subarray(0, -10)), /is a zip that is cut off/);
});

test("depth, values and ratio have limits that are held while the text is scanned", async () => {
  await refused(file("deep.har", "[".repeat(5e6)), /has more than 1000 levels \(byte 1000\)/);
  await refused(file("deep.har.gz", gzipSync("[".repeat(6e7))), /has more than 1000 levels/);
  assert.throws(() => scanJson(Buffer.from("[0,0,0,0]"), "entries", { depth: 9, values: 3 }), JsonTextError);
  assert.deepEqual(scanJson(Buffer.from("[0,0,0,0]"), "entries", { depth: 1, values: 9 }), {
    isCutOff: false,
    wholeObjects: 0,
  });
  await refused(file("ratio.har.gz", gzipSync(Buffer.alloc(1e8, 0x20))), /unpacks to more than 50 times its size/);
  const bomb = zip([{ name: "a.har", bytes: Buffer.alloc(1e6, 0x20) }]);
  const archive = new ZipArchive(bomb, { files: 9, bytes: 1000 });
  assert.throws(() => archive.read("a.har"), /unpacks to more than/);
  assert.throws(() => new ZipArchive(bomb, { files: 0, bytes: 1000 }), /is a zip of 1 files/);
  await refused(file("none.zip", zip([{ name: "a.txt", bytes }])), /is a zip without a .har in it/);
});

test("a pipe that nobody writes to and a device are refused at once", async () => {
  const pipe = join(folder, "pipe.har");
  assert.equal(spawnSync("mkfifo", [pipe]).status, 0);
  await refused(pipe, /pipe\.har: is a pipe, not a file/);
  await refused("/dev/zero", /is a device, not a file/);
  await refused(folder, /is a folder/);
  const trilane = join(import.meta.dirname, "../../../../cli/trilane");
  const words = `"$0" import <(cat "$1") --name piped --home "$2"`;
  const { status, stderr } = spawnSync("bash", ["-c", words, trilane, file("p.har", text), join(folder, "home")], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
});

test("what is nearly JSON but is none is refused by its place, and a list of values without entries as no HAR", async () => {
  await refused(file("half.har", `{"log": NaN, "b": x}`), /is not JSON/);
  await refused(file("lines-none.har", '{"a":1}\n{"b":2}\n'), /is JSON but not HAR/);
  await refused(file("log-none.har", '{"log":{"log":{}}}'), /log\.entries is missing/);
  const cut = zip64(zip([{ name: "a.har", bytes }]));
  cut.writeBigUInt64LE(10n ** 12n, cut.length - 34);
  await refused(file("cut64.zip", cut), /is a damaged zip/);
});
