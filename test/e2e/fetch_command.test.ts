// `trilane fetch` on loopback: whatever servers do is a row each; started twice, it ends with every row once. Stopped, killed and
// resumed: interrupted.test.ts.
// Beside others: nothing of it depends on time.
// Long: a thousand objects.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { runFetch, startFetch, storedFetches } from "../fetch/command.ts";
import { type LocalServers, refused, startServers, unresolvable } from "../fetch/local_servers.ts";
import { tempFolder } from "../temp_folder.ts";

describe("trilane fetch", () => {
  let servers: LocalServers;
  let home: string;
  before(async () => {
    servers = await startServers((path) => `this is ${path}`);
  });
  after(() => servers.close());
  beforeEach(() => {
    home = tempFolder("trilane-fetch-command-");
  });

  const objects = (count: number): string[] =>
    Array.from({ length: count }, (_, number) => `${servers.url.good}/${number}`);
  /** A file of them. */
  const listed = (urls: readonly string[]): string => {
    const path = join(home, "urls.txt");
    writeFileSync(path, `${urls.join("\n")}\n`);
    return path;
  };

  test("whatever a server does is one row, with stage and reason, and what comes comes", async () => {
    const { good, silent, expired, lies, endless, redirects, resets } = servers.url;
    const said: Readonly<Record<string, RegExp>> = {
      [`${good}/0`]: /^valid: $/,
      [unresolvable]: /^failed: dns: /,
      [refused]: /^failed: connect: Connection refused/,
      [`${silent}/`]: /^failed: timeout: the TLS handshake was not done in time/,
      [`${expired}/`]: /^failed: tls: .*(?:expired|certificate)/,
      [`${lies}/`]: /^failed: response: /,
      [`${endless}/`]: /^failed: timeout: the response did not end in time/,
      [`${redirects}/`]: /^failed: response: it redirects for the 4th time/,
      [`${resets}/`]: /^failed: (?:response|request): /,
    };
    const words = ["--lanes", "h1", "--runs", "1", "--timeout", "3", "--follow", "3", "--pause", "0"];
    const { status, fetches, finished } = await runFetch(home, [
      listed(Object.keys(said)),
      ...words,
      ...["--trust", servers.ca],
    ]);
    assert.equal(status, 0);
    assert.deepEqual(fetches.map(({ object }) => object).toSorted(), Object.keys(said).toSorted());
    for (const { object, status: outcome, reasons } of fetches)
      assert.match(`${outcome}: ${reasons.join(" | ")}`, said[object] ?? /never/, object);
    assert.deepEqual([finished?.valid, finished?.failed, finished?.invalid], [1, 8, 0]);
    assert.equal(storedFetches(home).length, 9);
  });

  test("a site without HTTP/3 is rows that say so, and the other lanes count", async () => {
    const words = ["--lanes", "h1,h3,h3-0rtt", "--runs", "2", "--pause", "0", "--trust", servers.ca];
    const { status, finished } = await runFetch(home, [`${servers.url.good}/0`, ...words]);
    assert.equal(status, 0);
    const counts = finished?.cells.map(({ lane, valid, failed }) => [lane, valid, failed]);
    assert.deepEqual(counts, [
      ["h1", 2, 0],
      ["h3", 0, 2],
      ["h3-0rtt", 0, 2],
    ]);
    assert.match(finished?.notes.join() ?? "", /h3: 2 fetches failed: connect: Connection refused/);
  });

  test("where nothing comes the exit status says so, and the rows are there", async () => {
    const { status, said } = await runFetch(home, [refused, "--runs", "1", "--pause", "0"]);
    assert.equal(status, 1);
    assert.match(said, /no object of sweep 1 came: connect: Connection refused/);
    assert.equal(storedFetches(home).length, 3);
  });

  test("two at once do not get in each other's way", async () => {
    const words = [listed(objects(6)), "--lanes", "h1", "--runs", "3", "--trust", servers.ca];
    // Not what the plan is known by: it ends long after the second one began.
    const first = startFetch(home, [...words, "--pause", "60000"]);
    await first.until("a fetch is done", () => first.events.some(({ event }) => event === "fetch-finished"));
    const second = await runFetch(home, [...words, "--pause", "0"]);
    assert.equal(second.status, 2, second.said);
    assert.match(second.said, /sweep 1 is being run by process \d+: wait for it, or stop it first/);
    first.child.kill("SIGINT");
    assert.equal((await first.ended).status, 130);
    assert.equal((await runFetch(home, [...words, "--pause", "0"])).status, 0);
    assert.equal(storedFetches(home).length, 18);
  });

  test("a thousand objects are a thousand rows", async () => {
    const words = ["--lanes", "h1", "--runs", "1", "--pause", "0", "--trust", servers.ca];
    const { status, finished } = await runFetch(home, [listed(objects(1000)), ...words]);
    assert.equal(status, 0);
    assert.deepEqual([finished?.fetches, finished?.valid], [1000, 1000]);
    const rows = storedFetches(home);
    assert.equal(new Set(rows.map(({ object }) => object)).size, 1000);
    assert.equal(new Set(rows.map(({ record }) => record?.body_sha256)).size, 1000);
  });
});
