// A bundle from end to end: a sweep is measured in one home and bundled; where there is no home and no network its figures are made
// again, and its loads too.
// Wide: cli/sweep/bundle.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import type { Bundled } from "../../schemas/generated/bundled.ts";
import type { Reproduced } from "../../schemas/generated/reproduced.ts";
import type { SweepsCompared } from "../../schemas/generated/sweeps_compared.ts";
import { tempFolder } from "../temp_folder.ts";
import { anyTolerance } from "./untimed_load.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");
const offline = ["unshare", "--user", "--map-root-user", "--net"];

describe("a bundle", () => {
  let folder: string;
  let bundle: string;
  const at = (name: string): string => join(folder, name);
  function run(words: readonly string[], around: readonly string[] = []): string[] {
    const [program = "", ...rest] = [...around, trilane, ...words];
    const environment = { ...process.env, TRILANE_HOME: at("no-home"), TRILANE_CHROMIUM: process.env.TRILANE_CHROMIUM };
    const ran = spawnSync(program, rest, { encoding: "utf8", env: environment, cwd: folder });
    assert.ok(ran.status === 0 || ran.status === 3, ran.stderr);
    return ran.stdout.trim().split("\n");
  }

  before(() => {
    folder = tempFolder("tl-");
    // 12 Mbit/s: a packet of 1500 bytes each millisecond.
    writeFileSync(at("steady.down"), Array.from({ length: 50 }, (_, index) => `${index + 1}\n`).join(""));
    writeFileSync(
      at("plan.json"),
      JSON.stringify({
        ...{ name: "study", pages: [{ synth: "cse534-count-1" }], lanes: ["h1", "h3"] },
        ...{
          links: ["10mbit/20ms", "trace=steady.down,rtt=20ms"],
          repetitions: 2,
          retries: 5,
          tolerance: anyTolerance,
        },
      }),
    );
    run(["sweep", at("plan.json"), "--home", at("home"), "--quiet"]);
    const [line = ""] = run(["bundle", "--home", at("home"), "--json"]);
    const bundled = JSON.parse(line) as Bundled;
    bundle = bundled.path;
    assert.equal(bundle, at("study-1.tar.zst"));
    assert.deepEqual([bundled.recordings, bundled.loads >= 8], [1, true]);
  });

  test("is the report of the home again where there is none, without a network", (t) => {
    if (spawnSync(offline[0] ?? "", [...offline.slice(1), "true"]).status !== 0) return t.skip("no user namespaces");
    const [line = ""] = run(["reproduce", bundle, "--out", at("offline"), "--json"], offline);
    const { files, same, report } = JSON.parse(line) as Reproduced;
    assert.equal(same, files);
    assert.ok(files > 8, String(files));
    const [of = ""] = readdirSync(at("home/reports"));
    assert.ok(readFileSync(report).equals(readFileSync(join(at("home/reports"), of))));
    assert.equal(existsSync(at("no-home")), false);
  });

  test("is loaded again from itself alone, and compared", () => {
    rmSync(at("home"), { recursive: true });
    rmSync(at("steady.down"));
    const lines = run(["reproduce", bundle, "--rerun", "--json"]);
    const reproduced = JSON.parse(lines[0] ?? "") as Reproduced;
    assert.equal(reproduced.folder, at("study-1"));
    const events = lines.slice(1).map((line) => JSON.parse(line) as Record<string, unknown>);
    const finished = events.find(({ event }) => event === "sweep-finished");
    assert.ok(Number(finished?.valid) >= 8);
    const compared = events.find(({ schema }) => schema === "trilane/sweeps-compared/1") as unknown as SweepsCompared;
    assert.deepEqual(
      compared.cells.map(({ page, link, lane, other_recording, other_link }) => [
        page,
        link,
        lane,
        other_recording,
        other_link,
      ]),
      ["10mbit/20ms", "trace=steady.down,rtt=20ms"].flatMap((link) =>
        ["h1", "h3"].map((lane) => ["cse534-count-1", link, lane, false, false]),
      ),
    );
    assert.ok(existsSync(at("study-1/rerun/results.db")));
    // Once more nothing is loaded: it is finished.
    const again = run(["reproduce", bundle, "--rerun", "--json"]);
    assert.ok(!again.some((line) => line.includes("load-finished")));
    assert.equal(existsSync(at("no-home")), false);
  });
});
