// What `trilane plan` and `--dry-run` say of a plan, whatever it is of: its size, its rule for when runs are enough, its limit of time, and what is
// known of a page that is still to be made. They make and store nothing.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { ReadPlan } from "../../../cli/engine/plan_kind.ts";
import { instrumentOf, instruments } from "../../../cli/instruments/all.ts";
import { pages as source } from "../../../cli/pages/source.ts";
import { withArchive } from "../../../cli/recording/archive/client.ts";
import type { FetchesPlanned } from "../../../schemas/generated/fetches_planned.ts";
import { tempFolder } from "../../temp_folder.ts";

const home = tempFolder("trilane-dry-run-");
const links = ["10mbit/50ms"];

const documents: Readonly<Record<string, object>> = {
  flows: { mixes: [{ flows: ["tcp:cubic", "quic:cubic"] }], links, for_s: 5 },
  fetch: { objects: ["https://a.example/"], lanes: ["h2", "h3"] },
  time: {
    commands: [
      { name: "a", words: ["true"] },
      { name: "b", words: ["false"] },
    ],
    links,
  },
  race: { pages: [{ synth: "carlucci-small" }], lanes: ["h2", "h3"], links },
};

function describeOf(name: string, document: object): ReadPlan["describe"] {
  const path = join(home, `${name}.json`);
  writeFileSync(path, JSON.stringify(document));
  const kind = instruments.find((each) => each.name === name) ?? assert.fail(name);
  return kind.read(path, {}, { page: [] }).describe;
}

async function linesOf(name: string, change: object): Promise<string> {
  const document = { name: "test", ...documents[name], repetitions: 30, ...change };
  const { lines } = await describeOf(name, document)(home, source);
  assert.ok(
    lines.every((line) => line.length <= 80),
    lines.join("\n"),
  );
  return lines.join("\n").replaceAll(/\n {9}/g, " ");
}

describe("a dry run", () => {
  test("is tried of every instrument's plans", () => {
    assert.deepEqual(Object.keys(documents).toSorted(), instruments.map(({ name }) => name).toSorted());
  });

  for (const name of Object.keys(documents))
    test(`of ${name} says the rule and the limit of time`, async () => {
      const fixed = await linesOf(name, {});
      assert.doesNotMatch(fixed, /at most|until|limit/);
      const decided = await linesOf(name, { until: { decided_percent: 3 }, time_limit_s: 1800 });
      assert.match(decided, /^size +at most .*, until each .* is decided within 3 %$/m);
      assert.match(decided, /^limit +30 ?min of (loads|runs|fetches); those that have not begun by then are skipped/m);
      assert.match(
        await linesOf(name, { until: { interval_percent: 5 } }),
        /^size +at most .*, until each .* median is known within 5 %$/m,
      );
    });
});

describe("a plan of fetches whose objects are a page's", () => {
  const document = { name: "test", page: { synth: "object-1MB" }, links, lanes: ["h2", "h3"], repetitions: 2 };
  const described = async (change: object = {}) => {
    const { document: planned, lines } = await describeOf("fetch", { ...document, ...change })(home, source);
    return { planned: planned as FetchesPlanned, text: lines.join("\n") };
  };

  test("says how many there are at most, and makes no page", async () => {
    const { planned, text } = await described();
    assert.ok(planned.objects > 0 && planned.fetches === planned.objects * 4 && planned.hosts === null);
    assert.match(text, /^objects +at most \d+, all that object-1MB has once it is made$/m);
    assert.deepEqual(await withArchive(home, (archive) => archive.list()), []);
    const twice = (await described({ repetitions: 4 })).planned.expected_s;
    assert.ok(twice > planned.expected_s, `${twice} ${planned.expected_s}`);
  });

  test("says how many there are once the page is made", async () => {
    const made = join(home, "made");
    await source.preparePages(made, [document.page], () => undefined);
    const path = join(home, "fetch.json");
    writeFileSync(path, JSON.stringify(document));
    const kind = instruments.find(({ name }) => name === "fetch");
    const { document: planned, lines } = (await kind?.read(path, {}, {}).describe(made, source)) ?? assert.fail();
    assert.equal((planned as FetchesPlanned).hosts, 1);
    assert.match(lines.join("\n"), /^objects +\d+ of 1 host, of object-1MB's recording$/m);
  });

  test("is guessed by the bytes of a page that is still to be made", async () => {
    const named = {
      page: { synth: "object-20MB" },
      objects: ["https://object-20mb.synth.test/"],
      links: ["1mbit/50ms"],
    };
    const { planned, text } = await described({ ...named, lanes: ["h2"], repetitions: 1 });
    assert.ok(planned.expected_s > 100, `${planned.expected_s} s`);
    assert.match(text, /^objects +1 of 1 host, /m);
  });
});

test("a plan whose recording is missing is refused in one line, whatever it is of", async () => {
  const missing = {
    race: { pages: ["missing"] },
    flows: { page: "missing", for_s: 60 },
    fetch: { page: "missing", links },
    time: { recording: "missing" },
  };
  for (const [name, change] of Object.entries(missing))
    await assert.rejects(linesOf(name, change), /^UserError: no recording is called missing: see `trilane list`/, name);
});

test("a plan that is neither a file nor shipped is refused, with the one that was probably meant", () => {
  assert.throws(
    () => instrumentOf("carlucci-2015-s"),
    /no plan carlucci-2015-s: did you mean carlucci-2015-s\d.*\? name a/,
  );
  assert.throws(() => instrumentOf("nosuch.json"), /no plan nosuch\.json: name a JSON file, or one that/);
  assert.equal(instrumentOf("panda-2019-cost").name, "fetch");
});
