// `--decide`, `--precise` and `--time-limit` of what is no page load: each ends with fewer runs than there might be, and says what was decided.
// Beside others: what is decided differs by far more than a busy machine adds.
// Long: attempts until it is decided.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Stopping } from "../../schemas/generated/stopping.ts";
import type { SweepEvent } from "../../schemas/generated/sweep_event.ts";
import { run } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";

let home: string;
before(() => {
  home = tempFolder("trilane-stopping-");
});

/** What the last event and the export say of a sweep, and how many runs ended. */
function ran(words: readonly string[]): { verdict: string; runs: number; exported: Stopping } {
  const { status, stdout, stderr } = run(home, [...words, "--json"]);
  assert.equal(status, 0, stderr);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as SweepEvent);
  const last = events.at(-1);
  assert.ok(last && "verdict" in last);
  const ended = /^(?:fetch|command|flow-run)-finished$/;
  const { stopping } = JSON.parse(run(home, ["export", "--format", "json"]).stdout) as { stopping: Stopping };
  return {
    verdict: [...last.verdict].join(" "),
    runs: events.filter(({ event }) => ended.test(event)).length,
    exported: stopping,
  };
}

const lab = ["--link", "20mbit/20ms", "--tolerance", "100%"];
const decided = (quantity: string): RegExp =>
  new RegExp(
    `${quantity}: 1 of 1 comparison decided within 40 %, by \\d+ valid \\w+; all repetitions would have been 60\\.`,
  );
const cases: Readonly<
  Record<
    string,
    { readonly words: readonly string[]; readonly says: RegExp; readonly most: number; readonly exports?: object }
  >
> = {
  "commands that differ are decided": {
    words: ["time", "--decide", "40", "--command", "a=true", "--command", "b=sleep 0.5"],
    ...{ says: decided("Time"), most: 59, exports: { one: "b", other: "a", metric: "wall_ms", decision: "more" } },
  },
  "fetches over two lanes are decided": {
    words: ["fetch", "--page", "object-10kB", "--lanes", "h1,h2", "--decide", "40", ...lab],
    ...{ says: decided("First byte"), most: 59, exports: { one: "h1", other: "h2", metric: "first_byte_ms" } },
  },
  "flows end when their time is over": {
    words: [
      "flows",
      "--flow",
      "tcp:cubic",
      "--flow",
      "tcp:reno",
      "--for",
      "1s",
      "--precise",
      "1",
      "--time-limit",
      "4s",
      ...["--link", "5mbit/20ms", "--tolerance", "100%"],
    ],
    ...{ says: /The time limit of 4 s was over before \d+ of 30 planned runs\./, most: 29 },
  },
};

for (const [name, { words, says, most, exports }] of Object.entries(cases))
  test(name, () => {
    const { verdict, runs, exported } = ran(words);
    assert.match(verdict, says);
    assert.match(exported.sentences.join(" "), says);
    assert.equal(exported.decisions.length, exports ? 1 : 0);
    if (exports) assert.partialDeepStrictEqual(exported.decisions[0], exports);
    assert.ok(runs <= most, `${runs} runs`);
  });
