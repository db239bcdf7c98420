// Whether a page is raced as it was recorded: a trial load decides, but for recordings that no load could be one of.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenPage, type ModelChoice } from "../../../cli/pages/choose_model.ts";
import type { TrialFinding } from "../../../cli/pages/trial_finding.ts";
import type { JsonObject, NewExchange } from "../../../cli/recording/archive/archive.ts";
import { withArchive } from "../../../cli/recording/archive/client.ts";
import { modelRecording } from "../../../cli/recording/model/model_recording.ts";
import type { ModelFinding } from "../../../cli/sweep/plan/model_trial.ts";
import { tempFolder } from "../../temp_folder.ts";
import { exchange as anExchange } from "../recording/archive/example_recording.ts";

const home = tempFolder("trilane-choose-");

type Body = "there" | "missing" | "cut";

function exchange(path: string, type: string, kind: string, body: Body): NewExchange {
  return {
    exchange: anExchange(path, {
      host: "page.test",
      response_headers: [["content-type", type]],
      body_origin: body === "missing" ? "filled" : "recorded",
      recorded: { resource_type: kind, ...(body === "cut" ? { cut_off: true } : {}) },
    }),
    body: Buffer.from(path.padEnd(40, "x")),
  };
}

/** A page of a document and of as many scripts as there are bodies named. */
async function record(name: string, document: Body, scripts: readonly Body[], notes: JsonObject = {}): Promise<void> {
  const about = { name, url: "https://page.test/", source: "har: test", notes, replace: false };
  await withArchive(home, (archive) =>
    archive.write(about, async (writer) => {
      await writer.add(exchange("/", "text/html", "document", document));
      for (const [place, body] of scripts.entries())
        await writer.add(exchange(`/${name}-${place}.js`, "text/javascript", "script", body));
    }),
  );
}

const counts: TrialFinding = { outside: [], failure: null };
const tooLittle: TrialFinding = { outside: ["covers too little of the recording: 3 of 9 requests"], failure: null };
const failed: TrialFinding = { outside: [], failure: "the browser did not start" };

/** What is chosen, what is said, and how often was tried. `null`: there is no trial to be had. */
async function choose(page: string, as: ModelChoice["as"], finding: TrialFinding | null) {
  const lines: string[] = [];
  let trials = 0;
  const trial = async (): Promise<TrialFinding> => {
    trials++;
    return finding ?? counts;
  };
  const choice: ModelChoice = { as, compute: "timer", ...(finding ? { trial } : {}), say: (line) => lines.push(line) };
  return { chosen: await chosenPage(home, page, choice), lines, trials };
}

test("of a recording with its bodies a trial load decides, and the line says what it missed", async () => {
  await record("whole", "there", ["there"]);
  assert.deepEqual(await choose("whole", "auto", counts), { chosen: "whole", lines: [], trials: 1 });
  assert.deepEqual(await choose("whole", "auto", failed), { chosen: "whole", lines: [], trials: 1 });
  assert.deepEqual(await choose("whole", "recorded", counts), { chosen: "whole", lines: [], trials: 1 });
  assert.deepEqual(await choose("whole", "auto", tooLittle), {
    chosen: "whole-model",
    lines: [
      "whole: as recorded it covers too little of the recording: 3 of 9 requests: racing a modelled page, whole-model",
    ],
    trials: 1,
  });
  assert.equal((await choose("whole", "model", counts)).trials, 0, "what is asked for is not tried");
  await assert.rejects(choose("whole", "recorded", tooLittle), {
    name: "UserError",
    message:
      "whole: as recorded it covers too little of the recording: 3 of 9 requests: it cannot be raced as recorded, use --as model",
  });
  const endless: TrialFinding = { outside: ["the load event did not come within 60000 ms"], failure: "the same" };
  assert.deepEqual((await choose("whole", undefined, endless)).lines, [
    "whole: as recorded, the load event did not come within 60000 ms: racing a modelled page, whole-model",
  ]);
});

test("some missing scripts leave it to the trial load; where none can be made, a model takes the page's place", async () => {
  await record("some", "there", ["there", "missing", "cut", "there", "there"]);
  const words = "some: bodies are missing or cut off for 2 of 6 responses";
  assert.deepEqual(await choose("some", "auto", counts), {
    chosen: "some",
    lines: [`${words}, but a trial load asks for the rest: racing it as recorded`],
    trials: 1,
  });
  assert.deepEqual(await choose("some", "recorded", counts), { chosen: "some", lines: [], trials: 1 });
  assert.equal((await choose("some", "auto", tooLittle)).chosen, "some-model");
  const { chosen, lines } = await choose("some", "auto", failed);
  assert.equal(chosen, "some-model");
  assert.deepEqual(lines, [
    `${words}, and a trial load failed (the browser did not start): racing a modelled page, some-model`,
  ]);
  assert.deepEqual(await choose("some", "auto", null), {
    chosen: "some-model",
    lines: [`${words}: racing a modelled page, some-model`],
    trials: 0,
  });
  await assert.rejects(choose("some", "recorded", null), /^UserError: some: .*: it cannot be raced as recorded/);
});

