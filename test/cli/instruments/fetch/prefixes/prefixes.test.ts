// Files of prefixes: each format, what is wrong with a line, and the longest prefix beside a search of all of them.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { randomSource } from "../../../../../cli/base/random.ts";
import {
  type Address,
  bitsOf,
  type Family,
  type Prefix,
  parseAddress,
  prefixesOfRange,
} from "../../../../../cli/instruments/fetch/prefixes/address.ts";
import { readPrefixLine } from "../../../../../cli/instruments/fetch/prefixes/prefix_line.ts";
import { PrefixTable, readPrefixes } from "../../../../../cli/instruments/fetch/prefixes/read_prefixes.ts";
import { growth } from "../../../../growth.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { refusedIn } from "../../../refused.ts";

const folder = tempFolder("trilane-prefixes-");
let files = 0;
function fileOf(content: string | Uint8Array): string {
  const path = join(folder, `${++files}.txt`);
  writeFileSync(path, content);
  return path;
}

test("ranges of IPv6 cost what their prefixes do, and there may be so many", () => {
  const first = parseAddress("2001:db8::1") as Address;
  const last = parseAddress("2001:db8:ffff:ffff:ffff:ffff:ffff:fffe") as Address;
  const prefixes = prefixesOfRange(first, last);
  // From ::1 on one of each size up, and down again.
  assert.equal(prefixes.length, 190);
  const sum = prefixes.reduce((total, { length }) => total + (1n << BigInt(128 - length)), 0n);
  assert.equal(sum, last.value - first.value + 1n);
  assert.equal(prefixesOfRange({ family: 6, value: 0n }, { family: 6, value: (1n << 128n) - 1n }).length, 1);
  const text = "2001:db8::1\t2001:db8:ffff:ffff:ffff:ffff:ffff:fffe\t64500\n2001:db9::/32\t64500\n";
  assert.throws(() => readPrefixes(fileOf(text), null, 190), /:2: is more than 190 prefixes/);
  const again = `${text.split("\n")[0]}\n`.repeat(3);
  assert.throws(() => readPrefixes(fileOf(again), null, 400), /:3: is more than 400 prefixes/, "made in vain, too");
  const wide = Array.from(
    { length: 600 },
    (_, at) => `2001:${at.toString(16)}::1\t2001:${at.toString(16)}:ffff:ffff:ffff:ffff:ffff:fffe\t64500\n`,
  );
  assert.throws(() => readPrefixes(fileOf(wide.join("")), null), /:575: and those before are ranges of over 16/);
  assert.equal(readPrefixes(fileOf(wide.slice(0, 500).join("")), null).prefixes, 95_000);
  assert.throws(() => readPrefixes(fileOf(gzipSync(Buffer.alloc(65e6))), null), /unpacks to too much/);
});

test("networks of IPv6, whose lower halves are alike, are found by all of their bits", async () => {
  const fill = (networks: number) => () => {
    const table = new PrefixTable();
    for (let index = 0; index < networks; index++)
      table.add({ family: 6, value: BigInt(index + 0x20010000) << 96n, length: 32 }, [64500]);
  };
  // Ten times as many take a hundred times as long if they collide.
  const times = await growth(fill(2000), fill(20_000));
  assert.ok(times < 40, `${times.toFixed(1)} times as long`);
});

const formats = {
  pyasn: "; IP-ASN32-DAT file\n; more\n192.0.2.0/24\t64500\n192.0.2.128/25\t64501\n2001:db8::/32\t64502\n",
  pfx2as: "192.0.2.0\t24\t64500\n192.0.2.128\t25\t64501\n2001:db8::\t32\t64502\n",
  "iptoasn TSV":
    "192.0.2.0\t192.0.2.127\t64500\tDE\tEXAMPLE-A - Example, A\n192.0.2.128\t192.0.2.255\t64501\tUS\tEXAMPLE-B\n198.51.100.0\t198.51.100.255\t0\tNone\tNot routed\n2001:db8::\t2001:db8:ffff:ffff:ffff:ffff:ffff:ffff\t64502\tUS\tEXAMPLE-C\n",
  "CSV of prefixes":
    'network,asn,name\n192.0.2.0/24,64500,"Example, A"\n192.0.2.128/25,AS64501,B\n2001:db8::/32,64502,C\n',
  "CSV of ranges":
    "192.0.2.0,192.0.2.127,64500,DE,A\n192.0.2.128,192.0.2.255,64501,US,B\n2001:db8::,2001:db8:ffff:ffff:ffff:ffff:ffff:ffff,64502,US,C\r\n",
  spaces: "192.0.2.0/24 64500\n192.0.2.128/25   64501\n2001:db8::/32 64502\n",
};

