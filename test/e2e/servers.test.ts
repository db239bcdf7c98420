// Servers of others in front of a recording: each that is installed answers all requests with the recorded bodies on each lane that it can
// serve, and a race verifies its lanes by the server's log. One that is not installed is skipped by its name.
// Beside others: it holds nothing to time.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { programPath } from "../../cli/base/programs.ts";
import { notInstalled } from "../../cli/install/requirements.ts";
import { parseLink } from "../../cli/link/link.ts";
import { labCommand } from "../../cli/load/lab.ts";
import { prepareServer } from "../../cli/load/server_run.ts";
import { installedServer, type ServerProgram, serverPrograms } from "../../cli/load/servers/programs.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { openResults } from "../../cli/results/store/results.ts";
import type { FetchRecord } from "../../schemas/generated/fetch_record.ts";
import { anyDisturbance } from "./untimed_load.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");
const home = mkdtempSync(join(tmpdir(), "trilane-servers-"));
after(() => rmSync(home, { recursive: true, force: true }));

const page = "carlucci-small";
const recording = { name: page, digest: "" };
let urls: string[] = [];

before(async () => {
  execFileSync(trilane, ["synth", page, "--home", home], { stdio: "ignore" });
  const shown = await withArchive(home, (archive) => archive.show(page));
  recording.digest = shown.recording.digest;
  urls = shown.exchanges.map(({ host, path }) => `https://${host}${path}`);
});

/** Each URL with its status and its body's digest; `server` null: trilane-replay alone. */
async function fetched(lane: "h1" | "h2" | "h3", server: ServerProgram | null): Promise<string[]> {
  const scratch = mkdtempSync(join(home, "fetched-"));
  await mkdir(join(scratch, "server"), { recursive: true });
  const run =
    server && (await prepareServer({ name: server, definition: { program: server } }, { home, recording, scratch }));
  const lab = labCommand({
    ...{ home, recording: page, link: parseLink("1gbit/2ms"), reports: null },
    ...(run ? { replayOptions: run.replayOptions, server: run.words } : {}),
  });
  const list = join(scratch, "urls");
  writeFileSync(list, urls.join("\n"));
  const client = [programPath("trilane-fetch"), "--lane", lane, "--insecure", "--reuse", "--urls", list];
  const [program = "", ...words] = [...lab.replay, ...lab.shaper, ...client];
  const { stdout, stderr, status } = spawnSync(program, words, { encoding: "utf8", timeout: 60_000, maxBuffer: 1e8 });
  assert.equal(status, 0, stderr);
  const records = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as FetchRecord);
  return records.map(
    ({ url, http_version, status: answer, body_sha256 }) => `${url} ${http_version} ${answer} ${body_sha256}`,
  );
}

for (const server of serverPrograms)
  test(`${server} answers each request with its recorded body`, { skip: notInstalled([server]) ?? false }, async () => {
    const { noH3 } = await installedServer(server);
    for (const lane of noH3 === null ? (["h1", "h2", "h3"] as const) : (["h1", "h2"] as const))
      assert.deepEqual(await fetched(lane, server), await fetched(lane, null), lane);
  });

test("a race over nginx's lanes and the replay's: loads verified by its log, rows by server", {
  skip: notInstalled(["nginx"]) ?? false,
}, () => {
  const words = ["race", page, "--home", home, "--servers", "replay,nginx", "--lanes", "h2", "--runs", "1"];
  const { stdout, stderr, status } = spawnSync(trilane, [...words, "--no-filmstrip", ...anyDisturbance], {
    encoding: "utf8",
    timeout: 120_000,
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^h2\+nginx /m);
  assert.match(stdout, /^h2\+replay /m);
  const results = openResults(home);
  try {
    const [sweep] = results.listSweeps();
    assert.ok(sweep);
    const loads = results.loadsOf(sweep.id).filter(({ status: is, lane }) => is === "valid" && lane === "h2+nginx");
    const { server, protocols } = results.harOf(loads[0]?.id ?? assert.fail(stdout)).log._trilane;
    assert.equal(server?.program, "nginx");
    assert.match(server.version ?? "", /^1\.\d+/);
    assert.match(server.configuration ?? "", /listen 443 ssl http2;/);
    assert.equal(server.logged, urls.length);
    assert.ok((server.cpu_ms ?? 0) > 0);
    assert.deepEqual(protocols, { h2: urls.length });
    const [path = ""] = /\/\S+\.html/.exec(stdout) ?? [];
    assert.match(readFileSync(path, "utf8"), /Servers in the lanes/);
  } finally {
    results.close();
  }
});

test("a server that does not come up is one line before anything is measured", () => {
  const words = [
    "race",
    page,
    "--home",
    home,
    "--server",
    "mine=echo out of order; exit 3",
    "--lanes",
    "h2",
    "--runs",
    "1",
  ];
  const { status, stderr } = spawnSync(trilane, words, { encoding: "utf8", timeout: 60_000 });
  assert.equal(status, 2);
  assert.match(stderr, /^trilane: server mine ended before it listened \(exit status 3\): out of order$/m);
  assert.doesNotMatch(stderr, /invalid|of 1 run/);
});
