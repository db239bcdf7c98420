// cli/sweep/bundle/read_bundle.ts given what somebody may send: each ends in one line that names the file and what is wrong, and
// nothing of it is left. All are made from the same good one.
// Wide: cli/commands/reproduce.ts, cli/sweep/bundle.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { tarHeader } from "../../../../cli/base/tar.ts";
import { bundledSweeps } from "../../../../cli/instruments/all.ts";
import { reproduceBundle } from "../../../../cli/sweep/bundle/reproduce.ts";
import { prepareRerun } from "../../../../cli/sweep/bundle/rerun.ts";
import type { Bundle } from "../../../../schemas/generated/bundle.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { refusedIn } from "../../refused.ts";
import { bundled, membersOf, packed, storeRace, type TestMember, tarOf } from "./made_bundle.ts";

let folder: string;
let good: TestMember[];
let goodFile: Buffer;
before(async () => {
  const home = tempFolder("trilane-bad-bundle-");
  await bundled(home, await storeRace(home), join(home, "a.tar.zst"));
  good = await membersOf(join(home, "a.tar.zst"));
  goodFile = readFileSync(join(home, "a.tar.zst"));
  rmSync(home, { recursive: true });
});
beforeEach(() => {
  folder = tempFolder("trilane-bad-bundle-");
});
after(() => {
  good = [];
});

const sha256Of = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** With other members, of which the manifest tells the truth unless `told` makes it tell something else. */
function withMembers(
  change: (members: TestMember[]) => TestMember[],
  told: (manifest: Bundle) => unknown = (same) => same,
): TestMember[] {
  const [readme, manifest, ...rest] = good as [TestMember, TestMember, ...TestMember[]];
  const members = change(rest);
  const listed = members.map(({ name, bytes }) => ({ name, bytes: bytes.length, sha256: sha256Of(bytes) }));
  const document = told({ ...(JSON.parse(manifest.bytes.toString()) as Bundle), members: listed as Bundle["members"] });
  return [readme, { name: "manifest.json", bytes: Buffer.from(JSON.stringify(document)) }, ...members];
}

const withManifest = (told: (manifest: Bundle) => unknown): TestMember[] => withMembers((members) => members, told);

const replaced = (name: string, bytes: Buffer | ((before: Buffer) => Buffer)) => (members: TestMember[]) =>
  members.map((member) =>
    member.name === name ? { name, bytes: Buffer.isBuffer(bytes) ? bytes : bytes(member.bytes) } : member,
  );

/** As `name` sorts. */
const added =
  (...more: TestMember[]) =>
  (members: TestMember[]) =>
    [...members, ...more].sort((a, b) => (a.name < b.name ? -1 : 1));

type Rerun = Parameters<typeof reproduceBundle>[0]["rerun"];

const reproducing = (bundle: string, out = join(folder, "out"), rerun: Rerun = null) =>
  reproduceBundle({ bundle, out, onReproduced: () => {}, kinds: bundledSweeps, rerun });

async function assertRefused(path: string, words: RegExp, rerun = false): Promise<void> {
  const out = join(folder, "out");
  const again = { manifest: null, home: join(out, "rerun"), results: join(out, "results.db"), bundle: path };
  const prepared: Rerun = async (_, { manifest }, unpacked) =>
    void (await prepareRerun({ ...again, manifest, unpacked }));
  await assert.rejects(reproducing(path, out, rerun ? prepared : null), refusedIn(words, `${path}: `));
  rmSync(path);
  // What was reproduced before the rerun was refused stays.
  if (rerun) rmSync(out, { recursive: true });
  assert.deepEqual(readdirSync(folder), []);
}

const refused = (members: Parameters<typeof packed>[2], words: RegExp, rerun = false): Promise<void> =>
  assertRefused(packed(folder, "a", members), words, rerun);

const write = (name: string, bytes: Buffer | string): string => {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
};

test("what is no bundle: empty, text, a database, a zip, another tar, a folder, a device", async () => {
  const noBundle = /^not a bundle of `trilane bundle`: name one$/;
  await assertRefused(write("a", ""), noBundle);
  await assertRefused(write("a", "hello"), noBundle);
  await assertRefused(write("a", "PK\x03\x04"), noBundle);
  await assertRefused(write("a", zstdCompressSync("hello")), /^is cut off: get the file again$/);
  await refused([{ name: "x", bytes: Buffer.from("y") }], /^has "x" where README\.md belongs/);
  await refused([good[0] as TestMember], /^has no manifest\.json/);
  mkdirSync(join(folder, "f"));
  await assert.rejects(reproducing(join(folder, "f")), /f: is not a regular file: name a bundle$/);
  await assert.rejects(reproducing("/dev/zero"), /zero: is not a regular file: name a bundle$/);
});