test("without its document, or nearly all that asks, a page is not even tried", async () => {
  const there = Array.from({ length: 30 }, (): Body => "there");
  await record("cut", "cut", there);
  await record("bodiless", "missing", ["missing"]);
  await record(
    "document-only",
    "there",
    there.map((): Body => "missing"),
  );
  for (const name of ["cut", "bodiless", "document-only"]) {
    const { chosen, lines, trials } = await choose(name, "auto", counts);
    assert.deepEqual([chosen, trials], [`${name}-model`, 0], name);
    assert.match(
      lines.join("\n"),
      /^\S+: bodies are missing or cut off for \d+ of \d+ responses: racing a modelled page/,
    );
    await assert.rejects(choose(name, "recorded", counts), /^UserError: .*: it cannot be raced as recorded/, name);
  }
});

test("what was decided at import holds unless --as says otherwise", async () => {
  await record("modelled", "there", ["there"], { as: "model" });
  await record("kept", "there", ["there"], { as: "recorded" });
  const modelled = await choose("modelled", undefined, counts);
  assert.deepEqual([modelled.chosen, modelled.trials], ["modelled-model", 0]);
  assert.equal((await choose("modelled", "auto", counts)).chosen, "modelled");
  await assert.rejects(choose("kept", undefined, tooLittle), /^UserError: kept: /);
  assert.equal((await choose("kept", "auto", tooLittle)).chosen, "kept-model");
});

test("a start URL that leads to what is not recorded is no page, and no model of one", async () => {
  const about = { name: "away", url: "https://page.test/", source: "har: test", notes: {}, replace: false };
  const redirect = (path: string, location: string): NewExchange => {
    const { exchange: facts } = exchange(path, "text/html", "document", "there");
    return { exchange: { ...facts, status: 302, response_headers: [["location", location]], body_origin: "empty" } };
  };
  const write = (name: string, ...exchanges: NewExchange[]) =>
    withArchive(home, (archive) =>
      archive.write({ ...about, name }, async (writer) => {
        for (const each of exchanges) await writer.add(each);
      }),
    );
  await write("away", redirect("/", "/next"), redirect("/next", "https://nowhere.test/start"));
  for (const as of ["auto", "recorded", "model"] as const)
    await assert.rejects(
      choose("away", as, tooLittle),
      /^UserError: away: its start URL redirects to https:\/\/nowhere\.test\/start, which is not in the recording: import it with --url/,
    );
  await write("found", redirect("/", "/next"), exchange("/next", "text/html", "document", "there"));
  assert.equal((await choose("found", "auto", tooLittle)).chosen, "found-model");
  await write("round", redirect("/", "/next"), redirect("/next", "/"));
  const endless =
    /^UserError: round: its start URL redirects in a circle \(ERR_TOO_MANY_REDIRECTS\): import it with --url/;
  // Without a trial.
  for (const as of ["auto", "recorded", "model"] as const) await assert.rejects(choose("round", as, counts), endless);
  await assert.rejects(
    withArchive(home, (archive) => modelRecording(archive, { name: "round", compute: "timer", replace: false })),
    endless,
  );
  await write("once-round", redirect("/", "/"), exchange("/", "text/html", "document", "there"));
  assert.equal((await choose("once-round", "model", counts)).chosen, "once-round-model");
});

test("a model is loaded once; what that misses the page's own script fetches, or no model of it is raced", async () => {
  await record("checked", "there", ["there", "there"]);
  const missing = { key: "GET page.test:/checked-1.js", url: "https://page.test/checked-1.js" };
  const findings: ModelFinding[] = [];
  const digests: string[] = [];
  const race = () =>
    chosenPage(home, "checked", {
      as: "model",
      compute: "timer",
      say: () => {},
      modelTrial: async (_, { digest }) => {
        digests.push(digest);
        return findings.shift() ?? { missed: [], reason: null };
      },
    });
  const document = () =>
    withArchive(home, async (archive) => {
      const { exchanges } = await archive.show("checked-model");
      const pieces: Buffer[] = [];
      for await (const piece of archive.body(exchanges[0]?.body_sha256 ?? "")) pieces.push(piece);
      return Buffer.concat(pieces).toString();
    });
  assert.equal(await race(), "checked-model");
  assert.match(await document(), /<script src="\/checked-1\.js"/);
  assert.equal(digests.length, 1, "one load of one that asks for all");

  findings.push({ missed: [missing], reason: null });
  assert.equal(await race(), "checked-model");
  assert.match(await document(), /t\(\[\["x",\d+,"\/checked-1\.js"/);
  assert.equal(new Set(digests.slice(1)).size, 2, "the mended one is loaded, too");

  findings.push({ missed: [missing], reason: "covers too little" }, { missed: [missing], reason: "covers too little" });
  await assert.rejects(race(), {
    name: "UserError",
    message:
      "checked: no model of it can be loaded: a load does not ask for https://page.test/checked-1.js: record the page live with `trilane record https://page.test/`",
  });
  const endless: ModelFinding = { missed: [], reason: "the load event did not come within 60000 ms" };
  findings.push(endless, endless);
  await assert.rejects(
    race(),
    /^UserError: checked: no model of it can be loaded: a load of it is not valid: the load event/,
  );
});
