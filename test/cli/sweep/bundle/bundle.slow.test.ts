// cli/sweep/bundle: what is bundled in one home is reproduced without any, byte for byte; the same sweep is the same bundle; what is
// secret stays at home.
// Wide: cli/commands/reproduce.ts, cli/sweep/bundle.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { bundledSweeps } from "../../../../cli/instruments/all.ts";
import { withArchive } from "../../../../cli/recording/archive/client.ts";
import { gatherReport } from "../../../../cli/report/data.ts";
import { buildReport } from "../../../../cli/report/report.ts";
import { openResults, openResultsFile } from "../../../../cli/results/store/results.ts";
import { reproduceBundle } from "../../../../cli/sweep/bundle/reproduce.ts";
import { prepareRerun } from "../../../../cli/sweep/bundle/rerun.ts";
import type { Plan } from "../../../../cli/sweep/plan/plan_document.ts";
import type { Bundle } from "../../../../schemas/generated/bundle.ts";
import type { Reproduced } from "../../../../schemas/generated/reproduced.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { exchange } from "../../recording/archive/example_recording.ts";
import { refusedIn } from "../../refused.ts";
import { type Fixture, storeFixture } from "../../report/fixture.ts";
import { hostileFixture, lossFixture, manyPagesFixture, raceFixture } from "../../report/fixtures.ts";
import { writeReport } from "../../report/written_report.ts";
import { bundled, membersOf, secret, storeRace, storeRecording } from "./made_bundle.ts";

let folder: string;
let home: string;
const at = (name: string): string => join(folder, name);
beforeEach(() => {
  folder = tempFolder("trilane-bundle-test-");
  home = at("home");
});

const reproduced = (bundle: string, out: string): Promise<Reproduced> =>
  reproduceBundle({ bundle, out, onReproduced: () => {}, kinds: bundledSweeps, rerun: null });

/** The plan of a rerun, which is not made. */
async function rerunPlan(bundle: string, out: string): Promise<Plan> {
  let plan: Plan | null = null;
  await reproduceBundle({
    ...{ bundle, out, onReproduced: () => {}, kinds: bundledSweeps },
    rerun: async (_, { manifest }, unpacked) => {
      plan = await prepareRerun({
        bundle,
        manifest,
        unpacked,
        results: join(out, "results.db"),
        home: join(out, "rerun"),
      });
    },
  });
  assert.ok(plan);
  return plan;
}

const manifestOf = async (bundle: string): Promise<Bundle> => {
  const found = (await membersOf(bundle)).find(({ name }) => name === "manifest.json");
  return JSON.parse(found?.bytes.toString() ?? "") as Bundle;
};

describe("figures", () => {
  const fixtures: readonly Fixture[] = [raceFixture, lossFixture, manyPagesFixture];
  for (const fixture of fixtures)
    test(`${fixture.name}: each is made again, byte for byte, and the report is the home's`, async () => {
      // The first sweep of the home stays there.
      storeFixture(home, raceFixture);
      const sweep = storeFixture(home, fixture);
      await bundled(home, sweep, at("a.tar.zst"), { resultsOnly: true });
      const report = readFileSync(await writeReport(home, sweep), "utf8");
      rmSync(home, { recursive: true });
      const { files, same, different, missing } = await reproduced(at("a.tar.zst"), at("out"));
      assert.deepEqual([same, different, missing], [files, [], []]);
      assert.equal(readFileSync(at("out/report.html"), "utf8"), report);
      const names = readdirSync(at("out/figures"));
      assert.equal(names.length + 2, files);
      assert.ok(names.some((name) => name.endsWith(".svg")) && names.includes("medians.csv"));
      assert.equal(openResultsFile(at("out/results.db")).listSweeps().length, 1);
    });

  test("names that try to be markup or paths come to no harm", async () => {
    const sweep = storeFixture(home, { ...hostileFixture, pages: [...hostileFixture.pages, "../../../../etc/passwd"] });
    await bundled(home, sweep, at("a.tar.zst"), { resultsOnly: true });
    const { files, same } = await reproduced(at("a.tar.zst"), at("out"));
    assert.equal(same, files);
    for (const name of readdirSync(at("out/figures"))) assert.match(name, /^[A-Za-z0-9_-][A-Za-z0-9._-]*\.(csv|svg)$/);
    assert.deepEqual(readdirSync(folder).sort(), ["a.tar.zst", "home", "out"]);
  });

  test("a second time into the same folder it is whole again; into another's it is refused", async () => {
    const sweep = await storeRace(home);
    await bundled(home, sweep, at("a.tar.zst"));
    await reproduced(at("a.tar.zst"), at("out"));
    rmSync(at("out/figures"), { recursive: true });
    writeFileSync(at("out/loads.csv"), "changed");
    const { files, same } = await reproduced(at("a.tar.zst"), at("out"));
    assert.equal(same, files);
    assert.equal(readdirSync(at("out/figures")).length + 2, files);
    assert.match(readFileSync(at("out/loads.csv"), "utf8"), /^load/);
    mkdirSync(at("mine"));
    writeFileSync(at("mine/thesis.tex"), "");
    await assert.rejects(
      reproduced(at("a.tar.zst"), at("mine")),
      refusedIn(/mine: holds something else than this bundle: name another folder with --out$/),
    );
    assert.deepEqual(readdirSync(at("mine")), ["thesis.tex"]);
    writeFileSync(at("file"), "");
    await assert.rejects(reproduced(at("a.tar.zst"), at("file")), refusedIn(/file: is no folder/));
    await assert.rejects(reproduced(at("a.tar.zst"), at("none/out")), refusedIn(/none: no such folder/));
    assert.deepEqual(readdirSync(folder).sort(), ["a.tar.zst", "file", "home", "mine", "out"]);
  });
});

