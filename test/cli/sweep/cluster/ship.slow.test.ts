// What is brought to hosts and back, with a shell in another folder for ssh: nothing that a killed submit left stays.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { thisProcess } from "../../../../cli/base/process_owner.ts";
import { tarEnd, tarHeader } from "../../../../cli/base/tar.ts";
import { openExistingShard } from "../../../../cli/results/store/results.ts";
import { shardNames } from "../../../../cli/sweep/cluster/shards.ts";
import { collect, packFolder, ship } from "../../../../cli/sweep/cluster/ship.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { madeShard } from "./made_shard.ts";

const folder = tempFolder("trilane-ship-");
const there = join(folder, "there");
mkdirSync(there);

const shard = readFileSync(madeShard({ folder: join(folder, "made"), host: "lab", cell: 1 }));

// After -o BatchMode=yes and the host comes the line.
writeFileSync(join(folder, "ssh"), `cd '${there}' && exec sh -c "$4"\n`);
const remote = { host: "lab", ssh: ["sh", join(folder, "ssh")], folder: "study" };

test("a packed folder reaches the host once, and takes away what a killed submit left", async () => {
  const temporary = join(folder, "tmp");
  const left = join(temporary, "trilane-submit-4711-abc");
  mkdirSync(join(left, "home"), { recursive: true });
  writeFileSync(join(left, ".trilane"), JSON.stringify({ ...thisProcess(), start_ticks: "1" }));
  const plan = join(folder, "plan.json");
  writeFileSync(plan, "{}");
  const before = process.env.TMPDIR;
  process.env.TMPDIR = temporary;
  try {
    const packed = await packFolder(join(folder, "home"), {}, [plan]);
    assert.deepEqual(readdirSync(temporary), [basename(packed.path)]);
    mkdirSync(join(packed.path, "home")); // made with the first recording
    assert.equal(await ship(remote, packed.path), true);
    assert.equal(await ship(remote, packed.path), false);
    assert.deepEqual(readdirSync(join(there, "study")).sort(), ["home", "shards", "shipped"]);
    await packed.remove();
    assert.deepEqual(readdirSync(temporary), []);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
});

test("shards come back whole, and what a killed submit had half brought goes", async () => {
  const shards = join(folder, "shards");
  mkdirSync(join(shards, ".collected-abc"), { recursive: true });
  writeFileSync(join(shards, ".collected-abc", "cell-0001-lab.db"), "half");
  mkdirSync(join(there, "study", "shards"), { recursive: true });
  writeFileSync(join(there, "study", "shards", "cell-0002-lab.db"), shard);
  await collect(remote, shards, new Set(["cell-0002-lab.db"]));
  assert.deepEqual(readdirSync(shards), ["cell-0002-lab.db"]);
  assert.deepEqual(readFileSync(join(shards, "cell-0002-lab.db")), shard);
});

test("a host's own shards are those of the plan's cells under its name", () => {
  assert.deepEqual(
    [...shardNames("lab", { cells: 2, reference: true })].filter((name) => name.endsWith(".db")),
    ["cell-0001-lab.db", "cell-0002-lab.db", "reference-lab.db"],
  );
  assert.equal(shardNames("lab", { cells: 1, reference: false }).has("reference-lab.db"), false);
});

/** A host that lists one shard of its own and sends, instead of that, whatever `fill` puts into its tar. */
function hostile(name: string, fill: (folder: string) => void) {
  const sent = join(folder, name);
  mkdirSync(join(sent, "shards"), { recursive: true });
  fill(join(sent, "shards"));
  const tar = join(folder, `${name}.tar`);
  const names = readdirSync(join(sent, "shards")).map((each) => `./${each}`);
  const packed = spawnSync("tar", ["--format=ustar", "-b1", "-cf", tar, "-C", join(sent, "shards"), ...names]);
  assert.equal(packed.status, 0, packed.stderr.toString());
  const ssh = join(folder, `${name}-ssh`);
  writeFileSync(ssh, `case "$4" in tar*) cat '${tar}' ;; *) ls '${join(sent, "shards")}' ;; esac\n`);
  const into = join(folder, `${name}-here`);
  mkdirSync(into);
  return { remote: { host: name, ssh: ["sh", ssh], folder: "study" }, into };
}

test("a host cannot replace another one's shard, nor bring what no shard is", async () => {
  const { remote: evil, into } = hostile("evil", (shards) => {
    for (const name of ["cell-0001-evil.db", "cell-0001-lab.db", "cell-0003-evil.db", "reference-evil.db"])
      writeFileSync(join(shards, name), shard);
    symlinkSync(join(folder, "outside"), join(shards, "submission.json"));
  });
  writeFileSync(join(into, "cell-0001-lab.db"), "lab's");
  const taken = collect(evil, into, shardNames("evil", { cells: 2, reference: false }));
  await assert.rejects(
    taken,
    /^RunError: evil: delivered "cell-0001-lab\.db", which is not wanted or came twice; nothing/,
  );
  assert.deepEqual(readdirSync(into).sort(), ["cell-0001-lab.db"]);
  assert.equal(readFileSync(join(into, "cell-0001-lab.db"), "utf8"), "lab's");
});

for (const [kind, make] of [
  ["symlink", (path: string) => symlinkSync(join(folder, "outside"), path)],
  ["folder", (path: string) => mkdirSync(join(path, "in"), { recursive: true })],
  [
    "hard link",
    (path: string) => {
      writeFileSync(path, "x");
      linkSync(path, path.replace("0001", "0002"));
    },
  ],
] as const)
  test(`a shard that is a ${kind} is refused, and nothing of its host is taken`, async () => {
    const name = kind.replace(" ", "-");
    const { remote: evil, into } = hostile(name, (shards) => {
      make(join(shards, `cell-0001-${name}.db`));
      writeFileSync(join(shards, `reference-${name}.db`), shard);
    });
    const taken = collect(evil, into, shardNames(name, { cells: 2, reference: true }));
    await assert.rejects(
      taken,
      /^RunError: [a-z-]+: delivered what holds a (?:symlink|folder|hard link): .*; nothing from it was taken$/,
    );
    assert.deepEqual(readdirSync(into), []);
    assert.equal(existsSync(join(folder, "outside")), false);
  });

test("what a host delivers is looked at before it is unpacked: sizes, whole headers, and its end", async () => {
  const name = "cell-0001-tar.db";
  const huge = Buffer.concat([tarHeader(name, 8 * 1024 ** 3 - 1), Buffer.alloc(1e6)]);
  const { remote: evil, into } = hostile("tar", (shards) => writeFileSync(join(shards, name), shard));
  const more = hostile("more", (shards) => {
    for (const place of ["1", "2", "3"]) writeFileSync(join(shards, `cell-000${place}-more.db`), "x");
  });
  const three = ["1", "2", "3"].map((place) => tarHeader(`cell-000${place}-more.db`, 8 * 1024 ** 3 - 1));
  for (const [host, here, cells, bytes, why] of [
    [evil, into, 1, huge, /bringing shards back: it ended too early$/],
    [evil, into, 1, Buffer.alloc(512, "x"), /holds what is no tar of ours; nothing/],
    [evil, into, 1, tarEnd(), /delivered no cell-0001-tar\.db, which it listed; nothing/],
    [more.remote, more.into, 3, three[0], /it ended too early$|is what there may be or is free; nothing/],
  ] as const) {
    writeFileSync(join(folder, `${host.host}.tar`), bytes ?? "");
    await assert.rejects(collect(host, here, shardNames(host.host, { cells, reference: false })), (error: Error) => {
      assert.match(error.message, why);
      return error.name === "RunError";
    });
    assert.deepEqual(readdirSync(here), []);
  }
});

/** A shard in the folder whose writer was killed, within a transaction that wrote "nothing" over its sweeps' names. */
function killedShard(folder: string, name: string): void {
  const path = join(folder, `whole-${name}`);
  writeFileSync(path, shard);
  const writer = new DatabaseSync(path);
  writer.exec("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; UPDATE sweep SET name = 'nothing'");
  writer.exec("CREATE TABLE large (a); INSERT INTO large VALUES (randomblob(200000))");
  for (const end of ["", "-journal"]) copyFileSync(`${path}${end}`, join(folder, `${name}${end}`));
  writer.close();
  rmSync(path);
}

test("a shard of a cell that was killed comes as its last transaction left it", async () => {
  const { remote: host, into } = hostile("killed", (shards) => killedShard(shards, "cell-0001-killed.db"));
  const path = join(into, "cell-0001-killed.db");
  writeFileSync(`${path}-journal`, "of an earlier one");
  await collect(host, into, shardNames("killed", { cells: 1, reference: false }));
  const results = openExistingShard(path);
  assert.deepEqual(
    results?.listSweeps().map(({ name }) => name),
    ["study"],
  );
  results?.close();
  assert.deepEqual(readdirSync(into), ["cell-0001-killed.db"]);
});

test("a journal that would have another file deleted is refused, and one without a shard is not taken", async () => {
  const { remote: evil, into } = hostile("journal", (shards) => {
    killedShard(shards, "cell-0001-journal.db");
    appendFileSync(join(shards, "cell-0001-journal.db-journal"), Buffer.from("d9d505f920a163d7", "hex"));
  });
  const taken = collect(evil, into, shardNames("journal", { cells: 1, reference: false }));
  await assert.rejects(
    taken,
    /^RunError: journal: delivered cell-0001-journal\.db-journal, which would have another file/,
  );
  assert.deepEqual(readdirSync(into), []);

  const alone = hostile("alone", (shards) => writeFileSync(join(shards, "cell-0001-alone.db-journal"), "x"));
  await collect(alone.remote, alone.into, shardNames("alone", { cells: 1, reference: false }));
  assert.deepEqual(readdirSync(alone.into), []);
});

test("a file that is no shard is refused as its host's, and what is here stays", async () => {
  const another = join(folder, "another.db");
  const database = new DatabaseSync(another);
  database.exec("CREATE TABLE t (a)");
  database.close();
  const odd = join(folder, "odd.db");
  writeFileSync(odd, shard);
  const changed = new DatabaseSync(odd);
  changed.exec("UPDATE sweep SET plan = 'no JSON', command = 'no JSON'");
  changed.close();
  for (const [name, bytes, why] of [
    ["text", Buffer.from("no database, but text that goes on for some while"), /not a results database/],
    ["cut", shard.subarray(0, 3 * 4096), /damaged/],
    ["other", readFileSync(another), /not Trilane's results/],
    ["odd", readFileSync(odd), /JSON/],
  ] as const) {
    const { remote: evil, into } = hostile(name, (shards) => {
      writeFileSync(join(shards, `cell-0001-${name}.db`), shard);
      writeFileSync(join(shards, `cell-0002-${name}.db`), bytes);
    });
    writeFileSync(join(into, `cell-0002-${name}.db`), "earlier");
    await assert.rejects(collect(evil, into, shardNames(name, { cells: 2, reference: false })), (error: Error) => {
      assert.equal(error.name, "RunError");
      assert.match(error.message, new RegExp(`^${name}: delivered cell-0002-${name}\\.db, which cannot be read \\(`));
      assert.match(error.message, why);
      return true;
    });
    assert.deepEqual(readdirSync(into), [`cell-0002-${name}.db`]);
    assert.equal(readFileSync(join(into, `cell-0002-${name}.db`), "utf8"), "earlier");
  }
});

test("a folder that may not be written is refused, and nothing of it stays", async () => {
  const { remote: evil, into } = hostile("closed", (shards) => {
    const closed = join(shards, "cell-0001-closed.db");
    mkdirSync(closed);
    writeFileSync(join(closed, "in"), "x");
    chmodSync(closed, 0o500);
  });
  const isRoot = process.getuid?.() === 0;
  // Root may remove anything.
  if (isRoot) {
    chmodSync(folder, 0o711);
    chownSync(into, 65534, 65534);
    process.seteuid?.(65534);
  }
  try {
    const taken = collect(evil, into, shardNames("closed", { cells: 1, reference: false }));
    await assert.rejects(taken, /^RunError: closed: delivered what holds a folder: /);
    assert.deepEqual(readdirSync(into), []);
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});
