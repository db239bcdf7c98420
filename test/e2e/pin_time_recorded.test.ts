// A page whose requests are made of the time and of random numbers, recorded from a real server: pinned when it is
// recorded and when it is loaded, each request of each load has its own answer. Needs nginx and dnsmasq; says so.
// Wide: cli/browser, cli/commands/record.ts, native-host/replay.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseLink } from "../../cli/link/link.ts";
import { settleServing } from "../../cli/load/serving/serving.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { run } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { makeLiveSite, noLiveSite } from "./live_site.ts";
import { untimedLoad } from "./untimed_load.ts";

const scratch = tempFolder("trilane-pin-recorded-");
const home = join(scratch, "home");

const page = `<!doctype html><script>
  for (let i = 0; i < 3; i++) {
    const query = new URLSearchParams({ i, at: Date.now(), random: Math.random(), id: crypto.randomUUID() });
    fetch("/hit.txt?" + query);
    fetch("/post", { method: "POST", body: JSON.stringify({ i, at: new Date(), id: crypto.randomUUID() }) });
  }
</script><script src="/last.js"></script>`;

async function record(): Promise<void> {
  const [root, folder] = [join(scratch, "www"), join(scratch, "site")];
  mkdirSync(root);
  mkdirSync(folder);
  writeFileSync(join(root, "index.html"), page);
  writeFileSync(join(root, "last.js"), "0");
  writeFileSync(join(root, "hit.txt"), "hit");
  const directives = `location = /post { return 200 "posted"; }`;
  const hosts = ["pin.test"];
  const site = makeLiveSite(folder, [{ hosts, address: "203.0.113.1", root, program: "nginx", directives }]);
  const words = [
    "record",
    "https://pin.test/",
    "--name",
    "pin",
    "--pin-time",
    "--trust",
    site.authority,
    "--no-time-servers",
  ];
  const { status, stderr } = run(home, words, { around: site.words });
  assert.equal(status, 0, stderr);
}

async function matches(pin_time: boolean): Promise<Record<string, number>> {
  const { recording } = await withArchive(home, (archive) => archive.show("pin"));
  const options = { home, recording, lane: "h2" as const, link: parseLink("20mbit/20ms"), timeout_ms: 20_000 };
  const { log } = await untimedLoad({ ...options, settle_ms: 500, serving: settleServing({ pin_time }) });
  assert.equal(log._trilane.status, "valid", log._trilane.reasons.join("; "));
  const asked = log.entries.filter(({ request }) => /hit|post/.test(request.url));
  return Object.fromEntries(
    ["exact", "fuzzy", "missed"].map((match) => [
      match,
      asked.filter(({ _trilane }) => _trilane.match === match).length,
    ]),
  );
}

test("pinned in recording and loads, all is matched exactly; unpinned, nothing of it", {
  skip: noLiveSite(["nginx"]),
  timeout: 180_000,
}, async () => {
  await record();
  assert.deepEqual(await matches(true), { exact: 6, fuzzy: 0, missed: 0 });
  assert.deepEqual(await matches(false), { exact: 0, fuzzy: 6, missed: 0 });
});
