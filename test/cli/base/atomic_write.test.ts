// cli/base/atomic_write.ts: what is there decides how it is written; nothing that is no file is ever replaced.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { describe, test } from "node:test";
import { atomicWrite } from "../../../cli/base/atomic_write.ts";
import { explain, RunError, UserError } from "../../../cli/base/errors.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-write-");

describe("a file", () => {
  test("is put in its place with the permissions that it had, and nothing stays beside it", async () => {
    const inside = join(folder, "file");
    mkdirSync(inside);
    const path = join(inside, "out");
    await atomicWrite(path, ["a", "b"]);
    assert.equal(readFileSync(path, "utf8"), "ab");
    chmodSync(path, 0o600);
    await atomicWrite(path, "c");
    assert.equal(readFileSync(path, "utf8"), "c");
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(inside), ["out"]);
  });

  test("written by two at once, by processes of one number as in containers, is one of theirs whole", async () => {
    const inside = join(folder, "two");
    mkdirSync(inside);
    const path = join(inside, "out");
    const { promise: otherIsDone, resolve } = Promise.withResolvers<void>();
    async function* slow() {
      yield "slow and ";
      await otherIsDone;
      yield "steady";
    }
    const slowly = atomicWrite(path, slow());
    await atomicWrite(path, "quick");
    assert.equal(readFileSync(path, "utf8"), "quick");
    resolve();
    await slowly;
    assert.equal(readFileSync(path, "utf8"), "slow and steady");
    assert.deepEqual(readdirSync(inside), ["out"]);
  });

  test("that fails half way leaves what was there", async () => {
    const path = join(folder, "kept");
    writeFileSync(path, "before");
    function* broken() {
      yield "half";
      throw new Error("broken");
    }
    await assert.rejects(atomicWrite(path, broken()), /broken/);
    assert.equal(readFileSync(path, "utf8"), "before");
  });

  test("behind symlinks is replaced, and the symlinks stay", async () => {
    mkdirSync(join(folder, "far"));
    symlinkSync("far/target", join(folder, "second"));
    symlinkSync("second", join(folder, "first"));
    for (const text of ["new", "again"]) {
      await atomicWrite(join(folder, "first"), text);
      assert.equal(readFileSync(join(folder, "far", "target"), "utf8"), text);
      assert.ok(lstatSync(join(folder, "first")).isSymbolicLink());
      assert.ok(lstatSync(join(folder, "second")).isSymbolicLink());
    }
    symlinkSync("round", join(folder, "round"));
    await assert.rejects(atomicWrite(join(folder, "round"), "x"), UserError);
  });

  test("in a folder that is not there is refused, and the folder is not made", async () => {
    const path = join(folder, "no", "such", "out");
    await assert.rejects(
      atomicWrite(path, "x"),
      (error) => error instanceof UserError && /no such folder/.test(`${error}`),
    );
    assert.ok(!existsSync(join(folder, "no")));
    await assert.rejects(atomicWrite(join(folder, "kept", "out"), "x"), UserError);
  });

  test("in a folder that may not be written is named, and not what would have been written beside it", async () => {
    // Also root makes no file there.
    const path = "/sys/trilane.html";
    await assert.rejects(atomicWrite(path, "x"), (error) => {
      assert.match(
        explain(error)?.line ?? "",
        /^\/sys\/trilane\.html: may not be written or read: .* or name another file/,
      );
      return true;
    });
  });
});

test("in a folder that takes no new file, the error names the file and what to do", async () => {
  await assert.rejects(atomicWrite("/proc/trilane.html", "x"), (error) => {
    assert.deepEqual(explain(error), {
      line: "/proc/trilane.html: no file can be made there: name another file",
      status: 2,
    });
    return true;
  });
});

test("a folder is refused", async () => {
  await assert.rejects(
    atomicWrite(folder, "x"),
    (error) => error instanceof UserError && /is a folder/.test(`${error}`),
  );
});

test("a full device stays a device", async () => {
  await assert.rejects(
    atomicWrite("/dev/full", "x"),
    (error) => error instanceof RunError && /no space/.test(`${error}`),
  );
  assert.ok(statSync("/dev/full").isCharacterDevice());
  symlinkSync("/dev/null", join(folder, "null"));
  await atomicWrite(join(folder, "null"), "x");
  assert.ok(statSync("/dev/null").isCharacterDevice());
});

for (const [size, parts] of Object.entries({
  "less than it holds": ["through ", "the pipe"],
  "more than it holds": ["through the pipe ".repeat(20_000), "the end"],
})) {
  test(`a named pipe is written into, however late its reader comes: ${size}`, async () => {
    const path = join(mkdtempSync(join(folder, "named-")), "pipe");
    execFileSync("mkfifo", [path]);
    const reader = spawn("bash", ["-c", 'sleep 0.3; exec cat "$0"', path], { stdio: ["ignore", "pipe", "inherit"] });
    const read = textOf(reader.stdout);
    await atomicWrite(path, parts);
    assert.equal(await read, parts.join(""));
    assert.ok(lstatSync(path).isFIFO());
  });
}

test("a named pipe whose reader ends early is named", async () => {
  const path = join(mkdtempSync(join(folder, "named-")), "pipe");
  execFileSync("mkfifo", [path]);
  const reader = spawn("head", ["-c", "1", path], { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(reader, "exit");
  // More than a pipe holds: it is not written whole before the reader has ended.
  await assert.rejects(
    atomicWrite(path, "x".repeat(8_000_000)),
    new RunError(`${path}: its reader ended before it had all: let it read to the end, or name a file`),
  );
  assert.deepEqual(await ended, [0, null]);
});

test("an open descriptor is written where it stands", async () => {
  const path = join(folder, "descriptor");
  const descriptor = openSync(path, "w");
  writeSync(descriptor, "before ");
  await atomicWrite(`/dev/fd/${descriptor}`, "between ");
  writeSync(descriptor, "after");
  closeSync(descriptor);
  assert.equal(readFileSync(path, "utf8"), "before between after");
  await assert.rejects(atomicWrite(`/dev/fd/${descriptor}`, "x"), UserError);
});

test("standard output takes more than a pipe holds", () => {
  const module = join(import.meta.dirname, "..", "..", "..", "cli", "base", "atomic_write.ts");
  const program = `process.stdout; const { atomicWrite } = await import(${JSON.stringify(module)});
    await atomicWrite("/dev/stdout", "x".repeat(3_000_000));`;
  const command = `"$0" --input-type=module --eval '${program}' | (sleep 0.3; wc -c)`;
  const { stdout, stderr } = spawnSync("bash", ["-c", command, process.execPath], { encoding: "utf8" });
  assert.equal(stdout.trim(), "3000000", stderr);
});
