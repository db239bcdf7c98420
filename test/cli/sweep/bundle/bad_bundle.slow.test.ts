// cli/sweep/bundle/read_bundle.ts given what somebody may send: each ends in one line that names the file and what is wrong, and
// nothing of it is left. Over 500 lines: one short test a bad bundle, all made from the same good one.
// Wide: cli/commands/reproduce.ts, cli/sweep/bundle.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { UserError } from "../../../../cli/base/errors.ts";
import { tarHeader } from "../../../../cli/base/tar.ts";
import { bundledSweeps } from "../../../../cli/instruments/all.ts";
import { reproduceBundle } from "../../../../cli/sweep/bundle/reproduce.ts";
import { prepareRerun } from "../../../../cli/sweep/bundle/rerun.ts";
import type { Bundle } from "../../../../schemas/generated/bundle.ts";
import { tempFolder } from "../../../temp_folder.ts";
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

async function assertRefused(path: string, words: RegExp, { rerun = false } = {}): Promise<void> {
  const out = join(folder, "out");
  const request = { bundle: path, out, onReproduced: () => {}, kinds: bundledSweeps };
  const again = { manifest: null, home: join(out, "rerun"), results: join(out, "results.db") };
  const reproducing = reproduceBundle({
    ...request,
    rerun: rerun
      ? async (_, { manifest }, unpacked) => void (await prepareRerun({ ...again, bundle: path, manifest, unpacked }))
      : null,
  });
  await assert.rejects(reproducing, (error: unknown) => {
    assert.ok(error instanceof UserError, String(error instanceof Error ? error.stack : error));
    assert.ok(error.message.startsWith(`${path}: `), error.message);
    assert.match(error.message.slice(path.length + 2), words);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  });
  rmSync(path);
  // What was reproduced before the rerun was refused stays.
  if (rerun) rmSync(out, { recursive: true });
  assert.deepEqual(readdirSync(folder), []);
}

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
  await assertRefused(
    packed(folder, "a", [{ name: "x", bytes: Buffer.from("y") }]),
    /^has "x" where README\.md belongs/,
  );
  await assertRefused(packed(folder, "a", [good[0] as TestMember]), /^has no manifest\.json/);
  mkdirSync(join(folder, "f"));
  await assert.rejects(
    reproduceBundle({
      bundle: join(folder, "f"),
      out: join(folder, "out"),
      onReproduced: () => {},
      kinds: bundledSweeps,
      rerun: null,
    }),
    /f: is not a regular file: name a bundle$/,
  );
  await assert.rejects(
    reproduceBundle({
      bundle: "/dev/zero",
      out: join(folder, "out"),
      onReproduced: () => {},
      kinds: bundledSweeps,
      rerun: null,
    }),
    /zero: is not a regular file: name a bundle$/,
  );
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
  const lie = truth.map((member) =>
    member.name === "loads.csv"
      ? { ...member, bytes: Buffer.from(member.bytes.toString().replace("valid", "VALID")) }
      : member,
  );
  await assertRefused(
    packed(folder, "a", lie),
    /^loads\.csv \(\d+ bytes\) is not what manifest\.json says: its SHA-256 is /,
  );
  const shorter = truth.map((member) =>
    member.name === "loads.csv" ? { ...member, bytes: member.bytes.subarray(1) } : member,
  );
  await assertRefused(packed(folder, "a", shorter), /^loads\.csv has \d+ bytes, and manifest\.json says \d+/);
  await assertRefused(
    packed(
      folder,
      "a",
      truth.filter(({ name }) => name !== "loads.csv"),
    ),
    /^has "plan\.json" where loads\.csv belongs/,
  );
  await assertRefused(packed(folder, "a", truth.slice(0, -1)), /^has no schemas\//);
  await assertRefused(
    packed(folder, "a", [...truth, { name: "zzz", bytes: Buffer.from("z") }]),
    /^has "zzz", which manifest\.json does not list/,
  );
  await assertRefused(
    packed(
      folder,
      "a",
      withMembers((members) => members.toReversed()),
    ),
    /^manifest\.json lists members twice or out of order/,
  );
  await assertRefused(
    packed(
      folder,
      "a",
      withMembers((members) => [...members, members.at(-1) as TestMember]),
    ),
    /twice or out of order/,
  );
  const nested = added({ name: "files/a", bytes: Buffer.from("1") }, { name: "files/a/b", bytes: Buffer.from("2") });
  await assertRefused(packed(folder, "a", withMembers(nested)), /twice or out of order/);
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
    await assertRefused(
      packed(folder, "a", withMembers(added(member))),
      /^manifest\.json: members\[\d+\]\.name: must match pattern/,
    );
    const [readme, manifest, ...rest] = good as [TestMember, TestMember, ...TestMember[]];
    await assertRefused(packed(folder, "a", [readme, manifest, member, ...rest]), /^has ".*" where bodies\/.* belongs/);
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
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, "0")}\0 `,
      148,
      "latin1",
    );
    const linked = good.map((member) =>
      member.name === "results.db" ? { ...member, bytes: Buffer.alloc(0), header } : member,
    );
    await assertRefused(packed(folder, "a", linked), words);
  }
});

test("of a newer Trilane: the bundle, and its results", async () => {
  await assertRefused(
    packed(
      folder,
      "a",
      withManifest((manifest) => ({ ...manifest, schema: "trilane/bundle/2" })),
    ),
    /^is a bundle of a newer Trilane \(format 2, this one knows 1\): upgrade Trilane$/,
  );
  await assertRefused(
    packed(
      folder,
      "a",
      withManifest((manifest) => ({ ...manifest, results_format: 99 })),
    ),
    /^holds results of a newer Trilane \(format 99, this one knows \d+\): upgrade Trilane$/,
  );
  const newer = replaced("results.db", (bytes) => {
    const path = write("newer.db", bytes);
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 99");
    database.close();
    const changed = readFileSync(path);
    rmSync(path);
    return changed;
  });
  await assertRefused(
    packed(folder, "a", withMembers(newer)),
    /^its results cannot be read \(results\.db: written by a newer Trilane/,
  );
});

test("a manifest that is no JSON, another document, or says what cannot be", async () => {
  const rest = good.slice(2);
  const readme = good[0] as TestMember;
  const withText = (text: string) =>
    packed(folder, "a", [readme, { name: "manifest.json", bytes: Buffer.from(text) }, ...rest]);
  await assertRefused(withText("{"), /^manifest\.json is no JSON/);
  await assertRefused(withText("null"), /^not a bundle/);
  await assertRefused(withText('{"schema": "trilane/merged/1"}'), /^not a bundle/);
  await assertRefused(withText('{"schema": "trilane/bundle/1"}'), /^manifest\.json: "[a-z_]+" is missing/);
  await assertRefused(withText(`{"schema": "trilane/bundle/1", "__proto__": {"x": 1}}`), /^manifest\.json: /);
  await assertRefused(
    packed(
      folder,
      "a",
      withManifest((manifest) => ({ ...manifest, sweep: { ...manifest.sweep, id: 77 } })),
    ),
    /^its results cannot be read \(no sweep 77 in results\.db/,
  );
});

test("what unpacks to more than it should: a manifest, a member, all of them", async () => {
  const zeros = (name: string, bytes: number): Buffer =>
    Buffer.concat([tarHeader(name, bytes), Buffer.alloc(1024 * 1024)]);
  await assertRefused(
    packed(folder, "a", zeros("README.md", 300 * 1024 ** 2)),
    /^README\.md has 315 MB, more than the 268 MB that it may have/,
  );
  const more = Array.from({ length: 40 }, (_, index) => ({ name: `figures/z${index}`, bytes: Buffer.from("z") }));
  const told = (bytes: number) => (manifest: Bundle) => ({
    ...manifest,
    members: manifest.members.map((member) => ({ ...member, bytes })),
  });
  await assertRefused(
    packed(folder, "a", withMembers(added(...more), told(8589934591))),
    /^would unpack to \d+ members of \d+ GB, more than a bundle may have/,
  );
  // Zeros without an end, packed small, are read as far as the manifest says.
  const bomb = Buffer.concat([tarOf(good.slice(0, 2)).subarray(0, -1024), Buffer.alloc(64 * 1024 * 1024)]);
  await assertRefused(packed(folder, "a", bomb), /^(has no bodies\/|has more behind its end)/);
  const har = gzipSync(Buffer.alloc(600_000_000), { level: 1 });
  const packedLoad = replaced("results.db", (bytes) => {
    const path = write("bomb.db", bytes);
    const database = new DatabaseSync(path);
    database.prepare("UPDATE document SET content = ? WHERE name = 'page-load'").run(har);
    database.close();
    const changed = readFileSync(path);
    rmSync(path);
    return changed;
  });
  await assertRefused(
    packed(folder, "a", withMembers(packedLoad)),
    /^its results cannot be read \(results\.db: load \d+: its page load unpacks to more than \d+/,
  );
});

test("results that are damaged, another database, or no database", async () => {
  const cannot = /^its results cannot be read \(/;
  await assertRefused(packed(folder, "a", withMembers(replaced("results.db", Buffer.from("no database")))), cannot);
  await assertRefused(packed(folder, "a", withMembers(replaced("results.db", Buffer.alloc(0)))), cannot);
  const torn = (bytes: Buffer): Buffer =>
    Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(8192, 0xff), bytes.subarray(16384)]);
  await assertRefused(packed(folder, "a", withMembers(replaced("results.db", torn))), cannot);
  await assertRefused(
    packed(
      folder,
      "a",
      withMembers((members) => members.filter(({ name }) => name !== "results.db")),
    ),
    /^has no results\.db/,
  );
});

test("a rerun of pages that are others, of a plan that names files of this machine, of bodies that are not there", async () => {
  const json = (change: (document: Record<string, unknown>) => unknown) => (bytes: Buffer) =>
    Buffer.from(JSON.stringify(change(JSON.parse(bytes.toString()) as Record<string, unknown>)));
  const rerun = (change: (members: TestMember[]) => TestMember[]) => packed(folder, "a", withMembers(change));
  const again = { rerun: true };
  const linked = (link: string) =>
    rerun(
      replaced(
        "plan.json",
        json((plan) => ({ ...plan, links: [link] })),
      ),
    );
  for (const link of [
    "trace=/etc/passwd,rtt=50ms",
    "3mbit/50ms,loss=file:/etc/passwd",
    "/etc/hostname.json",
    "3mbit/50ms,switch=8s:/etc/hostname.json,seed=2",
    "3mbit/50ms,switch=8s:3mbit/50ms+loss=file:/etc/passwd,seed=2",
    "../../links.json",
  ])
    await assertRefused(linked(link), /^its plan names ".*", which is not in it: do not run it$/, again);
  const interleaved = { of: "browsers", browsers: ["/bin/sh", "/bin/bash"] };
  await assertRefused(
    rerun(
      replaced(
        "plan.json",
        json((plan) => ({ ...plan, interleaved, lanes: ["h1"] })),
      ),
    ),
    /^its plan names programs of another machine \(two browsers\)/,
    again,
  );
  for (const [program, own] of [
    ["touch /tmp/reached", { servers: { own: { command: "touch /tmp/reached" } }, lanes: ["h1+own"] }],
    ["/etc/passwd", { servers: { own: { program: "nginx", configuration: "/etc/passwd" } }, lanes: ["h1+own"] }],
    ["/bin/sh", { browser: "/bin/sh" }],
    ["/bin/bash", { browsers: { a: "chromium", b: "/bin/bash" }, lanes: ["h1@a", "h1@b"] }],
  ] as const)
    await assertRefused(
      rerun(
        replaced(
          "plan.json",
          json((plan) => ({ ...plan, ...own })),
        ),
      ),
      new RegExp(
        `^its plan names a program of another machine \\(${program}\\): run it with yours by .trilane sweep PLAN --`,
      ),
      again,
    );
  await assertRefused(
    rerun(
      replaced(
        "plan.json",
        json((plan) => ({ ...plan, servers: { live: { live: {} } }, lanes: ["h1+live"] })),
      ),
    ),
    /^its servers are live, and a rerun never goes out to the internet: /,
    again,
  );
  await assertRefused(rerun(replaced("plan.json", Buffer.from("{}"))), /^plan\.json: "\w+" is missing/, again);
  await assertRefused(
    rerun(
      replaced(
        "recordings/shop.json",
        json((recording) => ({ ...recording, name: "other" })),
      ),
    ),
    /^recordings\/shop\.json is of other/,
    again,
  );
  await assertRefused(
    rerun(
      replaced(
        "recordings/shop.json",
        json((recording) => ({ ...recording, exchanges: (recording.exchanges as unknown[]).slice(1) })),
      ),
    ),
    /^recording shop is not what its manifest says/,
    again,
  );
  const isBody = ({ name }: TestMember): boolean => name.startsWith("bodies/");
  await assertRefused(
    rerun((members) => members.filter((member) => !isBody(member))),
    /^has no body [0-9a-f]{12} of recording shop/,
    again,
  );
  await assertRefused(
    rerun((members) => members.map((member) => (isBody(member) ? { ...member, bytes: Buffer.from("other") } : member))),
    /^recording shop is not what its manifest says/,
    again,
  );
  const path = packed(
    folder,
    "a",
    withManifest((manifest) => ({ ...manifest, files: [{ path: "/x/..", sha256: "0".repeat(64) }] })),
  );
  await assertRefused(path, /^"\/x\/\.\." is no file's name/, again);
});

test("a symlink to a bundle is read; one in place of the folder is not followed", async () => {
  write("a.tar.zst", goodFile);
  symlinkSync("a.tar.zst", join(folder, "link"));
  const done = await reproduceBundle({
    bundle: join(folder, "link"),
    out: join(folder, "out"),
    onReproduced: () => {},
    kinds: bundledSweeps,
    rerun: null,
  });
  assert.equal(done.same, done.files);
  symlinkSync("/tmp", join(folder, "elsewhere"));
  await assert.rejects(
    reproduceBundle({
      bundle: join(folder, "link"),
      out: join(folder, "elsewhere"),
      onReproduced: () => {},
      kinds: bundledSweeps,
      rerun: null,
    }),
    /elsewhere: is no folder/,
  );
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
