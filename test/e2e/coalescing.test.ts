// A page recorded live from nginx and replayed: hosts share connections in the replay exactly as they did live, with
// certificates of the names and the size that nginx sent.
// Wide: cli/recording/record, native-host/replay.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { programPath } from "../../cli/base/programs.ts";
import { parseLink } from "../../cli/link/link.ts";
import type { JsonObject } from "../../cli/recording/archive/archive.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { run } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { makeLiveSite, noLiveSite } from "./live_site.ts";
import { untimedLoad } from "./untimed_load.ts";

const scratch = tempFolder("trilane-coalescing-");
const home = join(scratch, "home");

const skip = noLiveSite(["nginx"]);

const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const hosts = ["img.live.test", "own.live.test", "far.live.test"];

function makeRoot(): string {
  const root = join(scratch, "root");
  mkdirSync(root);
  const images = hosts.map((host, n) => `<img src=https://${host}/${n}.gif>`).join("");
  writeFileSync(join(root, "index.html"), `<!doctype html><meta charset=utf-8><h1>x</h1>${images}`);
  for (const n of hosts.keys()) writeFileSync(join(root, `${n}.gif`), gif);
  return root;
}

/** Sorted lists of the hosts that shared a connection, sorted. */
function sharing(requests: readonly { host: string; connection: unknown }[]): string[] {
  const byConnection = Map.groupBy(requests, ({ connection }) => connection);
  return [...byConnection.values()].map((list) => [...new Set(list.map(({ host }) => host))].sort().join("+")).sort();
}

test("hosts share connections in the replay as they did live", { skip }, async () => {
  const root = makeRoot();
  const folder = join(scratch, "site");
  mkdirSync(folder);
  const address = "203.0.113.1";
  const site = makeLiveSite(folder, [
    { hosts: ["live.test", "img.live.test"], address, root, program: "nginx", chainLength: 4 },
    { hosts: ["own.live.test"], address, root, program: "nginx" },
    { hosts: ["far.live.test"], address: "203.0.113.2", root, program: "nginx" },
  ]);
  const words = ["record", "https://live.test/", "--name", "live", "--trust", site.authority, "--no-time-servers"];
  const recorded = run(home, words, { around: site.words });
  assert.equal(recorded.status, 0, recorded.stderr);

  const { recording, exchanges } = await withArchive(home, (archive) => archive.show("live"));
  const page = exchanges.filter(({ path }) => path !== "/favicon.ico");
  const live = sharing(page.map(({ host, recorded }) => ({ host, connection: recorded.connection ?? null })));
  assert.deepEqual(live, ["far.live.test", "img.live.test+live.test", "own.live.test"]);

  for (const lane of ["h2", "h3"] as const) {
    const { log } = await untimedLoad({
      ...{ home, recording, lane, link: parseLink("20mbit/20ms"), timeout_ms: 30_000 },
    });
    assert.equal(log._trilane.counts.matched, 4, log._trilane.reasons.join("; "));
    const replayed = log.entries.map((entry) => ({
      host: new URL(entry.request.url).hostname,
      connection: entry._connectionId,
    }));
    assert.deepEqual(sharing(replayed), live, lane);
  }

  const tls = (exchanges.find(({ host }) => host === "live.test")?.recorded.tls ?? {}) as JsonObject;
  assert.deepEqual([...((tls.names ?? []) as string[])].sort(), ["img.live.test", "live.test"]);
  assert.equal(typeof tls.chain_bytes, "number");
  const stdout = execFileSync(
    programPath("trilane-replay"),
    [
      ...["--home", home, "--recording", "live", "--", programPath("trilane-shaper"), "--link", "unlimited", "--"],
      ...["curl", "--silent", "--insecure", "--output", "/dev/null", "--write-out", "%{certs}", "https://live.test/"],
    ],
    { encoding: "utf8" },
  );
  const sizes = [...stdout.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)/g)].map(
    ([, text]) => Buffer.from(text ?? "", "base64").byteLength,
  );
  const sent_bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(Math.abs(sent_bytes - Number(tls.chain_bytes)) <= 8, `${sent_bytes} bytes sent, ${tls.chain_bytes} live`);
});