test("cut off anywhere, or with any byte changed", async () => {
  for (const share of [0.001, 0.1, 0.5, 0.9, 0.999]) {
    const length = Math.floor(goodFile.length * share);
    await assertRefused(
      write("cut", goodFile.subarray(0, length)),
      /^(is cut off|is cut off or damaged \(.*\)): get the file again$/,
    );
  }
  for (const share of [0.0005, 0.2, 0.6, 0.95]) {
    const bytes = Buffer.from(goodFile);
    const at = Math.floor(bytes.length * share);
    bytes[at] = (bytes[at] ?? 0) ^ 0x55;
    // The compressed bytes differ from run to run: a change near the beginning may fall into the first member's name.
    const refusal = share < 0.01 ? /: get the file again$|^not a bundle of / : /: get the file again$/;
    await assertRefused(write("changed", bytes), refusal);
  }
  await assertRefused(write("longer", Buffer.concat([goodFile, Buffer.from("more")])), /: get the file again$/);
  await assertRefused(
    write("twice", Buffer.concat([goodFile, goodFile])),
    /^has more behind its end: get the file again$/,
  );
});

test("a member that is not what the manifest says, is missing, too many, or out of order", async () => {
  const truth = withManifest((manifest) => manifest);
  const loads = (change: (bytes: Buffer) => Buffer) => replaced("loads.csv", change)(truth);
  const lie = (bytes: Buffer): Buffer => Buffer.from(bytes.toString().replace("valid", "VALID"));
  for (const [members, words] of [
    [loads(lie), /^loads\.csv \(\d+ bytes\) is not what manifest\.json says: its SHA-256 is /],
    [loads((bytes) => bytes.subarray(1)), /^loads\.csv has \d+ bytes, and manifest\.json says \d+/],
    [truth.filter(({ name }) => name !== "loads.csv"), /^has "plan\.json" where loads\.csv belongs/],
    [truth.slice(0, -1), /^has no schemas\//],
    [[...truth, { name: "zzz", bytes: Buffer.from("z") }], /^has "zzz", which manifest\.json does not list/],
    [withMembers((all) => all.toReversed()), /^manifest\.json lists members twice or out of order/],
    [withMembers((all) => [...all, all.at(-1) as TestMember]), /twice or out of order/],
  ] as const)
    await refused(members, words);
  const nested = added({ name: "files/a", bytes: Buffer.from("1") }, { name: "files/a/b", bytes: Buffer.from("2") });
  await refused(withMembers(nested), /twice or out of order/);
});

test("paths that lead elsewhere: in the manifest, and in the tar alone", async () => {
  const absolute = join(folder, "escaped");
  for (const name of [
    "../escaped",
    "figures/../../escaped",
    absolute.slice(0, 90),
    "./escaped",
    "figures//x",
    ".bashrc",
    "a\\..\\b",
    "n\u00fcr",
  ]) {
    const header = tarHeader(name, 1);
    const member = { name, bytes: Buffer.from("x"), header };
    await refused(withMembers(added(member)), /^manifest\.json: members\[\d+\]\.name: must match pattern/);
    const [readme, manifest, ...rest] = good as [TestMember, TestMember, ...TestMember[]];
    await refused([readme, manifest, member, ...rest], /^has ".*" where bodies\/.* belongs/);
  }
});

test("symlinks, hard links, devices and folders", async () => {
  const kinds: [type: string, words: RegExp][] = [
    ["2", /^holds a symlink: "results\.db"/],
    ["1", /^holds a hard link: "results\.db"/],
    ["3", /^holds a device: "results\.db"/],
    ["5", /^holds a folder: "results\.db"/],
    ["x", /^holds an extended header: "results\.db"/],
  ];
  for (const [type, words] of kinds) {
    const header = tarHeader("results.db", 0);
    header.write(type, 156, "latin1");
    header.write("/etc/passwd", 157, "latin1");
    header.fill(" ", 148, 156);
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    const linked = good.map((member) =>
      member.name === "results.db" ? { ...member, bytes: Buffer.alloc(0), header } : member,
    );
    await refused(linked, words);
  }
});

/** With its results changed. */
const withResults = (change: (database: DatabaseSync) => void): TestMember[] =>
  withMembers(
    replaced("results.db", (bytes) => {
      const path = write("changed.db", bytes);
      const database = new DatabaseSync(path);
      change(database);
      database.close();
      const changed = readFileSync(path);
      rmSync(path);
      return changed;
    }),
  );

test("of a newer Trilane: the bundle, and its results", async () => {
  await refused(
    withManifest((manifest) => ({ ...manifest, schema: "trilane/bundle/2" })),
    /^is a bundle of a newer Trilane \(format 2, this one knows 1\): upgrade Trilane$/,
  );
  await refused(
    withManifest((manifest) => ({ ...manifest, results_format: 99 })),
    /^holds results of a newer Trilane \(format 99, this one knows \d+\): upgrade Trilane$/,
  );
  await refused(
    withResults((database) => database.exec("PRAGMA user_version = 99")),
    /^its results cannot be read \(results\.db: written by a newer Trilane/,
  );
});

test("a manifest that is no JSON, another document, or says what cannot be", async () => {
  for (const [text, words] of [
    ["{", /^manifest\.json is no JSON/],
    ["null", /^not a bundle/],
    ['{"schema": "trilane/merged/1"}', /^not a bundle/],
    ['{"schema": "trilane/bundle/1"}', /^manifest\.json: "[a-z_]+" is missing/],
    [`{"schema": "trilane/bundle/1", "__proto__": {"x": 1}}`, /^manifest\.json: /],
  ] as const)
    await refused(replaced("manifest.json", Buffer.from(text))(good), words);
  await refused(
    withManifest((manifest) => ({ ...manifest, sweep: { ...manifest.sweep, id: 77 } })),
    /^its results cannot be read \(no sweep 77 in results\.db/,
  );
});

test("what unpacks to more than it should: a manifest, a member, all of them", async () => {
  const zeros = (name: string, bytes: number): Buffer =>
    Buffer.concat([tarHeader(name, bytes), Buffer.alloc(1024 * 1024)]);
  await refused(zeros("README.md", 300 * 1024 ** 2), /^README\.md has 315 MB, more than the 268 MB that it may have/);
  const more = Array.from({ length: 40 }, (_, index) => ({ name: `figures/z${index}`, bytes: Buffer.from("z") }));
  const told = (bytes: number) => (manifest: Bundle) => ({
    ...manifest,
    members: manifest.members.map((member) => ({ ...member, bytes })),
  });
  await refused(
    withMembers(added(...more), told(8589934591)),
    /^would unpack to \d+ members of \d+ GB, more than a bundle may have/,
  );
  // Zeros without an end, packed small, are read as far as the manifest says.
  const bomb = Buffer.concat([tarOf(good.slice(0, 2)).subarray(0, -1024), Buffer.alloc(64 * 1024 * 1024)]);
  await refused(bomb, /^(has no bodies\/|has more behind its end)/);
  const har = gzipSync(Buffer.alloc(600_000_000), { level: 1 });
  await refused(
    withResults((database) => database.prepare("UPDATE document SET content = ? WHERE name = 'page-load'").run(har)),
    /^its results cannot be read \(results\.db: load \d+: its page load unpacks to more than \d+/,
  );
});

test("results that are damaged, another database, or no database", async () => {
  const torn = (bytes: Buffer): Buffer =>
    Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(8192, 0xff), bytes.subarray(16384)]);
  for (const results of [Buffer.from("no database"), Buffer.alloc(0), torn])
    await refused(withMembers(replaced("results.db", results)), /^its results cannot be read \(/);
  await refused(
    withMembers((members) => members.filter(({ name }) => name !== "results.db")),
    /^has no results\.db/,
  );
});

test("a rerun of pages that are others, of a plan that names files of this machine, of bodies that are not there", async () => {
  type Json = Record<string, unknown>;
  const changed = (name: string, change: (document: Json) => Json) =>
    replaced(name, (bytes) => {
      const document = JSON.parse(bytes.toString()) as Json;
      return Buffer.from(JSON.stringify({ ...document, ...change(document) }));
    });
  const plan = (change: Json) => changed("plan.json", () => change);
  const recording = (change: (document: Json) => Json) => changed("recordings/shop.json", change);
  const isBody = ({ name }: TestMember): boolean => name.startsWith("bodies/");
  const links = [
    "trace=/etc/passwd,rtt=50ms",
    "3mbit/50ms,loss=file:/etc/passwd",
    "/etc/hostname.json",
    "3mbit/50ms,switch=8s:/etc/hostname.json,seed=2",
    "3mbit/50ms,switch=8s:3mbit/50ms+loss=file:/etc/passwd,seed=2",
    "../../links.json",
  ];
  const programs: readonly (readonly [program: string, own: Json])[] = [
    ["touch /tmp/reached", { servers: { own: { command: "touch /tmp/reached" } }, lanes: ["h1+own"] }],
    ["/etc/passwd", { servers: { own: { program: "nginx", configuration: "/etc/passwd" } }, lanes: ["h1+own"] }],
    ["/bin/sh", { browser: "/bin/sh" }],
    ["/bin/bash", { browsers: { a: "chromium", b: "/bin/bash" }, lanes: ["h1@a", "h1@b"] }],
  ];
  const ofAnother = (program: string): string =>
    `^its plan names a program of another machine \\(${program}\\): run it with yours by .trilane sweep PLAN --`;
  const interleaved = { of: "browsers", browsers: ["/bin/sh", "/bin/bash"] };
  for (const [change, words] of [
    ...links.map(
      (link) => [plan({ links: [link] }), /^its plan names ".*", which is not in it: do not run it$/] as const,
    ),
    ...programs.map(([program, own]) => [plan(own), new RegExp(ofAnother(program))] as const),
    [plan({ interleaved, lanes: ["h1"] }), /^its plan names programs of another machine \(two browsers\)/],
    [
      plan({ servers: { live: { live: {} } }, lanes: ["h1+live"] }),
      /^its servers are live, and a rerun never goes out to the internet: /,
    ],
    [replaced("plan.json", Buffer.from("{}")), /^plan\.json: "\w+" is missing/],
    [recording(() => ({ name: "other" })), /^recordings\/shop\.json is of other/],
    [
      recording(({ exchanges }) => ({ exchanges: (exchanges as unknown[]).slice(1) })),
      /^recording shop is not what its manifest says/,
    ],
    [(all: TestMember[]) => all.filter((member) => !isBody(member)), /^has no body [0-9a-f]{12} of recording shop/],
    [
      (all: TestMember[]) =>
        all.map((member) => (isBody(member) ? { ...member, bytes: Buffer.from("other") } : member)),
      /^recording shop is not what its manifest says/,
    ],
  ] as const)
    await refused(withMembers(change), words, true);
  const outside = [{ path: "/x/..", sha256: "0".repeat(64) }];
  await refused(
    withManifest((manifest) => ({ ...manifest, files: outside })),
    /^"\/x\/\.\." is no file's name/,
    true,
  );
});

test("a symlink to a bundle is read; one in place of the folder is not followed", async () => {
  write("a.tar.zst", goodFile);
  symlinkSync("a.tar.zst", join(folder, "link"));
  const done = await reproducing(join(folder, "link"));
  assert.equal(done.same, done.files);
  symlinkSync("/tmp", join(folder, "elsewhere"));
  await assert.rejects(reproducing(join(folder, "link"), join(folder, "elsewhere")), /elsewhere: is no folder/);
});

test("without permission to read the file or to write the folder it says which", () => {
  const bundle = write("a.tar.zst", goodFile);
  const shut = join(folder, "shut");
  mkdirSync(shut, { mode: 0o555 });
  const isRoot = process.getuid?.() === 0;
  chmodSync(folder, 0o755);
  const trilane = join(import.meta.dirname, "../../../../cli/trilane");
  const nobody = isRoot ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : ["env"];
  const run = (...words: string[]) =>
    spawnSync(nobody[0] ?? "", [...nobody.slice(1), trilane, "reproduce", ...words], { encoding: "utf8" });
  const intoShut = run(bundle, "--out", join(shut, "out"));
  assert.deepEqual(
    [intoShut.status, intoShut.stderr],
    [2, `trilane: ${shut}: may not be written: name another folder with --out\n`],
  );
  chmodSync(bundle, 0);
  const unread = run(bundle, "--out", join(folder, "out"));
  assert.match(unread.stderr, isRoot ? /^trilane: [^\n]*may not be (read|written): [^\n]*\n$/ : /may not be read/);
  chmodSync(shut, 0o755);
});

const namespaces = ["--user", "--map-root-user", "--mount"];

test("without room on the disk it says so, and leaves nothing", (t) => {
  if (spawnSync("unshare", [...namespaces, "true"]).status !== 0) return t.skip("no user namespaces");
  const bundle = write("a.tar.zst", goodFile);
  const mount = join(folder, "full");
  mkdirSync(mount);
  const trilane = join(import.meta.dirname, "../../../../cli/trilane");
  for (const size of ["64k", "320k"]) {
    const script = `mount -t tmpfs -o size=${size} none "$0" && cd "$0" && "$@"; status=$?; ls -A "$0" >&2; exit $status`;
    const words = [...namespaces, "sh", "-c", script, mount, trilane, "reproduce", bundle, "--out", join(mount, "out")];
    const { status, stderr } = spawnSync("unshare", words, { encoding: "utf8" });
    assert.equal(status, 1, stderr);
    assert.match(stderr, /^trilane: \/[^\n]*(has room for|no space left)[^\n]*\n$/);
  }
});
