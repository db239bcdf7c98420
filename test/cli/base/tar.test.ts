// cli/base/tar.ts: what it writes it reads, other tars read it too, and what it would not have written it names.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import {
  CutOffError,
  TarError,
  type TarMember,
  tarEnd,
  tarHeader,
  tarMembers,
  tarPadding,
} from "../../../cli/base/tar.ts";

const tarOf = (...members: [name: string, bytes: Buffer][]): Buffer =>
  Buffer.concat([
    ...members.flatMap(([name, bytes]) => [tarHeader(name, bytes.length), bytes, tarPadding(bytes.length)]),
    tarEnd(),
  ]);

/** In pieces of a size that fits no block. */
async function* inPieces(bytes: Buffer, size = 77): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function textOf({ content }: TarMember): Promise<string> {
  let text = "";
  for await (const piece of content) text += piece.toString("latin1");
  return text;
}

async function read(tar: Buffer, size?: number): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const member of tarMembers(inPieces(tar, size))) found.push([member.name, await textOf(member)]);
  return found;
}

const long = `${"p".repeat(60)}/${"q".repeat(60)}/${"n".repeat(90)}`;
const members: [string, Buffer][] = [
  ["a", Buffer.from("")],
  ["b/c.txt", Buffer.from("x".repeat(511))],
  [long, Buffer.from("y".repeat(512))],
  ["d", Buffer.from("z".repeat(1500))],
];

test("members come back in any pieces, also after one that was not read", async () => {
  const expected = members.map(([name, bytes]) => [name, bytes.toString()]);
  for (const size of [1, 77, 512, 100_000]) assert.deepEqual(await read(tarOf(...members), size), expected);
  const names: string[] = [];
  for await (const { name, content } of tarMembers(inPieces(tarOf(...members)))) {
    names.push(name);
    for await (const _ of content) break;
  }
  assert.deepEqual(
    names,
    members.map(([name]) => name),
  );
});

test("GNU tar reads it, and sees no owner and no time", () => {
  const { status, stdout, stderr } = spawnSync("tar", ["-tvf", "-"], {
    input: tarOf(...members),
    encoding: "utf8",
    env: { ...process.env, TZ: "UTC" },
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^-rw-r--r-- 0\/0 +1500 1970-01-01 00:00 d$/m);
  assert.ok(stdout.includes(`511 1970-01-01 00:00 b/c.txt`));
});

test("names and sizes that ustar cannot hold are refused", () => {
  for (const name of ["n".repeat(101), `${"p".repeat(156)}/n`, `p/${"n".repeat(101)}`])
    assert.throws(() => tarHeader(name, 0), RangeError);
  assert.throws(() => tarHeader("a", 8 ** 11), RangeError);
  assert.equal(tarHeader("a", 8 ** 11 - 1).toString("latin1", 124, 136), "77777777777\0");
});

/** With its sum made right again. */
function changedHeader(at: number, text: string): Buffer {
  const header = tarHeader("name", 0);
  header.write(text, at, "latin1");
  header.fill(" ", 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

test("cut off anywhere it says so", async () => {
  const tar = tarOf(...members);
  for (const length of [0, 1, 511, 512, 700, tar.length - 1024, tar.length - 512, tar.length - 1])
    await assert.rejects(read(tar.subarray(0, length)), CutOffError, String(length));
});

const others: [what: string, tar: Buffer, words: RegExp][] = [
  ["a symlink", Buffer.concat([changedHeader(156, "2"), tarEnd()]), /^holds a symlink: "name"$/],
  ["a hard link", Buffer.concat([changedHeader(156, "1"), tarEnd()]), /^holds a hard link: "name"$/],
  ["a folder", Buffer.concat([changedHeader(156, "5"), tarEnd()]), /^holds a folder: "name"$/],
  ["a device", Buffer.concat([changedHeader(156, "3"), tarEnd()]), /^holds a device: "name"$/],
  ["an extended header", Buffer.concat([changedHeader(156, "x"), tarEnd()]), /^holds an extended header: "name"$/],
  ["GNU's long name", Buffer.concat([changedHeader(156, "L"), tarEnd()]), /^holds an extended header: "name"$/],
  ["an unknown type", Buffer.concat([changedHeader(156, "7"), tarEnd()]), /^holds no regular file: "name"$/],
  ["another magic", Buffer.concat([changedHeader(257, "ustar  "), tarEnd()]), /^holds what is no tar of ours$/],
  ["a size that is no number", Buffer.concat([changedHeader(124, "-0000000001"), tarEnd()]), /^has a damaged header$/],
  [
    "a size in base 256",
    Buffer.concat([changedHeader(124, "\x80\0\0\0\0\0\0\0\0\0\0\x05"), tarEnd()]),
    /^has a damaged header$/,
  ],
  ["a wrong sum", Buffer.concat([tarHeader("name", 0).fill("x", 0, 1), tarEnd()]), /^has a damaged header$/],
  [
    "no zeros behind a member",
    Buffer.concat([tarHeader("a", 1), Buffer.alloc(512, "x"), tarEnd()]),
    /^has a damaged header$/,
  ],
  ["half an end", Buffer.concat([tarEnd().subarray(512), Buffer.alloc(512, "x")]), /^has a damaged header$/],
  ["more behind the end", Buffer.concat([tarEnd(), Buffer.alloc(1)]), /^has more behind its end$/],
];

for (const [what, tar, words] of others)
  test(`refused: ${what}`, async () => {
    await assert.rejects(read(tar), (error: unknown) => {
      assert.ok(error instanceof TarError, String(error));
      assert.match(error.message, words);
      return true;
    });
  });
