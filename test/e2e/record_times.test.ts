// What a recording knows of times: the round trip of a link that it was recorded through, and how long a server thought. From real
// servers, through the command. Needs nginx, dnsmasq and pasta; says so where one is missing.
// Wide: cli/recording/record, shaper.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { RecordingDetail } from "../../cli/recording/archive/archive.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { run } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { besideServer, makeLiveSite, noLiveSite } from "./live_site.ts";

const scratch = tempFolder("trilane-record-times-test-");
const home = join(scratch, "home");
const root = join(scratch, "www");
const folder = join(scratch, "site");
for (const each of [root, folder]) mkdirSync(each);
writeFileSync(join(root, "index.html"), "<!doctype html><link rel=stylesheet href=/styles.css>");
writeFileSync(join(root, "styles.css"), "p{margin:1px}".repeat(3000));

const skip = noLiveSite(["nginx"]);
const site = skip
  ? null
  : makeLiveSite(folder, [{ hosts: ["site.test"], address: "203.0.113.1", root, program: "nginx" }]);

/** The recording of that name, made by the command, which runs behind the words of `before`. */
async function recorded(name: string, words: readonly string[], before: readonly string[]): Promise<RecordingDetail> {
  assert.ok(site);
  const all = ["record", ...words, "--name", name, "--trust", site.authority];
  const { status, stderr } = run(home, all, { around: [...site.words, ...before] });
  assert.equal(status, 0, stderr);
  return await withArchive(home, (archive) => archive.show(name));
}

for (const [how, before] of [
  ["in a lab", []],
  ["through pasta", ["setpriv", "--ambient-caps", "-all", "--inh-caps", "-all"]],
] as const) {
  test(`a link is put before the browser ${how}, and its round trip is known`, {
    skip: how === "through pasta" ? noLiveSite(["nginx", "pasta"]) : skip,
  }, async () => {
    const words = ["https://site.test/", "--link", "20mbit/60ms"];
    const { recording, exchanges } = await recorded(how.replace(/ /g, "-"), words, before);
    const sheet = exchanges.find(({ path }) => path === "/styles.css");
    assert.ok(sheet);
    const { rtt_ms, server_time_ms } = sheet.recorded;
    assert.ok(typeof rtt_ms === "number" && rtt_ms >= 60 && rtt_ms < 100, `round trip ${rtt_ms} ms`);
    assert.ok(typeof server_time_ms === "number" && server_time_ms < 100, `server time ${server_time_ms} ms`);
    const { link, servers_timed_over } = recording.notes.recorded as { link: string; servers_timed_over: string };
    assert.equal(link, "20mbit/60ms");
    assert.equal(servers_timed_over, "h1", "a visit over HTTP/1.1 measured servers' times");
  });
}

test("a server that thinks is known to think", { skip }, async () => {
  const server = join(scratch, "slow.mjs");
  writeFileSync(
    server,
    `import { createServer } from "node:http";
    createServer((_, response) => setTimeout(() => response.end("<!doctype html>slow"), 150)).listen(80, "203.0.113.53");`,
  );
  const words = ["http://slow.test/", "--link", "20mbit/40ms", "--resolve", "slow.test=203.0.113.53"];
  const { exchanges } = await recorded("slow", words, ["sh", "-c", besideServer(server, 80), "sh"]);
  const document = exchanges.find(({ path }) => path === "/");
  const time_ms = document?.recorded.server_time_ms;
  assert.ok(typeof time_ms === "number" && time_ms >= 140 && time_ms < 600, `${time_ms} ms`);
});
