// `trilane race --outside`: a live page's own servers through the link, at another address than its name's, each lane verified by what the
// browser says; and what cannot be raced so is refused in one line.
// Beside others: times are lower bounds, and what the machine holds up is tolerated.
// Long: a race, and refusals of a command each.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { notInstalled } from "../../cli/install/requirements.ts";
import { openResults } from "../../cli/results/store/results.ts";
import { run } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { makeLiveSite, noLiveSite } from "./live_site.ts";
import { anyDisturbance } from "./untimed_load.ts";

const folder = tempFolder("trilane-race-live-");
const home = join(folder, "home");
const link = "20mbit/40ms";
const skip = noLiveSite(["caddy"]) || (notInstalled(["pasta"]) ?? false);
const files = ["index.html", "app.js"];

test("h1, h2 and h3 of a live page, whose name leads nowhere, through the link to its address", { skip }, () => {
  const [site, root] = [join(folder, "site"), join(folder, "www")];
  for (const made of [site, root]) mkdirSync(made);
  writeFileSync(
    join(root, "index.html"),
    '<!doctype html><link rel="icon" href="data:,"><script src="app.js"></script>',
  );
  // What no server can make much smaller.
  writeFileSync(join(root, "app.js"), `document.title = "${randomBytes(150_000).toString("base64")}";`);
  const servers = [{ hosts: ["live.test"], address: "203.0.113.1", root, program: "caddy" as const }];
  const { words, authority } = makeLiveSite(site, servers);
  // DNS leads elsewhere: it is a server that is not yet where it will be.
  writeFileSync(join(site, "hosts"), "203.0.113.9 live.test\n");
  const around = [...words, "setpriv", "--ambient-caps", "-all", "--inh-caps", "-all"];
  const asked = ["race", "https://live.test/", "--outside", "--connect", "203.0.113.1"];
  const terms = ["--link", link, "--runs", "1", "--trust", authority, "--no-filmstrip", "--no-time-servers"];
  const { stdout, stderr, status } = run(home, [...asked, ...terms, ...anyDisturbance], { around });
  assert.equal(status, 0, stderr + stdout);
  for (const row of ["h1+live", "h2+live", "h3+live"]) assert.ok(stdout.includes(`\n${row} `), stdout);
  assert.match(stdout, /^The servers are live: /m);
  using results = openResults(home);
  const [sweep] = results.listSweeps();
  const loads = results.loadsOf(sweep?.id ?? 0).filter(({ status: is }) => is === "valid");
  assert.deepEqual(loads.map(({ lane }) => lane).sort(), ["h1+live", "h2+live", "h3+live"]);
  const protocols = { h1: "http/1.1", h2: "h2", h3: "h3" };
  for (const { id, lane } of loads) {
    const { log } = results.harOf(id);
    const { server, replay, coverage, protocols: seen, metrics, counts, environment } = log._trilane;
    const protocol = protocols[lane.slice(0, 2) as keyof typeof protocols];
    assert.deepEqual(seen, { [protocol]: files.length }, lane);
    assert.deepEqual([server?.live, server?.program, server?.cpu_ms, replay, coverage], [true, null, null, null, null]);
    assert.equal(counts.unused_connections, null);
    // A round trip of the link for the document, one for what it names, and 150 kB at its rate. The browser may connect before it navigates.
    assert.ok((metrics.plt_ms ?? 0) >= 2 * 39 + 60, `${lane} ${metrics.plt_ms}`);
    assert.ok(log.entries.every(({ serverIPAddress }) => serverIPAddress === "203.0.113.1"));
    assert.doesNotMatch(JSON.stringify(environment.command_lines), /--own (?!\$NETWORKS)/);
  }
  const [path = ""] = /\/\S+\.html/.exec(stdout) ?? [];
  const report = readFileSync(path, "utf8");
  assert.match(report, /Lanes with \+live were loaded from the page’s own servers/);
  assert.doesNotMatch(report, /Recordings were replayed from local servers/);
});

test("what cannot be raced live is refused in one line, before anything is recorded", { skip }, () => {
  const url = "https://live.test/";
  for (const [words, line] of [
    [["carlucci-small", "--outside"], /^trilane: --outside: loads a page from its own servers: name its URL [^\n]+\n$/],
    [[url, "--connect", "203.0.113.1"], /^trilane: --connect: is for --outside: give that too\n$/],
    [[url, "--outside", "--connect", "live.test"], /^trilane: --connect must be an address, [^\n]+\n$/],
    [
      [url, "--outside", "--connect", "10.9.9.9"],
      /^trilane: 10\.9\.9\.9: is an address of [^\n]+-local-network for it\n$/,
    ],
    [[url, "--outside", "--servers", "caddy"], /^trilane: --outside: the servers are live ones: leave [^\n]+\n$/],
    [[url, "--outside", "--as", "model"], /^trilane: --outside: live servers have the page as it is: [^\n]+\n$/],
    [[url, "--outside", "--lanes", "h2-0rtt"], /^trilane: lane h2-0rtt\+live: [^\n]*repeat visits are of [^\n]+\n$/],
    [[url, "--outside", "--lanes", "h1-clear"], /^trilane: lane h1-clear\+live: [^\n]+ without TLS[^\n]+\n$/],
    [[url, "--outside", "--think", "20"], /^trilane: [^\n]*serving: the servers of h1\+live are live [^\n]+\n$/],
    [[url, "--outside", "--cross-traffic", "tcp:bbr"], /^trilane: --cross-traffic ends at a server of ours, [^\n]+\n$/],
    [[url, "--outside", "--browser", "firefox"], /^trilane: --outside: is Chromium's: [^\n]+\n$/],
  ] as const) {
    if (words.includes("firefox" as never) && notInstalled(["firefox"])) continue;
    const asked = ["race", ...words, "--no-filmstrip"];
    const { stderr, status } = run(join(folder, "none"), asked);
    assert.deepEqual([status, line.test(stderr)], [2, true], stderr);
  }
});