for (const [name, text] of Object.entries(formats))
  test(`${name}: plain, gzip and zstd`, () => {
    for (const content of [text, gzipSync(text), zstdCompressSync(text)]) {
      const { systemOf } = readPrefixes(fileOf(content), null);
      assert.equal(systemOf("192.0.2.1"), "AS64500");
      assert.equal(systemOf("192.0.2.200"), "AS64501");
      assert.equal(systemOf("2001:db8:1::7"), "AS64502");
      assert.equal(systemOf("198.51.100.7"), null);
      assert.equal(systemOf("2001:db9::"), null);
      assert.equal(systemOf("shop.example"), null);
    }
  });

test("names: the file's own, and another file's before them", () => {
  const own = readPrefixes(fileOf(formats["iptoasn TSV"]), null);
  assert.equal(own.nameOf("AS64500"), "EXAMPLE-A - Example, A");
  assert.equal(own.nameOf("AS1"), null);
  const names = fileOf('64500 SHOP Shop, DE\nAS64501\tNEWS\n64502,"Video, Inc."\n');
  const { nameOf } = readPrefixes(fileOf(formats.pyasn), names);
  assert.deepEqual(["AS64500", "AS64501", "AS64502"].map(nameOf), ["SHOP Shop, DE", "NEWS", "Video, Inc."]);
  assert.throws(
    () => readPrefixes(fileOf(formats.pyasn), fileOf("64500 SHOP\nnonsense\n")),
    refusedIn(/txt:2: must have a system's number and its name \(got "nonsense"\)/),
  );
});

test("several origins, as sets and as lines of their own", () => {
  const path = fileOf(
    "192.0.2.0\t24\t64500_64501\n198.51.100.0\t24\t64502,64503\n203.0.113.0\t24\t{64504,64505}\n203.0.113.0\t24\t64504_64506\n",
  );
  const { systemOf, prefixes } = readPrefixes(path, null);
  assert.equal(systemOf("192.0.2.1"), "AS64500, AS64501");
  assert.equal(systemOf("198.51.100.1"), "AS64502, AS64503");
  assert.equal(systemOf("203.0.113.1"), "AS64504, AS64505, AS64506");
  assert.equal(prefixes, 3);
});

test("a bad line is named, whatever is wrong with it", () => {
  const bad: readonly (readonly [string, RegExp])[] = [
    ["192.0.2.0/33\t1", /:2: the prefix's length must be 0 to 32 \(got "33"\)$/],
    ["2001:db8::/129\t1", /:2: the prefix's length must be 0 to 128 \(got "129"\)$/],
    ["192.0.2.300/24\t1", /:2: must begin with an address or a prefix \(got "192.0.2.300\/24"\)$/],
    ["192.0.2.0/24\tx", /:2: must have the number of an autonomous system \(got "x"\)$/],
    ["192.0.2.0/24", /:2: must have the number of an autonomous system \(got nothing\)$/],
    ["192.0.2.0/24\t4294967296", /:2: must have the number/],
    ["192.0.2.0", /:2: the prefix's length must be 0 to 32 \(got nothing\)$/],
    ["192.0.2.9\t192.0.2.1\t64500", /:2: the range ends before it begins$/],
    ["192.0.2.9\t2001:db8::\t64500", /:2: the range's ends are of different versions of IP$/],
    ["\u0000\u0001", /:2: must begin with an address/],
  ];
  for (const [line, message] of bad)
    assert.throws(() => readPrefixes(fileOf(`192.0.2.0/24\t64500\n${line}\n`), null), refusedIn(message), line);
  assert.throws(() => readPrefixes(fileOf("# nothing\n"), null), /has no prefix/);
  assert.throws(() => readPrefixes(join(folder, "none"), null), /no such file/);
  assert.throws(() => readPrefixes(folder, null), /is not a regular file/);
  const wide = Array.from(
    { length: 600 },
    (_, at) => `2001:${at.toString(16)}::1\t2001:${at.toString(16)}:ffff:ffff:ffff:ffff:ffff:fffe\t64500\n`,
  );
  assert.throws(() => readPrefixes(fileOf(wide.join("")), null), /:575: and those before are ranges of over 16/);
  assert.equal(readPrefixes(fileOf(wide.slice(0, 500).join("")), null).prefixes, 95_000);
  assert.throws(() => readPrefixes(fileOf(gzipSync("192.0.2.0/24 1\n").subarray(0, 20)), null), /gzip is cut off/);
});

test("numbers of addresses are those of the text", () => {
  assert.equal(parseAddress("192.0.2.1")?.value, 0xc0000201n);
  assert.equal(parseAddress("::")?.value, 0n);
  assert.equal(parseAddress("::1")?.value, 1n);
  assert.equal(parseAddress("2001:db8::1:0")?.value, 0x20010db8000000000000000000010000n);
  assert.equal(parseAddress("::ffff:192.0.2.1")?.value, 0xffffc0000201n);
  assert.equal(parseAddress("1:2:3:4:5:6:7:8")?.value, 0x00010002000300040005000600070008n);
  for (const none of ["", "1.2.3", "1.2.3.4.5", "fe80::1%eth0", "::1::", "g::"]) assert.equal(parseAddress(none), null);
});

test("a range's prefixes are all of its addresses and no others", () => {
  const random = randomSource(7, "ranges");
  for (let round = 0; round < 300; round++) {
    const ends = [Math.floor(random() * 300), Math.floor(random() * 300)].sort((a, b) => a - b) as [number, number];
    const base = random() < 0.5 ? 0n : 2n ** 32n - 300n;
    const at = (value: number) => ({ family: 4 as const, value: base + BigInt(value) });
    const prefixes = prefixesOfRange(at(ends[0]), at(ends[1]));
    const all = prefixes.flatMap(({ value, length }) =>
      Array.from({ length: 2 ** (32 - length) }, (_, i) => value + BigInt(i)),
    );
    const wanted = Array.from({ length: ends[1] - ends[0] + 1 }, (_, i) => base + BigInt(ends[0] + i));
    assert.deepEqual(all, wanted);
  }
  const [whole, ...none] = prefixesOfRange({ family: 6, value: 0n }, { family: 6, value: 2n ** 128n - 1n });
  assert.deepEqual([whole?.length, none], [0, []]);
});

/** Every prefix, one after another. */
function naive(table: readonly (readonly [Prefix, number])[], family: Family, value: bigint): number[] | null {
  let best = null as { length: number; asns: number[] } | null;
  for (const [prefix, asn] of table) {
    const open = BigInt(bitsOf(family) - prefix.length);
    if (prefix.family !== family || value >> open !== prefix.value >> open) continue;
    if (best && prefix.length < best.length) continue;
    best = { length: prefix.length, asns: best?.length === prefix.length ? [...best.asns, asn] : [asn] };
  }
  return best && [...new Set(best.asns)];
}

test("the longest prefix is found as a search of all finds it", () => {
  const random = randomSource(11, "prefixes");
  const draw = (bits: number): bigint => {
    let value = 0n;
    for (let bit = 0; bit < bits; bit++) value = (value << 1n) | (random() < 0.5 ? 1n : 0n);
    return value;
  };
  for (const family of [4, 6] as const) {
    const bits = bitsOf(family);
    // Few networks, so that prefixes lie within one another.
    const root = draw(bits - 6) << 6n;
    const prefixes = Array.from({ length: 400 }, (_, index): [Prefix, number] => {
      const length = random() < 0.1 ? Math.floor(random() * bits) : bits - Math.floor(random() * 7);
      const open = BigInt(bits - length);
      return [{ family, value: ((root | draw(6)) >> open) << open, length }, (index % 50) + 1];
    });
    const table = new PrefixTable();
    for (const [prefix, asn] of prefixes) table.add(prefix, [asn]);
    let found = 0;
    for (let round = 0; round < 2000; round++) {
      const value = random() < 0.8 ? root | draw(6) : draw(bits);
      const wanted = naive(prefixes, family, value);
      if (wanted) found++;
      assert.deepEqual(table.originsOf({ family, value }), wanted);
    }
    assert.ok(found > 1000);
  }
});

test("no line, however odd, ends in anything but an answer", () => {
  const random = randomSource(3, "lines");
  const words = [
    "192.0.2.0",
    "/24",
    "/",
    "\t",
    ",",
    " ",
    "64500",
    "AS",
    "_",
    "{",
    "}",
    '"',
    "2001:db8::",
    "::",
    ";",
    "-1",
    "x",
    "\u00e4",
  ];
  for (let round = 0; round < 5000; round++) {
    const line = Array.from(
      { length: 1 + Math.floor(random() * 8) },
      () => words[Math.floor(random() * words.length)],
    ).join("");
    const read = readPrefixLine(line);
    assert.ok(read === "nothing" || "problem" in read || read.announced.prefixes.length > 0, line);
  }
});