describe("a bundle", () => {
  test("is the same bytes again, whatever else the home has got, and from a copy of it", async () => {
    const sweep = await storeRace(home);
    const first = await bundled(home, sweep, at("a.tar.zst"));
    await storeRecording(home, "another");
    storeFixture(home, lossFixture);
    const second = await bundled(home, sweep, at("b.tar.zst"));
    assert.equal(second.sha256, first.sha256);
    assert.ok(readFileSync(at("a.tar.zst")).equals(readFileSync(at("b.tar.zst"))));
    assert.deepEqual([first.recordings, first.loads, first.bytes], [1, 17, readFileSync(at("a.tar.zst")).length]);
    // One frame: what stands behind it would be passed over by some readers.
    const magic = Buffer.from("28b52ffd", "hex");
    assert.equal(readFileSync(at("a.tar.zst")).lastIndexOf(magic), 0);
  });

  test("holds what describes it first, then its members by name, each with its digest", async () => {
    const sweep = await storeRace(home);
    await bundled(home, sweep, at("a.tar.zst"));
    const [readme, manifest, ...members] = await membersOf(at("a.tar.zst"));
    assert.deepEqual([readme?.name, manifest?.name], ["README.md", "manifest.json"]);
    const document = JSON.parse(manifest?.bytes.toString() ?? "") as Bundle;
    assert.deepEqual(
      members.map(({ name }) => name),
      document.members.map(({ name }) => name),
    );
    const has = (name: string) =>
      assert.ok(
        members.some((member) => member.name === name),
        name,
      );
    for (const name of [
      "plan.json",
      "results.db",
      "report.html",
      "loads.csv",
      "recordings/shop.json",
      "schemas/bundle.schema.json",
      "schemas/results.sql",
      "figures/medians.csv",
    ])
      has(name);
    assert.equal(members.filter(({ name }) => name.startsWith("bodies/")).length, 3);
    assert.deepEqual([document.sweep.seed, document.sweep.loads, document.sweep.valid], [7, 17, 15]);
    assert.deepEqual(
      document.ran_on.map(({ cpu, loads }) => [cpu, loads]),
      [["Example CPU 3000", 17]],
    );
    assert.match(
      readme?.bytes.toString() ?? "",
      /^# race shop\n\n1 page over h1, h2, h3 on 1 link: 17 loads, 15 valid/,
    );
  });

  test("of a sweep that is run, that has no loads, or whose recording is another or gone is refused, and nothing is written", async () => {
    const out = at("a.tar.zst");
    const sweep = await storeRace(home);
    const results = openResults(home);
    const [stored] = results.listSweeps();
    assert.ok(stored);
    const begun = results.beginSweep(
      { ...stored, name: "begun", plan_digest: "cd".repeat(32), cells: results.cellsOf(sweep) },
      true,
    );
    await assert.rejects(bundled(home, begun.sweep.id, out), refusedIn(/^sweep 2 is being run: wait/));
    results.release(begun.sweep.id);
    await assert.rejects(bundled(home, begun.sweep.id, out), refusedIn(/^sweep 2 has no loads yet/));
    results.close();
    await storeRecording(home, "shop", { credentials: true });
    await assert.rejects(
      bundled(home, sweep, out),
      refusedIn(/^recording shop: has changed since it was loaded .*--results-only$/),
    );
    await withArchive(home, (archive) => archive.remove("shop"));
    await assert.rejects(
      bundled(home, sweep, out),
      refusedIn(/^recording shop: is not in the archive any more: .*--results-only$/),
    );
    assert.equal(existsSync(out), false);
    const { recordings } = await bundled(home, sweep, out, { resultsOnly: true });
    assert.equal(recordings, 0);
    await assert.rejects(rerunPlan(out, at("out")), refusedIn(/a\.tar\.zst: holds no recordings \(--results-only\)/));
  });

  test("a body that is damaged on the disk is found", async () => {
    const sweep = await storeRace(home);
    const bodies = readdirSync(join(home, "bodies"), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    writeFileSync(join(bodies[0]?.parentPath ?? "", bodies[0]?.name ?? ""), "other bytes");
    await assert.rejects(bundled(home, sweep, at("a.tar.zst")), refusedIn(/bodies are damaged/));
    assert.deepEqual(readdirSync(folder), ["home"]);
  });

  test("killed with -9 it leaves the file of before as it was", async () => {
    const sweep = await storeRace(home);
    const big = Buffer.alloc(40_000_000);
    for (let index = 0; index < big.length; index += 4) big.writeUInt32LE((index * 2654435761) >>> 0, index);
    await withArchive(home, (archive) =>
      archive.write(
        { name: "shop", url: "https://shop.example.com/", source: "test", notes: {}, replace: true },
        (writer) => writer.add({ exchange: exchange("/", { host: "shop.example.com" }), body: big }),
      ),
    );
    const { digest } = (await withArchive(home, (archive) => archive.list()))[0] ?? {};
    const database = new DatabaseSync(join(home, "results.db"));
    database.prepare("UPDATE cell SET recording_digest = ?").run(digest ?? "");
    database.close();
    const trilane = join(import.meta.dirname, "../../../../cli/trilane");
    const words = ["bundle", String(sweep), "--home", home, "--out", at("a.tar.zst")];
    const isWriting = (): boolean => readdirSync(folder).some((name) => name.startsWith(".a.tar.zst."));
    // On a busy machine it may have put its file in its place by the time that it was seen to write.
    for (let tries = 1; !isWriting(); tries++) {
      assert.ok(tries <= 20, "it was killed while it wrote");
      writeFileSync(at("a.tar.zst"), "of before");
      const child = spawn(trilane, words, { stdio: "ignore" });
      const ended = once(child, "exit");
      while (!isWriting() && child.exitCode === null && child.signalCode === null) await delay(1);
      child.kill("SIGKILL");
      await ended;
    }
    assert.equal(readFileSync(at("a.tar.zst"), "utf8"), "of before");
  });
});

describe("credentials", () => {
  const urls = [
    "https://shop.example.com/",
    `https://shop.example.com/a.js?token=${secret}`,
    `https://u:${secret}@shop.example.com/b`,
  ];
  const more: Partial<Fixture> & { credentials: boolean } = {
    ...{ credentials: true, urls },
    match: (url) => (url.includes("token") ? { match: "missed" } : { match: "exact" }),
    outcome: ({ lane, attempt }) =>
      lane === "h1" && attempt === 0
        ? { status: "invalid", reasons: [`unanswered: ${urls[1]}`] }
        : { status: "valid", reasons: [] },
  };

  /** Also what page loads hold, which is packed. */
  async function textsOf(bundle: string): Promise<string> {
    const members = await membersOf(bundle);
    const results = members.find(({ name }) => name === "results.db");
    assert.ok(results);
    writeFileSync(at("read.db"), results.bytes);
    const database = new DatabaseSync(at("read.db"));
    const loads = database.prepare("SELECT content AS har FROM document WHERE name = 'page-load'").all();
    database.close();
    rmSync(at("read.db"));
    return [
      ...members.map(({ bytes }) => bytes.toString("latin1")),
      ...loads.map(({ har }) => gunzipSync(har as Uint8Array).toString()),
    ].join("\n");
  }

  test("are nowhere in a bundle, and all there where they are to be kept", async () => {
    const sweep = await storeRace(home, more);
    await bundled(home, sweep, at("masked.tar.zst"));
    assert.ok(!(await textsOf(at("masked.tar.zst"))).includes(secret));
    await bundled(home, sweep, at("kept.tar.zst"), { keepCredentials: true });
    assert.equal((await textsOf(at("kept.tar.zst"))).split(secret).length > 20, true);
  });

  test("a recording that is changed by it has the digest of what is bundled, and can be loaded again", async () => {
    const sweep = await storeRace(home, more);
    await bundled(home, sweep, at("a.tar.zst"));
    const { recordings, credentials } = await manifestOf(at("a.tar.zst"));
    const [shop] = recordings;
    assert.equal(credentials, "masked");
    assert.notEqual(shop?.digest, shop?.loaded_digest);
    await rerunPlan(at("a.tar.zst"), at("out"));
    const [there] = await withArchive(at("out/rerun"), (archive) => archive.list());
    assert.equal(there?.digest, shop?.digest);
    const results = openResultsFile(at("out/results.db"));
    assert.deepEqual([...new Set(results.cellsOf(sweep).map((cell) => cell.recording_digest))], [shop?.digest]);
    const report = buildReport(gatherReport(results, sweep, "0.1.0"));
    results.close();
    assert.ok(!report.includes(secret));
  });
});

describe("a rerun", () => {
  test("has the pages by name in a data folder of its own, the links' files, and the clocks that the loads had", async () => {
    const trace = at("a.trace");
    writeFileSync(trace, "1\n2\n3\n4\n5\n");
    const link = `trace=${trace},rtt=50ms`;
    const shop = await storeRecording(home, "shop");
    const sweep = storeFixture(home, { ...raceFixture, digests: { shop }, links: [link] });
    const { planOf } = await import("../../../../cli/sweep/plan/plan.ts");
    const { linksOf } = await import("../../../../cli/sweep/plan/plan_links.ts");
    const results = openResults(home);
    results.recordPinning(sweep, "shop", Date.UTC(2026, 1, 3));
    const plan = planOf({ ...results.sweep(sweep).plan }, "the test");
    const [settled] = linksOf(plan);
    results.close();
    const database = new DatabaseSync(join(home, "results.db"));
    database.prepare("UPDATE sweep SET plan = ?").run(JSON.stringify(plan));
    database
      .prepare("UPDATE cell SET link_profile = ?, link = ?")
      .run(JSON.stringify(settled?.link_profile), settled?.link ?? "");
    database.close();
    await bundled(home, sweep, at("a.tar.zst"));
    rmSync(home, { recursive: true });
    rmSync(trace);
    const again = await rerunPlan(at("a.tar.zst"), at("out"));
    assert.deepEqual(again.pages, ["shop"]);
    const [here] = linksOf(again);
    assert.equal(here?.link, settled?.link);
    const file = here?.link_profile.down.trace?.file ?? "";
    assert.ok(file.startsWith(at("out/rerun/files/")) && file.endsWith("/a.trace"), file);
    const rerun = openResults(at("out/rerun"));
    assert.equal(rerun.trialOf(shop)?.moment_ms, Date.UTC(2026, 1, 3));
    rerun.close();
    // Again: what is there stays.
    assert.deepEqual((await rerunPlan(at("a.tar.zst"), at("out"))).links, again.links);
  });

  test("a file of a link that has changed is not bundled", async () => {
    const trace = at("a.trace");
    writeFileSync(trace, "1\n2\n3\n4\n5\n");
    const sweep = await storeRace(home, { links: ["3mbit/50ms"] });
    const database = new DatabaseSync(join(home, "results.db"));
    const row = database.prepare("SELECT link_profile FROM cell").get();
    const profile = JSON.parse(String(row?.link_profile)) as { down: object };
    const changed = { ...profile, down: { ...profile.down, trace: { file: trace, sha256: "0".repeat(64) } } };
    database.prepare("UPDATE cell SET link_profile = ?").run(JSON.stringify(changed));
    database.close();
    await assert.rejects(
      bundled(home, sweep, at("a.tar.zst")),
      refusedIn(/a\.trace has changed since it was planned .*--results-only$/),
    );
  });
});
