// Without /dev/net/tun, as in many containers, a link's packets come through pairs of Ethernet devices: bodies come whole over every
// lane and both versions of IP, and the link is as exact.
// Wide: native-host/fetch, shaper.
// Beside others: all but tests of time.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../cli/base/programs.ts";
import { notInstalled } from "../../cli/install/requirements.ts";
import { readMachine, unrestBetween } from "../../cli/load/pressure.ts";
import { timedTest } from "../calm_machine.ts";
import { fetchWords, inLab, labRows, withFetchSite } from "../fetch/fetch_lab.ts";

/** Words that start a command where the device's folder is empty. */
const withoutTun: readonly string[] = [
  ...["unshare", "--mount", ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"])],
  ...["sh", "-c", 'mount -t tmpfs none /dev/net && exec "$@"', "sh"],
];

test("every lane gives the same body over IPv4 and IPv6", async () => {
  await withFetchSite("object-1MB", async (site) => {
    const commands = ["h1", "h2", "h3"].flatMap((lane) =>
      ["4", "6"].map((version) => fetchWords(site, ["--lane", lane, "--ip", version])),
    );
    const { records } = labRows(await inLab(site, "unlimited/4ms", commands, withoutTun));
    assert.deepEqual(
      records.map(({ status, body_bytes }) => [status, body_bytes]),
      Array(commands.length).fill([200, 1_000_000]),
    );
    assert.equal(new Set(records.map(({ body_sha256 }) => body_sha256)).size, 1);
  });
});

test("a link to live sites needs the device, and says so", {
  skip: notInstalled(["pasta"]) ?? false,
}, () => {
  const words = [join(checkout, "cli", "trilane"), "shell", "--link", "10mbit/50ms", "--outside", "--", "true"];
  const [program = "", ...rest] = [...withoutTun, ...words];
  const { status, stderr } = spawnSync(program, rest, { encoding: "utf8" });
  assert.equal(status, 2, stderr);
  assert.match(
    stderr,
    /^trilane: --outside: pasta needs \/dev\/net\/tun, which cannot be opened: run .*--device \/dev\/net\/tun\)\n$/,
  );
});

timedTest("the link's self-test is within its tolerances", async (calm) => {
  const before = readMachine();
  const began_ms = performance.now();
  const words = [...withoutTun, join(checkout, "cli", "trilane"), "selftest", "10mbit/50ms", "--quick"];
  const [program = "", ...rest] = words;
  const { status, stdout, stderr } = spawnSync(program, rest, { encoding: "utf8" });
  const { stalled, stolen } = unrestBetween(before, readMachine(), performance.now() - began_ms);
  if ((stalled ?? 0) > 0.1 || (stolen ?? 0) > 0.005) calm.disturbed("other programs had the CPUs during the self-test");
  assert.equal(status, 0, stdout + stderr);
});
