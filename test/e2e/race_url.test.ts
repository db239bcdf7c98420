// `trilane race URL`: a live page of nginx is recorded and raced by one command, and raced again without being recorded
// again. Whether loads are valid is other tests' affair. Needs nginx and dnsmasq; says so where one is missing.
// Beside others: nothing here depends on how busy the machine is.
// Long: each page is visited by a browser before it is raced.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { checkout } from "../../cli/base/programs.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { tempFolder } from "../temp_folder.ts";
import { makeLiveSite, noLiveSite } from "./live_site.ts";

const scratch = tempFolder("trilane-race-url-test-");
const home = join(scratch, "home");
const run = promisify(execFile);
const skip = noLiveSite(["nginx", "setpriv"]);

function makeSite() {
  const root = join(scratch, "www");
  const folder = join(scratch, "site");
  for (const each of [root, folder]) mkdirSync(each);
  writeFileSync(join(root, "index.html"), "<!doctype html><link rel=stylesheet href=/a.css>hello");
  writeFileSync(join(root, "a.css"), "p{}");
  const directives = "location = /robots { return 403 'are you one?'; }";
  return makeLiveSite(folder, [{ hosts: ["shop.test"], address: "203.0.113.1", root, program: "nginx", directives }]);
}

const site = skip ? null : makeSite();

/** Outside a lab, whose far side the race's own would otherwise be. */
const outside = ["setpriv", "--ambient-caps", "-all", "--inh-caps", "-all"];

async function trilane(...words: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  assert.ok(site);
  const [first = "", ...rest] = [...site.words, ...outside, join(checkout, "cli", "trilane"), ...words, "--home", home];
  return await run(first, rest).then(
    (printed) => ({ status: 0, ...printed }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ status: code, stdout, stderr }),
  );
}

const race = (url: string, ...words: string[]) =>
  trilane(
    "race",
    url,
    "--runs",
    "1",
    "--retries",
    "0",
    "--retry-for",
    "0",
    "--tolerance",
    "9999ms",
    "--lanes",
    "h2",
    "--no-filmstrip",
    "--trust",
    site?.authority ?? "",
    ...words,
  );

const recordings = () =>
  withArchive(home, async (archive) => (await archive.list()).map(({ name, id }) => `${name} ${id}`));

test("a URL is recorded, then raced; again, its recording is raced; --record-again records it anew", {
  skip,
}, async () => {
  const first = await race("https://shop.test/");
  assert.match(first.stderr, /^https:\/\/shop\.test\/: recording$/m);
  assert.match(first.stderr, /^https:\/\/shop\.test\/: recorded as shop\.test: [34] exchanges, 1 host, /m);
  assert.match(first.stderr, /1 of 1 runs/, first.stdout);
  const [recording] = await recordings();
  const second = await race("https://shop.test/");
  assert.match(second.stderr, /recorded as shop\.test less than a day ago, used again/);
  assert.match(second.stderr, /1 of 1 runs/, second.stdout);
  assert.deepEqual(await recordings(), [recording]);
  const third = await race("https://shop.test/", "--record-again", "--no-time-servers");
  assert.match(third.stderr, /: recorded as shop\.test: /);
  assert.equal((await recordings()).length, 1);
  assert.notDeepEqual(await recordings(), [recording]);
});

test("what gives no page is told in a line, and nothing is stored", { skip }, async () => {
  const before = await recordings();
  for (const [url, words, pattern, expected] of [
    ["https://shop.test/robots", [], /^trilane: https:\/\/shop\.test\/robots: was answered 403, .* save a HAR/m, 2],
    ["https://gone.test/", [], /^trilane: https:\/\/gone\.test\/: .*ERR_NAME_NOT_RESOLVED: no such host: check/m, 1],
    ["https://shop.test:444/", [], /^trilane: .*ERR_CONNECTION_REFUSED: nothing listens there/m, 1],
    ["carlucci-small", ["--scroll"], /^trilane: --scroll is for a page that is recorded first/m, 2],
    ["carlucci-small", ["--no-time-servers"], /^trilane: --no-time-servers is for a page that is recorded first/m, 2],
    ["carlucci-small", ["--record-again"], /^trilane: --record-again is for a page that is recorded first/m, 2],
  ] as const) {
    const trust = url.startsWith("https") ? ["--trust", site?.authority ?? ""] : [];
    const { status, stderr } = await trilane("race", url, ...words, ...trust);
    assert.match(stderr, pattern);
    assert.equal(status, expected, stderr);
  }
  const untrusted = await trilane("race", "https://shop.test/new");
  assert.match(untrusted.stderr, /ERR_CERT_AUTHORITY_INVALID: the certificate is not trusted; .*--trust/);
  assert.deepEqual(await recordings(), before);
});
