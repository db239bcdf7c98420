// The gate's files from comparisons whose truth is known: JUnit as an XML reader takes it, comments, budgets, the request that moved.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { pageNouns } from "../../../../cli/instruments/page/answer/compared.ts";
import { parseLink } from "../../../../cli/link/link.ts";
import { compareRuns } from "../../../../cli/results/compare/compare.ts";
import type { Run } from "../../../../cli/results/compare/interleaved.ts";
import { judgeBudgets as judgeAll, readBudgets } from "../../../../cli/results/gate/budget.ts";
import { budgetText } from "../../../../cli/results/gate/budget_outcome.ts";
import { junitText } from "../../../../cli/results/gate/junit.ts";
import { movedRequest } from "../../../../cli/results/gate/moved_request.ts";
import { commentText } from "../../../../cli/results/gate/words.ts";
import type { Cell, Load } from "../../../../cli/results/store/results.ts";
import type { PageLoad } from "../../../../schemas/generated/page_load.ts";
import { assertCalmLines, hostileTexts } from "../../../hostile_text.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { refusedIn } from "../../refused.ts";

const judgeBudgets = (...[budgets, runs]: [Parameters<typeof judgeAll>[0], Parameters<typeof judgeAll>[1]]) =>
  judgeAll(budgets, runs, pageNouns);

const folder = tempFolder("trilane-gate-test-");

const link = "10mbit/50ms";

/** One cell whose loads take these times. */
function run(page: string, times_ms: readonly number[]): Run {
  const of = { page, link, lane: "h2" } as const;
  const cell = { id: 1, sweep: 1, ...of, recording_digest: "one", link_profile: parseLink(link) } as unknown as Cell;
  const loads = times_ms.map(
    (plt_ms, block) =>
      ({ id: block + 1, cell: 1, block, status: "valid", reasons: [], ...of, plt_ms }) as unknown as Load,
  );
  return { cells: [cell], loads };
}

const around = (middle_ms: number): number[] => Array.from({ length: 10 }, (_, index) => middle_ms + index - 5);
const terms = { threshold_percent: 5, isInterleaved: true, occasionSpread_percent: null };
const compared = (page: string, before_ms: number, after_ms: number) => {
  const [a, b] = [run(page, around(before_ms)), run(page, around(after_ms))];
  return { comparison: compareRuns([a], [b], terms), b };
};

const facts = {
  nouns: pageNouns,
  threshold_percent: 5,
  metric: "page load time",
  moved: null,
  budgets: [],
  report: null,
};

test("a slower cell is a failure in JUnit and the comment's first sentence; an equal one is neither", () => {
  const slower = compared("shop", 500, 600).comparison;
  const junit = junitText(slower, [], pageNouns);
  assert.match(junit, /<testsuite name="trilane compare" tests="1" failures="1" errors="0" skipped="0">/);
  assert.match(junit, /<testcase classname="shop over 10mbit\/50ms" name="h2">\n {6}<failure message="\+20 % \(/);
  const comment = commentText({ ...facts, comparison: slower, report: "https://ci.example/run/1 (x)" });
  assert.match(
    comment,
    /^<!-- trilane compare -->\n### Trilane: worse\n\n\*\*Slower on h2 \(shop over 10mbit\/50ms\): \+20 % \(/,
  );
  assert.match(comment, /\| shop over 10mbit\/50ms \| h2 \| 500 ms \| 600 ms \| \+20 % /);
  assert.match(comment, /called worse in at most 5 %/);
  assert.match(comment, /\n\[Report\]\(https:\/\/ci\.example\/run\/1[^ )]*\)\n/, "a link of one piece");

  const same = compared("shop", 500, 501).comparison;
  assert.match(junitText(same, [], pageNouns), /failures="0"/);
  assert.match(
    commentText({ ...facts, comparison: same }),
    /### Trilane: nothing became worse\n\n\*\*No change of more than 5 %/,
  );
});

test("a comment says that nothing can be compared if one side has no valid load", () => {
  const comparison = compareRuns([run("shop", [])], [run("shop", around(500))], terms);
  assert.match(
    commentText({ ...facts, comparison }),
    /### Trilane: too few loads for an answer\n\n\*\*Nothing to compare: no lane has enough valid loads before and after\.\*\*\n/,
  );
});

interface SaxElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

interface SaxReader {
  onerror: (error: Error) => void;
  onopentag: (element: SaxElement) => void;
  write(text: string): { close(): void };
}

// A strict reader of XML that dash.js brings, without types: no package of ours names it, so it is looked for where it is named.
const brought = ["dashjs", "imsc"].reduce((from, name) => createRequire(from).resolve(name), import.meta.url);
const sax = createRequire(brought)("sax") as { readonly parser: (strict: boolean) => SaxReader };

/** As a reader of XML takes it, strictly: each element's name with its attributes. */
function elementsOf(xml: string): SaxElement[] {
  const found: SaxElement[] = [];
  const reader = sax.parser(true);
  reader.onerror = (error) => {
    throw error;
  };
  reader.onopentag = (element) => found.push(element);
  reader.write(xml).close();
  return found;
}

