// The extension as it is handed to a store: this one passes the checks, and each kind of fault is found.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { crc32, inflateRawSync } from "node:zlib";
import { buildExtension } from "../../../cli/install/extension.ts";
import { zipExtension } from "../../../cli/install/package.ts";
import { checkExtension, filesOf, sizeLimit_bytes } from "../../../cli/install/package_check.ts";
import identity from "../../../schemas/extension.json" with { type: "json" };
import { tempFolder } from "../../temp_folder.ts";

const scratch = tempFolder("trilane-package-");
const built = join(scratch, "extension");
before(() => buildExtension({ out: built }));

test("the extension that is built may be handed to a store", () => {
  assert.deepEqual(checkExtension(built), []);
  assert.ok(zipExtension(built).length < sizeLimit_bytes);
});

test("the package for Firefox: another manifest, no debugger in it, and it passes the checks", async () => {
  const out = join(scratch, "firefox");
  await buildExtension({ firefox: true, out });
  assert.deepEqual(checkExtension(out), []);
  assert.deepEqual(filesOf(out), filesOf(built));
  const manifest = JSON.parse(readFileSync(join(out, "manifest.json"), "utf8")) as Record<string, unknown>;
  assert.ok(!("key" in manifest) && !("minimum_chrome_version" in manifest));
  const background = (folder: string) => readFileSync(join(folder, "background", "service_worker.js"), "utf8");
  assert.ok(!background(out).includes("chrome.debugger") && background(out).includes("webRequest"));
  assert.ok(background(built).includes("chrome.debugger") && !background(built).includes("webRequest"));
});

test("the key makes the id", () => {
  const digest = createHash("sha256").update(Buffer.from(identity.key, "base64")).digest("hex").slice(0, 32);
  const id = [...digest].map((digit) => "abcdefghijklmnop"[Number.parseInt(digit, 16)]).join("");
  assert.equal(identity.id, id);
  const manifest = JSON.parse(readFileSync(join(built, "manifest.json"), "utf8")) as { key: string };
  assert.equal(manifest.key, identity.key);
});

/** A zip archive read back by its central directory. */
function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf("PK\x05\x06", undefined, "latin1");
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    assert.equal(archive.readUInt32LE(at), 0x02014b50);
    const size = archive.readUInt32LE(at + 20);
    const nameLength = archive.readUInt16LE(at + 28);
    const local = archive.readUInt32LE(at + 42);
    assert.equal(archive.readUInt32LE(local), 0x04034b50);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = inflateRawSync(archive.subarray(start, start + size));
    assert.equal(crc32(bytes), archive.readUInt32LE(at + 16));
    assert.equal(bytes.length, archive.readUInt32LE(at + 24));
    files.set(archive.toString("utf8", at + 46, at + 46 + nameLength), bytes);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  assert.equal(at, end);
  return files;
}

test("the zip holds every file, the manifest without its key, and is the same each time", () => {
  const archive = zipExtension(built);
  const files = unzip(archive);
  assert.deepEqual([...files.keys()].sort(), filesOf(built));
  for (const [name, bytes] of files)
    if (name !== "manifest.json") assert.ok(bytes.equals(readFileSync(join(built, name))), name);
  assert.ok(!("key" in (JSON.parse(String(files.get("manifest.json"))) as object)));
  assert.ok(archive.equals(zipExtension(built)));
});

type Manifest = Record<string, unknown>;
const page = "views/popup/popup.html";
const faults: Record<string, { change(folder: string): void; found: RegExp }> = {
  "a permission more": {
    change: (folder) => changeManifest(folder, (m) => ({ ...m, permissions: ["debugger", "cookies"] })),
    found: /permissions asks for cookies/,
  },
  "all hosts": {
    change: (folder) => changeManifest(folder, (m) => ({ ...m, host_permissions: ["<all_urls>"] })),
    found: /host_permissions asks for <all_urls>/,
  },
  "a policy that allows a script from elsewhere": {
    change: (folder) =>
      changeManifest(folder, (m) => ({
        ...m,
        content_security_policy: { extension_pages: "default-src 'none'; script-src 'self' https://cdn.example" },
      })),
    found: /script-src is not 'self' alone/,
  },
  "a popup that is not there": {
    change: (folder) => rmSync(join(folder, page)),
    found: /names views\/popup\/popup.html, which is not there/,
  },
  "an icon of another size": {
    change: (folder) => cpSync(join(folder, "icons/16.png"), join(folder, "icons/128.png")),
    found: /icons\/128.png: is not 128 by 128/,
  },
  eval: { change: (folder) => append(folder, "x.js", "const f = eval('1');"), found: /x.js: makes code from text/ },
  "new Function": { change: (folder) => append(folder, "x.js", "new Function('a', 'b')"), found: /x.js: makes code/ },
  "an import from elsewhere": {
    change: (folder) => append(folder, "x.js", 'await import("https://cdn.example/x.js")'),
    found: /x.js: loads code from elsewhere/,
  },
  "an inline script": { change: (folder) => append(folder, page, "<script>1</script>"), found: /a script stands in/ },
  "an event handler": { change: (folder) => append(folder, page, '<p onclick="go()">'), found: /an event handler/ },
  "a script from elsewhere": {
    change: (folder) => append(folder, page, '<script src="https://cdn.example/x.js"></script>'),
    found: /loads https:\/\/cdn.example\/x.js from elsewhere/,
  },
  "a source map": { change: (folder) => append(folder, "x.js.map", "{}"), found: /x.js.map: does not belong/ },
};

function append(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text, { flag: "a" });
}

function changeManifest(folder: string, change: (manifest: Manifest) => Manifest): void {
  const path = join(folder, "manifest.json");
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")) as Manifest)));
}

for (const [name, { change, found }] of Object.entries(faults)) {
  test(`found: ${name}`, () => {
    const folder = mkdtempSync(join(scratch, "fault-"));
    cpSync(built, folder, { recursive: true });
    change(folder);
    assert.match(checkExtension(folder).join("\n"), found);
  });
}
