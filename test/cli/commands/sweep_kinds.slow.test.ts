// `trilane sweep PLAN` of plans that are not of pages: an instrument of the one list reads and describes them, by the same command.
// Wide: cli/commands/sweep.ts, cli/instruments.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { instrumentOf, instruments, refuseOthersOptions } from "../../../cli/instruments/all.ts";
import type { AnySweep } from "../../../cli/results/store/results.ts";
import { output } from "../../product.ts";
import { schemaErrors } from "../../schemas/schema_errors.ts";
import { tempFolder } from "../../temp_folder.ts";

const home = tempFolder("trilane-sweep-kinds-");

const sweep = (...words: string[]) => output(home, ["sweep", ...words]);

function planFile(name: string, document: object): string {
  const path = join(home, name);
  writeFileSync(path, JSON.stringify(document));
  return path;
}

const flows = planFile("flows.json", {
  name: "ours",
  links: ["5mbit/50ms"],
  mixes: [{ flows: ["tcp:cubic"] }],
  for_s: 1,
  repetitions: 2,
});
const fetches = planFile("fetch.json", {
  ...{ name: "ours", lanes: ["h2", "h3"], objects: ["https://shop.example/"], repetitions: 2 },
});

test("what a plan is of is found by what it says; one that says nothing is read as one of pages", () => {
  assert.equal(instrumentOf(flows).name, "flows");
  assert.equal(instrumentOf(fetches).name, "fetch");
  assert.equal(
    instrumentOf(planFile("pages.json", { name: "ours", pages: ["a"], links: [], lanes: ["h2"] })).name,
    "race",
  );
  assert.equal(instrumentOf(planFile("list.json", [])).name, "race");
  const ofPage = { name: "ours", page: "shop", links: ["5mbit/50ms"], lanes: ["h2"], repetitions: 2 };
  assert.equal(instrumentOf(planFile("page.json", ofPage)).name, "fetch");
  assert.equal(
    instrumentOf(planFile("mistyped.json", { ...ofPage, films: 1 })).name,
    "race",
    "`page` in place of `pages`",
  );
  assert.throws(
    () => instrumentOf(join(home, "none.json")),
    /^UserError: no plan .*none\.json: name a JSON file, or one that/,
  );
  for (const name of instruments.flatMap((kind) => kind.shippedPlans()))
    assert.equal(
      instrumentOf(name),
      instruments.find((kind) => kind.shippedPlans().includes(name)),
      name,
    );
  assert.equal(instrumentOf("carlucci-2015-s3").name, "race");
});

test("sweep describes a plan of flows, one of fetches and one of commands, with other runs: each is an event", () => {
  const commands = planFile("described.json", {
    ...{ name: "ours", repetitions: 2 },
    commands: ["a", "b"].map((name) => ({ name, words: ["true"] })),
  });
  for (const [plan, event, runs] of [
    [flows, "flows-planned", 3],
    [fetches, "fetches-planned", 6],
    [commands, "commands-planned", 6],
  ] as const) {
    const { status, stdout, stderr } = sweep(plan, "--dry-run", "--json", "--runs", "3");
    assert.equal(status, 0, stderr);
    const planned = JSON.parse(stdout) as { event: string; runs?: number; fetches?: number };
    assert.equal(schemaErrors("sweep-event", planned), null);
    assert.deepEqual([planned.event, planned.runs ?? planned.fetches], [event, runs]);
    assert.match(sweep(plan, "--dry-run").stdout, /^size /m);
  }
});

test("when runs are enough is an option for plans of each kind, in place of what they say", () => {
  const commands = planFile("commands.json", {
    ...{ name: "ours", repetitions: 12, until: { interval_percent: 2 } },
    commands: ["a", "b"].map((name) => ({ name, words: ["true"] })),
  });
  const two = planFile("two.json", {
    ...{ name: "ours", links: ["5mbit/50ms"], for_s: 1, repetitions: 2 },
    mixes: [{ flows: ["tcp:cubic"] }, { flows: ["tcp:reno"] }],
  });
  for (const [plan, runs] of [
    [two, 60],
    [fetches, 60],
    [commands, 60],
  ] as const) {
    const { status, stdout, stderr } = sweep(plan, "--dry-run", "--json", "--decide", "3", "--time-limit", "5min");
    assert.equal(status, 0, stderr);
    const planned = JSON.parse(stdout) as { runs?: number; fetches?: number };
    assert.equal(planned.runs ?? planned.fetches, runs);
  }
  assert.match(sweep(two, "--decide", "3", "--runs", "4").stderr, /first looks after 5 repetitions \(--runs\)/);
});

test("an option of a stored sweep's instrument is refused for those of others, in a report and in an export", () => {
  const stored = (kind: "pages" | "flows" | "fetches") => ({ id: 4, kind }) as AnySweep;
  refuseOthersOptions(stored("fetches"), "export", { prefixes: "table.gz" });
  refuseOthersOptions(stored("pages"), "report", { metric: "lcp", prefixes: undefined });
  for (const command of ["report", "export"] as const)
    assert.throws(
      () => refuseOthersOptions(stored("flows"), command, { prefixes: "table.gz" }),
      /^UserError: sweep 4 is of flows: --prefixes is for fetches, leave it out$/,
    );
  assert.throws(
    () => refuseOthersOptions(stored("fetches"), "report", { metric: "lcp" }),
    /^UserError: sweep 4 is of fetches: --metric is for pages, leave it out$/,
  );
});

test("an option of page loads is refused by its name; labs and evidence are options of all", () => {
  const films = sweep(flows, "--films", "2");
  assert.deepEqual([films.status, films.stdout], [2, ""]);
  assert.match(
    films.stderr,
    /--films: is for plans of page loads, and plan .*flows\.json is of flows: leave it out\n$/,
  );
  for (const plan of [flows, fetches])
    assert.equal(sweep(plan, "--evidence", join(home, "kept"), "--labs", "2", "--dry-run").status, 0);
  assert.match(
    sweep(flows, "--labs", "0", "--dry-run").stderr,
    /^trilane: --labs must be auto or a number from 1 to 64/,
  );
  assert.match(
    sweep(flows, "--once").stderr,
    /--once: is for plans of page loads, and plan .*flows\.json is of flows: /,
  );
});