test("a reader of XML finds each case, its names as they are, and its failure", () => {
  const page = 'a"<b>&\u202egnp.x\u0000\ud800';
  const { comparison, b } = compared(page, 500, 600);
  const elements = elementsOf(
    junitText(comparison, judgeBudgets([{ metric: "plt", at_most_ms: 100 }], [b]), pageNouns),
  );
  assert.deepEqual(
    elements.map(({ name }) => name),
    ["testsuites", "testsuite", "testcase", "failure", "testcase", "failure"],
  );
  assert.deepEqual(elements[2]?.attributes, { classname: `a"<b>&?gnp.x?\ufffd over ${link}`, name: "h2" });
  assert.equal(elements[1]?.attributes.failures, "2");
  const moved = { lane: "h2", request: { name: "GET /\u202e`x\u0007", before_ms: 1, after_ms: 2 } };
  assert.doesNotMatch(commentText({ ...facts, comparison, moved }), /[\u202e]|(?!\n)\p{Cc}/u);
});

test("names of strangers neither end an attribute nor become Markdown, HTML or mentions", () => {
  const page = 'a"<b>&|`@all`\u001b[31m\n# x';
  const { comparison, b } = compared(page, 500, 600);
  const junit = junitText(comparison, judgeBudgets([{ metric: "plt", at_most_ms: 100 }], [b]), pageNouns);
  assert.match(junit, /classname="a&quot;&lt;b&gt;&amp;\|`@all`\?\[31m\?# x over /);
  assert.equal(junit.split("<testcase").length, 3);
  const comment = commentText({ ...facts, comparison });
  assert.doesNotMatch(comment, /<b>|[^\\]@all|\p{Cc}\[31m|^# x/mu);
});

for (const [name, page] of Object.entries(hostileTexts))
  test(`a name that is ${name} stays text in JUnit and in a comment`, () => {
    const { comparison, b } = compared(page, 500, 600);
    const junit = junitText(comparison, judgeBudgets([{ metric: "plt", at_most_ms: 100 }], [b]), pageNouns);
    assert.equal(elementsOf(junit).length, 6);
    const moved = { lane: "h2", request: { name: page, before_ms: 1, after_ms: 2 } };
    const comment = commentText({ ...facts, comparison, moved, report: page });
    for (const text of [junit, comment]) assertCalmLines(text, name);
    // In a span of code, and behind a backslash, all is text.
    const read = comment.replace(/`[^`\n]*`|\\./g, "").replace("<!-- trilane compare -->", "");
    assert.doesNotMatch(read, /<|\](?!\()|\[(?!Report\]\()|\]\((?!https:)/);
  });

test("a budget is kept if the interval ends within it, exceeded if it begins beyond, else not shown", () => {
  const later = [run("shop -> shop-new", around(500))];
  const outcome = (at_most_ms: number) =>
    judgeBudgets([{ metric: "plt", at_most_ms }], later).map((each) => each.outcome);
  assert.deepEqual([outcome(510), outcome(500), outcome(490)], [["kept"], ["not shown"], ["exceeded"]]);
  const few = judgeBudgets([{ metric: "plt", at_most_ms: 510 }], [run("shop", [500, 501])]);
  assert.deepEqual([few[0]?.outcome, few[0]?.low_ms], ["not shown", null]);
  assert.match(
    budgetText(few[0] as (typeof few)[number]),
    /^PLT at most 510 ms: not shown \(median 501 ms, 2 loads, too few/,
  );
  for (const page of ["shop-new", "shop -> shop-new"])
    assert.equal(judgeBudgets([{ metric: "plt", at_most_ms: 510, page, link, lane: "h2" }], later).length, 1);
  const stored = { metric: "plt", at_most_ms: 510, link: "10000kbit/50ms" } as const;
  assert.equal(judgeBudgets([stored], later).length, 1, "a link in another form is the same link");
  assert.throws(
    () => judgeBudgets([{ metric: "lcp", at_most_ms: 510, page: "shop" }], later),
    refusedIn(/^budget of lcp: no cell shop in the sweep: name a page, a link and a lane of it$/),
  );
});

test("a file of budgets is read, and what is none is one line that names it", () => {
  const write = (text: string): string => {
    const path = join(folder, "budget.json");
    writeFileSync(path, text);
    return path;
  };
  const budgets = [{ metric: "lcp", at_most_ms: 2500, link: "slow-4g" }];
  assert.deepEqual(readBudgets(write(JSON.stringify({ budgets }))), budgets);
  for (const text of ["", "[]", '{"budgets": []}', '{"budgets": [{"metric": "lcp"}]}', " ".repeat(2e6)])
    assert.throws(() => readBudgets(write(text)), refusedIn(/^budget .*budget\.json: [^\n]+$/));
  assert.throws(() => readBudgets(join(folder, "none.json")), /no such file: name another file/);
});

function pageLoad(times_ms: Readonly<Record<string, number>>): PageLoad {
  const entries = Object.entries(times_ms).map(([url, time]) => ({
    ...{ request: { method: "GET", url }, time },
    _trilane: { complete: true },
  }));
  return { log: { entries } } as unknown as PageLoad;
}

test("the request that moved is the one whose median did most, in the direction of the change, in most loads of both", () => {
  const before = [10, 12, 11].map((time) =>
    pageLoad({ "https://a.test/x.js?1": time, "https://a.test/y.css": 50, "https://a.test/z": 9 }),
  );
  const later = [90, 92, 40].map((time, index) =>
    pageLoad({
      "https://b.test/x.js?2": time,
      "https://b.test/y.css": 20,
      ...(index === 0 ? { "https://b.test/z": 900 } : {}),
    }),
  );
  assert.deepEqual(movedRequest(before, later, "slower"), { name: "GET /x.js", before_ms: 11, after_ms: 90 });
  assert.deepEqual(movedRequest(before, later, "faster"), { name: "GET /y.css", before_ms: 50, after_ms: 20 });
  assert.equal(movedRequest(before, before, "slower"), null);
});
