// Loads over a link that refuses UDP, in real labs with a real browser: where the browser is free to it goes back to TCP, which is a
// result with its time, held here against the capture; a lane that is forced onto QUIC says in one line why it has none.
// Wide: cli/load, native-host/replay, shaper.
// Beside others: all but tests of time.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseLink } from "../../cli/link/link.ts";
import { openResults } from "../../cli/results/store/results.ts";
import { timedTest } from "../calm_machine.ts";
import { run } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite } from "./site.ts";
import { anyDisturbance, untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-udp-");

const form = "20mbit/40ms,udp=blocked";
const image = Uint8Array.from(Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"));
const page = "https://page.test/";
const site = recordSite(home, "tiny", [
  { url: page, body: "<!doctype html><h1>x</h1><img src=/1.gif><img src=https://other.test/2.gif>" },
  { url: `${page}1.gif`, type: "image/gif", body: image },
  { url: "https://other.test/2.gif", type: "image/gif", body: image },
]);

interface Captured {
  readonly time_ns: bigint;
  readonly isUp: boolean;
  readonly protocol: number;
  /** IPv4: as in the header. */
  readonly server: string;
  readonly port: number;
  readonly payload: Buffer;
}

/** IPv4 packets of a capture of trilane-shaper, in order: interface 0 is down, 1 up; time stamps are in ns. */
function readCapture(path: string): Captured[] {
  const bytes = readFileSync(path);
  const packets: Captured[] = [];
  for (let at = 0; at + 12 <= bytes.length; at += bytes.readUInt32LE(at + 4)) {
    if (bytes.readUInt32LE(at) !== 6) continue;
    const isUp = bytes.readUInt32LE(at + 8) === 1;
    const time_ns = (BigInt(bytes.readUInt32LE(at + 12)) << 32n) | BigInt(bytes.readUInt32LE(at + 16));
    const packet = bytes.subarray(at + 28, at + 28 + bytes.readUInt32LE(at + 20));
    const protocol = packet[9] ?? 0;
    if ((packet[0] ?? 0) >> 4 !== 4 || (protocol !== 6 && protocol !== 17)) continue;
    const transport = packet.subarray(((packet[0] ?? 0) & 15) * 4);
    const header = protocol === 17 ? 8 : ((transport[12] ?? 0) >> 4) * 4;
    const server = (isUp ? packet.subarray(16, 20) : packet.subarray(12, 16)).join(".");
    const port = transport.readUInt16BE(isUp ? 2 : 0);
    packets.push({ time_ns, isUp, protocol, server, port, payload: transport.subarray(header) });
  }
  return packets;
}

/** Of packets up. One is stamped as it leaves the link, a dropped one as it comes: what leaves earlier than this after it came before it. */
const oneWay_ns = BigInt(parseLink(form).up.delay_ms * 1e6);

/** From the first QUIC packet to the next TCP payload that goes to the same server. */
function fallbackIn(packets: readonly Captured[]): number | null {
  const up = packets.filter(({ isUp }) => isUp).sort((a, b) => Number(a.time_ns - b.time_ns));
  const quic = up.find(({ protocol, port }) => protocol === 17 && port === 443);
  const tcp = up.find(
    ({ protocol, server, payload, time_ns }) =>
      quic && protocol === 6 && server === quic.server && payload.length > 0 && time_ns >= quic.time_ns + oneWay_ns,
  );
  return quic && tcp ? Number(tcp.time_ns - quic.time_ns) / 1e6 : null;
}

for (const lane of ["h3-discovered", "h3-altsvc"] as const) {
  test(`${lane}: with UDP blocked the page ends over HTTP/2, and the fallback took what the capture shows`, async () => {
    const evidence = join(home, lane);
    const recording = await site;
    const options = { home, recording, lane, link: parseLink(form), timeout_ms: 30_000, evidence };
    let { log } = await untimedLoad(options);
    // What DNS or Alt-Svc tells of HTTP/3 came too late, and QUIC was not tried (lanes.test.ts).
    const isUntried = () => log._trilane.fallback?.fell_back !== true;
    for (let again = 0; again < 2 && isUntried(); again++) {
      rmSync(evidence, { recursive: true });
      ({ log } = await untimedLoad(options));
    }
    const { status, reasons, protocols, fallback } = log._trilane;
    assert.deepEqual([status, reasons], ["valid", []]);
    assert.deepEqual(protocols, { h2: 3 });
    assert.equal(fallback?.fell_back, true);
    assert.deepEqual([fallback.requests_over_tcp, fallback.requests], [3, 3]);
    const captured_ms = fallbackIn(readCapture(join(evidence, "packets.pcapng")));
    // Where HTTP/2 comes first, its last request may leave before QUIC is tried beside it.
    if (lane === "h3-altsvc" && captured_ms === null && fallback.time_ms === null) return;
    assert.ok(captured_ms !== null && fallback.time_ms !== null, `${fallback.time_ms} ms, ${captured_ms} ms captured`);
    assert.ok(Math.abs(captured_ms - fallback.time_ms) <= 10, `${fallback.time_ms} ms, ${captured_ms} ms captured`);
  });
}

timedTest(
  "a race over such a link: lanes that fall back count, the forced one is invalid with the reason",
  async (calm) => {
    const { name } = await site;
    const words = ["race", name, "--link", form, "--lanes", "h2,h3-discovered,h3-altsvc,h3"];
    const ran = run(home, [...words, "--runs", "1", "--timeout", "30", "--new", ...anyDisturbance]);
    const results = openResults(home);
    const sweep = results
      .listSweeps()
      .toSorted((a, b) => a.id - b.id)
      .at(-1);
    assert.ok(sweep, ran.stderr);
    const loads = results.loadsOf(sweep.id);
    results.close();
    const isOut = (reason: string): boolean => /self-test is out of tolerance/.test(reason);
    for (const reason of loads.flatMap(({ reasons }) => reasons).filter(isOut)) calm.disturbed(reason);
    const of = (lane: string) => loads.filter((load) => load.lane === lane);
    for (const lane of ["h2", "h3-discovered", "h3-altsvc"])
      assert.ok(
        of(lane).some(({ status }) => status === "valid"),
        `${lane}: ${of(lane).flatMap(({ reasons }) => reasons)}`,
      );
    for (const { lane, status, fallback_ms } of loads)
      assert.equal(fallback_ms !== null, status === "valid" && lane.startsWith("h3-"), `${lane} ${fallback_ms}`);
    assert.deepEqual(
      of("h3").map(({ status, reasons }) => [status, reasons]),
      [["invalid", ["UDP is blocked on this link, and nothing but HTTP/3 is allowed on lane h3"]]],
    );
    const csv = run(home, ["export", String(sweep.id), "--format", "csv"]);
    assert.ok((csv.stdout.split("\r\n")[0] ?? "").split(",").includes("fallback_ms"), csv.stderr);
    const report = join(home, "report.html");
    run(home, ["report", String(sweep.id), "--out", report]);
    const text = readFileSync(report, "utf8");
    for (const lane of ["h3-discovered", "h3-altsvc"])
      assert.match(text, new RegExp(`${lane} fell back to HTTP/2 in 1 of 1 load, after \\d`));
  },
);
