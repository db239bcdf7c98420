// A sweep of commands in a bundle: reproduced byte for byte in a home that has nothing, without the secrets of its command lines and output.
// Wide: cli/commands/reproduce.ts, cli/instruments/command, cli/sweep/bundle.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { checkout } from "../../../../cli/base/programs.ts";
import { measuredRunsOf } from "../../../../cli/instruments/command/store/measured_runs.ts";
import { openResultsFile } from "../../../../cli/results/store/results.ts";
import type { Bundle } from "../../../../schemas/generated/bundle.ts";
import type { Bundled } from "../../../../schemas/generated/bundled.ts";
import type { Reproduced } from "../../../../schemas/generated/reproduced.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { membersOf } from "./made_bundle.ts";

const secret = "s3cr3t-0f-th3-us3r";
const folder = tempFolder("trilane-bundle-commands-");
const at = (name: string): string => join(folder, name);

function trilane(home: string, ...words: string[]) {
  const environment = { ...process.env, TRILANE_HOME: at(home) };
  return spawnSync(join(checkout, "cli/trilane"), words, { cwd: folder, env: environment, encoding: "utf8" });
}

const json = <Document>(words: readonly string[], home = "home"): Document => {
  const { status, stdout, stderr } = trilane(home, ...words, "--json");
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Document;
};

before(() => {
  const said = `says=sh -c 'echo got $2; echo "Set-Cookie: id=other-s3cr3t"' sh -H 'X-Auth: ${secret}'`;
  const fails = `fails=sh -c 'echo no entry for ${secret}; exit 3' sh --token ${secret}`;
  const { status, stderr } = trilane("home", "time", "--runs", "6", "--command", said, "--command", fails);
  assert.equal(status, 0, stderr);
});

test("it holds no secret, says how many it masked, and is the same bytes again", async () => {
  const bundled = json<Bundled>(["bundle", "1", "--out", at("a.tar.zst")]);
  assert.deepEqual([bundled.loads, bundled.recordings, bundled.credentials], [12, 0, "masked"]);
  assert.deepEqual(bundled.masked, { command_lines: 2, output: 2 });
  assert.equal(json<Bundled>(["bundle", "--out", at("b.tar.zst")]).sha256, bundled.sha256);
  const members = await membersOf(at("a.tar.zst"));
  for (const { name, bytes } of members) assert.ok(!/s3cr3t/.test(bytes.toString("latin1")), name);
  const manifest = JSON.parse(members.find(({ name }) => name === "manifest.json")?.bytes.toString() ?? "") as Bundle;
  assert.deepEqual(
    [manifest.sweep.kind, manifest.sweep.valid, manifest.lanes, manifest.links],
    ["commands", 6, [], []],
  );
  assert.match(
    members[0]?.bytes.toString() ?? "",
    /^masked: 2 values of command lines, 2 values in what they printed; look at plan\.json for others\.$/m,
  );
  const kept = json<Bundled>(["bundle", "1", "--keep-credentials", "--out", at("kept.tar.zst")]);
  assert.equal(kept.masked, undefined);
  const plan = (await membersOf(at("kept.tar.zst"))).find(({ name }) => name === "plan.json");
  assert.match(plan?.bytes.toString() ?? "", new RegExp(secret));
});

test("report, runs and figures are made again, byte for byte; its commands are not run", () => {
  json<Bundled>(["bundle", "1", "--out", at("c.tar.zst")]);
  const { files, same, folder: out } = json<Reproduced>(["reproduce", at("c.tar.zst"), "--out", at("out")], "other");
  assert.ok(files >= 4, `${files} files`);
  assert.equal(same, files);
  assert.match(readFileSync(join(out, "report.html"), "utf8"), /no entry for x{18}/);
  assert.equal(measuredRunsOf(openResultsFile(join(out, "results.db")), 1).length, 12);
  const { status, stderr } = trilane("other", "reproduce", at("c.tar.zst"), "--out", at("out"), "--rerun");
  assert.equal(status, 2);
  assert.match(
    stderr,
    /its commands are programs of another machine, and are not run from a bundle: read its plan\.json/,
  );
});
