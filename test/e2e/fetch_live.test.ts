// `trilane fetch --outside`: a live server through the link, at another address than its name's, said to be live; private networks are refused.
// Wide: cli/instruments/fetch, native-host/base, native-host/fetch, native-host/guard, shaper.
// Beside others: times are lower bounds, and what the machine holds up is tolerated.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { notInstalled } from "../../cli/install/requirements.ts";
import { fetchesOf } from "../../cli/instruments/fetch/store/fetch_runs.ts";
import { openResults } from "../../cli/results/store/results.ts";
import { run } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { makeLiveSite, noLiveSite } from "./live_site.ts";
import { anyDisturbance } from "./untimed_load.ts";

const folder = tempFolder("trilane-fetch-live-");
const home = join(folder, "home");
const link = "20mbit/40ms";
const skip = noLiveSite(["caddy"]) || (notInstalled(["pasta"]) ?? false);

test("h2 and h3 of a live server, whose name leads nowhere, through the link to its address", { skip }, () => {
  const [site, root] = [join(folder, "site"), join(folder, "www")];
  for (const made of [site, root]) mkdirSync(made);
  writeFileSync(join(root, "file.bin"), Buffer.alloc(200_000, 7));
  const { words, authority } = makeLiveSite(site, [
    { hosts: ["live.test"], address: "203.0.113.1", root, program: "caddy" },
  ]);
  const around = [...words, "setpriv", "--ambient-caps", "-all", "--inh-caps", "-all"];
  const asked = ["fetch", "https://live.test/file.bin", "--outside", "--connect", "203.0.113.1"];
  const terms = ["--link", link, "--lanes", "h2,h3", "--runs", "2", "--trust", join(site, "ca.pem"), "--pause", "0"];
  const { stdout, stderr, status } = run(home, [...asked, ...terms, ...anyDisturbance], { around });
  assert.ok(authority.length > 0);
  assert.equal(status, 0, stderr + stdout);
  for (const row of ["h2+live", "h3+live"]) assert.ok(stdout.includes(`\n${row} `), stdout);
  assert.match(stdout, /^h3\+live connected .* than h2\+live/m);
  assert.match(stdout, /^The servers are live: /m);
  using results = openResults(home);
  const fetches = fetchesOf(results, results.listAllSweeps()[0]?.id ?? 0);
  assert.equal(fetches.length, 4);
  for (const { status: is, record, link: over } of fetches) {
    assert.deepEqual([is, record?.body_bytes, record?.address, over], ["valid", 200_000, "203.0.113.1", link]);
    // One round trip of the link at least, and the bytes at its rate.
    assert.ok((record?.established_ms ?? 0) >= 39 && (record?.download_ms ?? 0) >= 80, JSON.stringify(record));
  }
});

test("a private address, and what contradicts a live server, is refused in one line", () => {
  for (const [words, line] of [
    [
      ["--link", link, "--connect", "10.9.9.9"],
      /^trilane: --connect 10\.9\.9\.9: is an address of .* --allow-local-network for it\n$/,
    ],
    [
      ["--link", link, "--connect", "[::1]:8443"],
      /^trilane: --connect \[::1\]:8443: is an address of this machine [^\n]+\n$/,
    ],
    [
      ["--link", link, "--servers", "caddy"],
      /^trilane: --outside: the servers are live ones: leave --servers [^\n]+\n$/,
    ],
    [
      ["--link", link, "--page", "object-1MB"],
      /^trilane: --outside: live servers through a link: [^\n]+ no --page[^\n]+\n$/,
    ],
    [[], /^trilane: --outside: live servers through a link: name it [^\n]+\n$/],
  ] as const) {
    const asked = ["fetch", "https://live.test/", "--outside", ...words];
    const { stderr, status } = run(join(folder, "none"), asked);
    assert.deepEqual([status, line.test(stderr)], [2, true], stderr);
  }
});
