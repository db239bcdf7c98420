// trilane-fetch before trilane-replay in labs: every lane gives the same body over both versions of IP, and its steps take as many
// round trips as theory has. `npm run bench -- fetch` has the long ones, and those beside curl.
// Beside others: all but tests of time.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { notInstalled } from "../../cli/install/requirements.ts";
import { readMachine, unrestBetween } from "../../cli/load/pressure.ts";
import { timedTest } from "../calm_machine.ts";
import { curlWords, fetchWords, inLab, labRows, slope, theory, timeOf, withFetchSite } from "../fetch/fetch_lab.ts";
import { besideNgtcp2 } from "../fetch/ngtcp2_client.ts";
import { tempFolder } from "../temp_folder.ts";

test("every lane gives the body that curl gives, over IPv4 and IPv6", async () => {
  await withFetchSite("object-1MB", async (site) => {
    const commands = theory.flatMap(({ words }) =>
      ["4", "6"].map((version) => fetchWords(site, [...words, "--ip", version])),
    );
    const curl = curlWords(site, [])
      .join(" ")
      .replace(/--output \S+ --write-out .*?\n /s, "");
    const digest = await inLab(site, "100mbit/4ms", [["bash", "-c", `${curl} | sha256sum`]]);
    const { records } = labRows(await inLab(site, "100mbit/4ms", commands));
    assert.equal(records.length, 2 * theory.length);
    for (const record of records) {
      assert.equal(`${record.body_sha256}  -`, digest.trim(), record.lane);
      assert.deepEqual([record.status, record.body_bytes], [200, 1_000_000]);
      assert.equal(record.address?.includes(":"), record.ip === 6);
      assert.ok((record.bytes_received ?? 0) > 1_000_000 && (record.bytes_sent ?? 0) > 100);
      const resumes = record.lane.endsWith("0rtt");
      assert.deepEqual([record.resumed, record.early_data], resumes ? [true, "accepted"] : [false, "unused"]);
      assert.equal(record.certificate_bytes === null, resumes);
    }
  });
});

test("an h3 client of another stack gets the same body from a server of its own", {
  skip: notInstalled(["gtlsclient", "gtlsserver"]) ?? false,
}, async () => {
  const folder = tempFolder("trilane-ngtcp2-");
  const sizes = { size_bytes: 300_000, runs: 2 };
  const { ours, theirs, sha256 } = await besideNgtcp2(join(folder, "lab"), "100mbit/4ms", sizes);
  assert.deepEqual([...ours.sha256, ...theirs.sha256], Array(4).fill(sha256));
  for (const { connect_ms, first_byte_ms, download_ms } of theirs.times)
    assert.ok(connect_ms >= 4 && first_byte_ms > connect_ms && download_ms > first_byte_ms);
});

test("a connection that is used again has no handshake, and its own bytes", async () => {
  await withFetchSite("object-100kB", async (site) => {
    const commands = theory.map(({ words }) => [...fetchWords(site, [...words, "--reuse"]), site.url]);
    const { records } = labRows(await inLab(site, "100mbit/4ms", commands));
    for (const [at, { name }] of theory.entries()) {
      const [first, again] = [records[2 * at], records[2 * at + 1]];
      assert.deepEqual([first?.reused, again?.reused], [false, true], name);
      assert.equal(again?.connect_ms, null);
      assert.equal(again?.unavailable.connect_ms, "the connection was there");
      assert.equal(again?.body_sha256, first?.body_sha256);
      const received = again?.bytes_received ?? 0;
      assert.ok(received > 100_000 && received < 106_000, `${name}: ${received} bytes`);
    }
  });
});

const [near_ms, far_ms] = [20, 100] as const;
/** A machine that slept through a longer round trip computes its handshake slower: its caches, clock and memory went cold. */
const cold_ms = 6;
const runs = 3;

timedTest("steps take as many round trips as theory has, within 2 % and what a cold machine adds", async (calm) => {
  const before = readMachine();
  const began_ms = performance.now();
  await withFetchSite("object-10kB", async (site) => {
    const commands = Array.from({ length: runs }, () => theory.map(({ words }) => fetchWords(site, words))).flat();
    const [near, far] = [
      labRows(await inLab(site, `1000mbit/${near_ms}ms`, commands)),
      labRows(await inLab(site, `1000mbit/${far_ms}ms`, commands)),
    ];
    const { stalled, stolen } = unrestBetween(before, readMachine(), performance.now() - began_ms);
    if ((stalled ?? 0) > 0.1 || (stolen ?? 0) > 0.005)
      calm.disturbed("other programs had the CPUs while round trips were measured");
    for (const [at, { name, established, firstByte }] of theory.entries()) {
      const trips = (time: "established_ms" | "first_byte_ms"): number =>
        slope(
          [near, far].map(({ records }, place) => {
            const times = records
              .filter((_, each) => each % theory.length === at)
              .map((record) => timeOf(record, time));
            assert.equal(times.length, runs);
            // What a machine adds, by a CPU that slept or other programs, is never less than nothing.
            return [place === 0 ? near_ms : far_ms, Math.min(...times)] as const;
          }),
        );
      const isOff = (found: number, expected: number): boolean =>
        expected - found > 0.02 * Math.max(expected, 1) ||
        found - expected > 0.02 * Math.max(expected, 1) + cold_ms / (far_ms - near_ms);
      assert.ok(!isOff(trips("established_ms"), established), `${name}: established ${trips("established_ms")}`);
      assert.ok(!isOff(trips("first_byte_ms"), firstByte), `${name}: first byte ${trips("first_byte_ms")}`);
    }
  });
});
