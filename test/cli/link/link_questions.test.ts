// cli/link/link.ts starts trilane-shaper once for many links, whichever way they are asked for afterwards, and says why it
// has no answer. What the answers are is link.test.ts's.
import assert from "node:assert/strict";
import childProcess, { type SpawnSyncReturns } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { mock, test } from "node:test";
import { UserError } from "../../../cli/base/errors.ts";
import { checkout, programPath } from "../../../cli/base/programs.ts";
import { describeLinks, formatLink, type LinkProfile, parseLink, readForms } from "../../../cli/link/link.ts";
import { readLinks } from "../../../cli/link/profile_file.ts";
import { askLabLinks, labCommand } from "../../../cli/load/lab.ts";
import { cellsOf, planOf } from "../../../cli/sweep/plan/plan.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-link-questions-");

const started = mock.method(childProcess, "spawnSync").mock;
syncBuiltinESMExports();

function startsOf(work: () => void): number {
  const before = started.callCount();
  work();
  return started.callCount() - before;
}

const asLab = (link: LinkProfile) => labCommand({ home: "", recording: null, link, reports: null }).shaper;

test("a plan's links and the labs of all its loads start trilane-shaper once", () => {
  const grid = { rates_mbit: [1.5, 2.5, 3.5], rtts_ms: [33, 44], loss: [0, 0.03] };
  const document = {
    ...{ name: "once", pages: ["page"], lanes: ["h1", "h2"], repetitions: 1 },
    links: ["2.25mbit/31ms", { grid }],
  };
  const starts = startsOf(() => {
    const links = cellsOf(planOf(document, "once")).map(({ link_profile }) => link_profile);
    askLabLinks(links);
    links.forEach((link, block) => {
      const words = asLab({ ...link, seed: 1000 + block }).join(" ");
      assert.ok(words.includes(`--link ${formatLink(link)} --seed ${1000 + block}`), words);
    });
  });
  // The strings, then the grids.
  assert.equal(starts, 2);
});

test("links with files are asked for together: for the plan, for what is in the files, and for the labs", () => {
  const documents = ["a", "b", "c"].map((name, index) => {
    const trace = join(folder, `${name}.trace`);
    writeFileSync(trace, `${index + 1}\n`);
    return { ...{ name: "files", pages: ["page"], lanes: ["h1"], repetitions: 1 }, links: [`trace=${trace},rtt=7ms`] };
  });
  const plan = { ...documents[0], links: documents.flatMap(({ links }) => links) };
  const starts = startsOf(() => {
    const links = cellsOf(planOf(plan, "files")).map(({ link_profile }) => link_profile);
    askLabLinks(links);
    for (const link of links) asLab({ ...link, seed: 77 });
  });
  assert.equal(starts, 3);
});

test("files of profiles are read with one start", () => {
  const names = [61, 62, 63].map((rtt_ms) => {
    const way = { rate_bps: 1e6 * rtt_ms, delay_ms: rtt_ms / 2, queue: { bdp: 1 }, loss: 0 };
    const name = `${rtt_ms}.json`;
    writeFileSync(join(folder, name), JSON.stringify({ down: way, up: way, rtt_ms, seed: 1 }));
    return name;
  });
  const starts = startsOf(() => {
    const forms = readLinks(names, folder).map(formatLink);
    assert.deepEqual(forms, ["61mbit/61ms", "62mbit/62ms", "63mbit/63ms"]);
    assert.deepEqual(
      readForms(forms).map(({ profile }) => profile.rtt_ms),
      [61, 62, 63],
    );
  });
  assert.equal(starts, 1);
});

test("what an answer says of another question is what trilane-shaper answers to it", () => {
  const examples = JSON.parse(readFileSync(join(checkout, "schemas", "examples", "link-forms.json"), "utf8"));
  const forms: string[] = examples.valid.map(({ form }: { form: string }) => form);
  const read = readForms(forms);
  const questions = read.flatMap(({ form, profile }) => [{ form }, { profile }]);
  const { stdout } = childProcess.spawnSync(programPath("trilane-shaper"), ["--links"], {
    input: questions.map((question) => `${JSON.stringify(question)}\n`).join(""),
    encoding: "utf8",
  });
  const answers = stdout.trim().split("\n");
  assert.equal(answers.length, questions.length);
  const asked = new Set(forms);
  const starts = startsOf(() => {
    read.forEach(({ form, profile }, index) => {
      assert.deepEqual(describeLinks([profile]), [JSON.parse(answers[2 * index + 1] ?? "")], form);
      if (!asked.has(form)) assert.deepEqual(readForms([form]), [JSON.parse(answers[2 * index] ?? "")], form);
    });
  });
  assert.equal(starts, 0);
});

test("without an answer the error says why, and advises the set-up only where that helps", () => {
  const failures: [Partial<SpawnSyncReturns<string>>, string][] = [
    [{ signal: "SIGKILL", status: null }, "ended by SIGKILL: run the command again"],
    [{ status: 1, stderr: "trilane-shaper: links: no room\n" }, "links: no room: run the command again"],
    [{ status: 0, stdout: "" }, "wrong answers: run `npm run setup` again"],
    [{ status: 2, stderr: "trilane-shaper: unknown\n" }, "unknown: run `npm run setup` again"],
    [
      { status: null, error: Object.assign(new Error("spawnSync x ENOENT"), { code: "ENOENT" }) },
      "spawnSync x ENOENT: run `npm run setup` again",
    ],
    [
      { status: null, error: Object.assign(new Error("spawnSync x EAGAIN"), { code: "EAGAIN" }) },
      "spawnSync x EAGAIN: run the command again",
    ],
  ];
  failures.forEach(([ended, why], index) => {
    const result = { pid: 1, output: [], stdout: "", stderr: "", status: null, signal: null, ...ended };
    started.mockImplementationOnce((() => result) as unknown as typeof childProcess.spawnSync);
    assert.throws(() => parseLink(`${index + 1}.125mbit/1ms`), new UserError(`trilane-shaper --links: ${why}`));
  });
});
