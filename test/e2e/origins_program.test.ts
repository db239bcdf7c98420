// trilane-replay's and trilane-shaper's options for origins, as curl meets them in a lab: which address a host has, for
// whom its certificate is good and how large the chain is, which TLS is spoken, and how far away a server is.
// Wide: native-host/replay, shaper.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { programPath } from "../../cli/base/programs.ts";
import type { ReplayReport } from "../../schemas/generated/replay_report.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite } from "./site.ts";

const run = promisify(execFile);
const home = tempFolder("trilane-origins-program-");

const tls = (names: readonly string[], chain_bytes: number | null) => ({
  tls: { version: "TLS 1.3", names, issuer: "x", chain_bytes },
});

before(async () => {
  await recordSite(home, "site", [
    { url: "https://www.shop.test/", body: "page", recorded: tls(["www.shop.test", "shop.test"], 5000) },
    { url: "https://img.shop.test/", body: "image" },
    { url: "https://cdn.net.test/", body: "script", recorded: tls(["cdn.net.test", "*.other.test"], null) },
    { url: "https://x.other.test/", body: "other" },
    { url: "http://old.test/", body: "old" },
  ]);
});

interface Lab {
  readonly replay?: readonly string[];
  readonly shaper?: readonly string[];
}

async function curl(args: readonly string[], { replay = [], shaper = [] }: Lab = {}): Promise<string> {
  const { stdout } = await run(programPath("trilane-replay"), [
    ...["--home", home, "--recording", "site", "--report", join(home, "report.json"), ...replay, "--"],
    ...[programPath("trilane-shaper"), "--link", "unlimited/2ms", ...shaper, "--"],
    ...["curl", "--silent", "--show-error", "--cacert", join(home, "ca", "ca.pem"), ...args],
  ]);
  return stdout;
}

const report = (): ReplayReport => JSON.parse(readFileSync(join(home, "report.json"), "utf8")) as ReplayReport;

const hosts = ["www.shop.test", "img.shop.test", "cdn.net.test", "x.other.test"];
const urls = hosts.map((host) => `https://${host}/`);

async function addresses(kind: string): Promise<string[]> {
  const said = await curl(["--output", "/dev/null", "--write-out", "%{remote_ip}\n", ...urls], {
    replay: ["--origins", kind],
  });
  // One file of output for all URLs: the bodies of those after the first precede what is told of them.
  return said
    .trim()
    .split("\n")
    .map((line) => line.replace(/^\D*/, ""));
}

/** The leaf's alternative names, sorted, and the chain's size. */
async function chain(host: string, replay: readonly string[] = []) {
  const said = await curl(["--output", "/dev/null", "--write-out", "%{certs}", `https://${host}/`], { replay });
  const names = /X509v3 Subject Alternative Name:\s*(.*)/.exec(said)?.[1] ?? "";
  const bytes = [...said.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)/g)].map(
    ([, text]) => Buffer.from(text ?? "", "base64").byteLength,
  );
  return {
    names: names
      .split(/,\s*/)
      .map((name) => name.replace("DNS:", ""))
      .sort(),
    bytes: bytes.reduce((sum, size) => sum + size, 0),
  };
}

function assertNear(found: number, wanted: number, what: string): void {
  assert.ok(Math.abs(found - wanted) <= 8, `${what}: ${found} bytes, not ${wanted}`);
}

test("--origins: each host on its recorded address, an operator's on one, or all on one", async () => {
  assert.deepEqual(await addresses("as-recorded"), ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"]);
  assert.equal(report().origins?.addresses, 5);
  // One registrable domain; a host that the other's certificate is good for.
  assert.deepEqual(await addresses("merged"), ["203.0.113.1", "203.0.113.1", "203.0.113.3", "203.0.113.3"]);
  assert.deepEqual(await addresses("single"), ["203.0.113.1", "203.0.113.1", "203.0.113.1", "203.0.113.1"]);
  const { kind, addresses: count } = report().origins ?? {};
  assert.deepEqual({ kind, count }, { kind: "single", count: 1 });
});

test("certificates bear the recorded names, and those of all hosts where servers are merged", async () => {
  assert.deepEqual((await chain("www.shop.test")).names, ["shop.test", "www.shop.test"]);
  assert.deepEqual((await chain("img.shop.test")).names, ["img.shop.test"]);
  assert.deepEqual((await chain("x.other.test", ["--origins", "merged"])).names, ["*.net.test", "*.other.test"]);
  const all = ["*.net.test", "*.other.test", "*.shop.test", "old.test"];
  assert.deepEqual((await chain("img.shop.test", ["--origins", "single"])).names, all);
});

test("chains have the recorded size, a typical one where it is not known, or the one asked", async () => {
  assertNear((await chain("www.shop.test")).bytes, 5000, "recorded");
  assertNear((await chain("img.shop.test")).bytes, 3243, "nothing recorded");
  assertNear((await chain("cdn.net.test")).bytes, 3243, "size not recorded");
  assertNear((await chain("www.shop.test", ["--chain", "2000"])).bytes, 2000, "asked");
  assert.ok((await chain("www.shop.test", ["--chain", "small"])).bytes < 1200);
});

test("--tls-min and --tls-max say which TLS is spoken over TCP", async () => {
  const versions = async (replay: readonly string[]) => {
    await curl(["--output", "/dev/null", "https://www.shop.test/"], { replay });
    return report().connections.map(({ tls_version }) => tls_version);
  };
  assert.deepEqual(await versions([]), ["TLSv1.3"]);
  assert.deepEqual(await versions(["--tls-max", "1.2"]), ["TLSv1.2"]);
  await assert.rejects(
    curl(["--tls-max", "1.2", "https://www.shop.test/"], { replay: ["--tls-min", "1.3"] }),
    /protocol version/,
  );
  await assert.rejects(
    run(programPath("trilane-replay"), ["--recording", "site", "--tls-min", "1.3", "--tls-max", "1.2"]),
    /--tls-min is above --tls-max/,
  );
});

test("--http-origins upgraded: what was recorded over http:// is there over https://, and in clear no more", async () => {
  assert.equal(await curl(["http://old.test/"]), "old");
  assert.equal(report().origins?.http, "clear");
  const upgraded = { replay: ["--http-origins", "upgraded"] };
  assert.equal(await curl(["https://old.test/"], upgraded), "old");
  const { origins, requests } = report();
  assert.deepEqual([origins?.http, origins?.http_exchanges], ["upgraded", 1]);
  assert.equal(requests[0]?.outcome, "exact");
});

test("--extra-rtt makes a server farther away, and no other", async () => {
  const told = "%{time_namelookup} %{time_connect}\n";
  const said = await curl(
    ["--output", "/dev/null", "--output", "/dev/null", "--write-out", told, ...urls.slice(0, 2)],
    {
      shaper: ["--extra-rtt", "203.0.113.2=80ms,2001:db8::1=1s"],
    },
  );
  const [near, far] = said
    .trim()
    .split("\n")
    .map((line) => line.split(" ").map(Number))
    .map(([lookup, connect]) => ((connect ?? 0) - (lookup ?? 0)) * 1000);
  assert.ok(near !== undefined && far !== undefined);
  // The connections' own round trips: 2 ms, and 80 ms more. What a busy machine adds only makes them longer.
  assert.ok(near >= 2 && near < 60, `near: ${near} ms`);
  assert.ok(far >= 82 && far < 140, `far: ${far} ms`);
  await assert.rejects(curl([], { shaper: ["--extra-rtt", "shop.test=1ms"] }), /no ADDRESS=TIME/);
});
