// What one set-up keeps for the next checkout: npm packages as links and programs as copies, put elsewhere as they were; an entry that
// was changed since, or half written, is not used; two at once; old ones go.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../../temp_folder.ts";

const script = join(import.meta.dirname, "..", "..", "..", "cli", "install", "build_cache.sh");
const folder = tempFolder("trilane-build-cache-");
const cache = join(folder, "cache");
const env = { ...process.env, TRILANE_CACHE: cache };

const run = (...words: string[]) => spawnSync("bash", [script, ...words], { env, encoding: "utf8" });
const store = (kind: string, key: string, from: string, ...files: string[]) =>
  assert.equal(run("store", kind, key, from, ...files).status, 0);

let made = 0;
const newFolder = (): string => join(folder, `checkout${++made}`);
/** Packages as npm leaves them. */
function packages(): string {
  const from = newFolder();
  mkdirSync(join(from, ".bin"), { recursive: true });
  mkdirSync(join(from, "a"));
  writeFileSync(join(from, ".package-lock.json"), "{}");
  writeFileSync(join(from, "a", "a.js"), "one", { mode: 0o755 });
  symlinkSync("../a/a.js", join(from, ".bin", "a"));
  return from;
}

test("packages are put into another folder as they were, without a copy of their bytes", () => {
  const from = packages();
  store("npm", "whole", from, ".");
  const to = newFolder();
  assert.equal(run("restore", "npm", "whole", to).status, 0);
  assert.deepEqual(readdirSync(to).toSorted(), [".bin", ".package-lock.json", "a"]);
  assert.equal(readlinkSync(join(to, ".bin", "a")), "../a/a.js");
  assert.equal(statSync(join(to, "a", "a.js")).ino, statSync(join(from, "a", "a.js")).ino);
  assert.equal(run("restore", "npm", "another", newFolder()).status, 1);
});

test("programs are copies, and only those that are named", () => {
  const from = newFolder();
  mkdirSync(join(from, "shaper"), { recursive: true });
  writeFileSync(join(from, "shaper", "trilane-shaper"), "program", { mode: 0o755 });
  writeFileSync(join(from, "shaper", "main.o"), "object");
  store("programs", "p", from, "shaper/trilane-shaper");
  const to = newFolder();
  mkdirSync(to);
  writeFileSync(join(to, "build.ninja"), "configured");
  assert.equal(run("restore", "programs", "p", to).status, 0);
  assert.deepEqual(readdirSync(to, { recursive: true }).toSorted(), [
    "build.ninja",
    "shaper",
    join("shaper", "trilane-shaper"),
  ]);
  appendFileSync(join(to, "shaper", "trilane-shaper"), " stripped");
  assert.equal(readFileSync(join(from, "shaper", "trilane-shaper"), "utf8"), "program");
  assert.equal(run("restore", "programs", "p", newFolder()).status, 0);
});

test("an entry that was changed since is removed and said, whichever way it was", () => {
  const ways: [string, (entry: string, checkout: string) => void][] = [
    ["shorter", (entry) => truncateSync(join(entry, "files", "a", "a.js"), 1)],
    ["lost", (entry) => rmSync(join(entry, "files", "a", "a.js"))],
    ["edited in a checkout that shares it", (_, checkout) => writeFileSync(join(checkout, "a", "a.js"), "two")],
    ["without its list", (entry) => rmSync(join(entry, "listing"))],
    ["more than there was", (entry) => writeFileSync(join(entry, "files", "b"), "")],
  ];
  for (const [index, [name, spoil]] of ways.entries()) {
    const from = packages();
    store("npm", `broken${index}`, from, ".");
    const entry = join(cache, `npm-broken${index}`);
    utimesSync(join(from, "a", "a.js"), 1e9, 1e9);
    rmSync(entry, { recursive: true });
    store("npm", `broken${index}`, from, ".");
    spoil(entry, from);
    const to = newFolder();
    const { status, stderr } = run("restore", "npm", `broken${index}`, to);
    assert.deepEqual([status, existsSync(entry), existsSync(to)], [1, false, false], name);
    assert.equal(stderr, `setup: ${entry} was changed since it was stored: it is made again\n`);
  }
});

test("two set-ups at once store one entry, and a third reads it meanwhile or makes its own", async () => {
  const from = packages();
  for (let index = 0; index < 300; index++) writeFileSync(join(from, `file${index}`), String(index));
  const runs = Array.from({ length: 6 }, (_, index) => {
    const words = index % 2 === 0 ? ["store", "npm", "race", from, "."] : ["restore", "npm", "race", newFolder()];
    return {
      to: words[3] as string,
      ended: once(spawn("bash", [script, ...words], { env, stdio: "ignore" }), "close"),
    };
  });
  for (const { to, ended } of runs) {
    const [status] = await ended;
    if (status === 0) assert.equal(readFileSync(join(to, "file299"), "utf8"), "299");
    else assert.ok(!existsSync(to));
  }
  assert.equal(run("restore", "npm", "race", newFolder()).status, 0);
  assert.deepEqual(
    readdirSync(cache).filter((name) => name.endsWith(".part")),
    [],
  );
});

test("what a killed set-up half wrote goes, and so do entries that none used for a month, and all but four", () => {
  const from = packages();
  mkdirSync(join(cache, "old-half.part"));
  for (const [name, days] of [
    ["quic-old", 70],
    ["quic-used", 50],
  ] as const) {
    mkdirSync(join(cache, name));
    utimesSync(join(cache, name), Date.now() / 1000 - days * 86_400, Date.now() / 1000 - days * 86_400);
  }
  for (const [index, key] of ["month", "b", "c", "d", "e"].entries()) {
    store("old", key, from, ".");
    const used = Date.now() / 1000 - (key === "month" ? 40 * 86_400 : 3600 - index);
    utimesSync(join(cache, `old-${key}`), used, used);
  }
  const entries = (): string[] => readdirSync(cache).filter((name) => name.startsWith("old-"));
  store("old", "f", from, ".");
  assert.deepEqual(entries().toSorted(), ["old-c", "old-d", "old-e", "old-f"]);
  assert.deepEqual(
    readdirSync(cache).filter((name) => name.startsWith("quic-")),
    ["quic-used"],
  );
  // Used, it stays longer than one that came after it.
  assert.equal(run("restore", "old", "c", newFolder()).status, 0);
  store("old", "g", from, ".");
  assert.deepEqual(entries().toSorted(), ["old-c", "old-e", "old-f", "old-g"]);
});

test("a cache that cannot be written is no failure", () => {
  const from = packages();
  const notAFolder = join(folder, "file");
  writeFileSync(notAFolder, "");
  const status = spawnSync("bash", [script, "store", "npm", "k", from, "."], {
    env: { ...env, TRILANE_CACHE: notAFolder },
  }).status;
  assert.equal(status, 0);
  assert.throws(() =>
    execFileSync("bash", [script, "restore", "npm", "k", newFolder()], { env: { ...env, TRILANE_CACHE: notAFolder } }),
  );
});
