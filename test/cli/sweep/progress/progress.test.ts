// cli/sweep/progress/progress.ts with the words of page loads, and outcome.ts: what is shown where, in lines that fit, and events that follow their schema.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Lane, laneFacts, laneOf } from "../../../../cli/base/lanes.ts";
import { wrapped } from "../../../../cli/base/wrapped_text.ts";
import { outcomeLines, outcomeOf } from "../../../../cli/instruments/page/run/outcome.ts";
import { pageEvents } from "../../../../cli/instruments/page/run/page_events.ts";
import { parseLink } from "../../../../cli/link/link.ts";
import { type LoadObservations, loadObservations } from "../../../../cli/results/store/load_observations.ts";
import type { Cell, Load } from "../../../../cli/results/store/results.ts";
import { guessWall_ms, TimeLeft } from "../../../../cli/sweep/plan/estimate.ts";
import { openProgress } from "../../../../cli/sweep/progress/progress.ts";
import { formatDuration, progressLine } from "../../../../cli/sweep/progress/progress_lines.ts";
import { logProgress, type Verbosity } from "../../../../cli/sweep/progress/progress_log.ts";
import type { LinkTested, LoadFinished, SweepEvent } from "../../../../schemas/generated/sweep_event.ts";
import { schemaErrors } from "../../../schemas/schema_errors.ts";
import { fastPlan } from "../../instruments/page/run/fast_runner.ts";

const started: SweepEvent = {
  event: "sweep-started",
  sweep: 3,
  name: "test",
  cells: 6,
  loads: 20,
  done: 4,
  resumed: true,
  expected_s: 100,
};

function finished(change: Partial<LoadFinished> = {}): LoadFinished {
  return {
    event: "load-finished",
    position: 4,
    page: "a-page-with-quite-a-long-name-that-fills-a-line-of-a-terminal",
    lane: "h3",
    link: "down=30mbit,up=15mbit,rtt=100ms",
    block: 0,
    attempt: 0,
    load: 5,
    status: "valid",
    reasons: [],
    plt_ms: 700,
    wall_ms: 1500,
    done: 5,
    loads: 20,
    left_s: 90,
    ...change,
  };
}

function tested(change: Partial<LinkTested> = {}): LinkTested {
  const least: LinkTested = {
    event: "link-tested",
    link: "3mbit/50ms",
    outcome: "within",
    reason: null,
    measurements: 1,
    puts_off: false,
    tested: 1,
    links: 2,
    left_s: 2,
  };
  return { ...least, ...change };
}

/** What is written, as a terminal or as a file would get it. */
function shown(
  events: readonly SweepEvent[],
  options: { isTTY?: boolean; json?: boolean; environment?: NodeJS.ProcessEnv },
) {
  const texts = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    isTTY: options.isTTY ?? false,
    columns: 60,
    write: (text: string) => {
      texts[name] += text;
    },
  });
  const progress = openProgress({
    json: options.json ?? false,
    out: stream("out"),
    err: stream("err"),
    environment: options.environment ?? {},
    words: pageEvents,
  });
  for (const event of events) progress.tell(event);
  progress.end();
  return texts;
}

/** Progress on a terminal, and what that was sent. */
function onTerminal(size: { columns?: number; rows?: number }, environment: NodeJS.ProcessEnv = { NO_COLOR: "1" }) {
  const sent = { text: "" };
  const terminal = { isTTY: true, columns: 80, ...size, write: (more: string) => (sent.text += more) };
  const options = { words: pageEvents, json: false, out: terminal, err: terminal, environment };
  return { sent, terminal, options, progress: openProgress(options) };
}

/** A log that is no terminal, on a clock of its own. */
function newLog(verbosity: Verbosity) {
  const log = { lines: [] as string[], now_ms: 0 };
  const clock = { now_ms: () => log.now_ms, date: () => new Date(log.now_ms) };
  const progress = logProgress({ write: (line: string) => log.lines.push(line) }, verbosity, pageEvents, clock);
  return { log, progress };
}

describe("progress", () => {
  test("self-tests: how far they are, and each link that is out stays to be seen", () => {
    const out = tested({ tested: 2, link: "10mbit/50ms", outcome: "out", reason: "rate down 9", left_s: 0 });
    const plain = shown([tested(), out], {}).err;
    assert.match(plain, /^\S+Z link 10mbit\/50ms: its runs will not count: rate down 9$/m);
    const terminal = shown([tested(), out], { isTTY: true, environment: { NO_COLOR: "1" } }).err;
    const [, first, second] = terminal.split("\r\x1b[K");
    assert.match(first ?? "", /^self-test 1 of 2: [^\n]*$/);
    assert.match(second ?? "", /^link 10mbit\/50ms: [^\n]*\n$/);
    // A line that was left to be written over is wiped before what comes next.
    assert.ok(shown([tested()], { isTTY: true }).err.endsWith("left\r\x1b[K"));
  });

  test("lines below the one that is written over: drawn with it, gone with their run, and none where there is no such line", () => {
    const { sent, terminal, options, progress } = onTerminal({ columns: 20, rows: 5 });
    progress.tell(tested());
    const drawn = (work: () => void): string => {
      sent.text = "";
      work();
      return sent.text;
    };
    const line = /self-test 1 of 2[^\r]*/.exec(sent.text)?.[0] ?? "";
    assert.equal(
      drawn(() => progress.below?.(["one", "two", "three, which is too wide", "four"])),
      // As many as the terminal has rows for, each cut to its width; then the cursor goes back up.
      `\r\x1b[K\r\x1b[K${line}\r\n\x1b[Kone\r\n\x1b[Ktwo\r\n\x1b[Kthree, which is to…\x1b[3A`,
    );
    assert.equal(
      drawn(() => progress.below?.([])),
      `\r\x1b[J\r\x1b[K${line}`,
    );
    progress.below?.(["one"]);
    assert.equal(
      drawn(() => progress.end()),
      "\r\x1b[J",
    );
    assert.equal(openProgress({ ...options, err: { ...terminal, isTTY: false } }).below, undefined);
    assert.equal(openProgress({ ...options, json: true }).below, undefined);
  });

  const trouble = finished({ status: "failed", reasons: ["the browser crashed"], plt_ms: null, done: 5 });

  test("without a terminal: lines with their time, not one per load; what is not valid is told", () => {
    const many = Array.from({ length: 10 }, (_, index) => finished({ done: 5 + index }));
    const { out, err } = shown([started, ...many, trouble, finished({ done: 20, left_s: 0 })], {});
    assert.equal(out, "", "the output is the result's");
    const lines = err.trimEnd().split("\n");
    assert.ok(lines.every((line) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /.test(line)));
    assert.match(lines[0] ?? "", /Z test: resumes sweep 3 at run 5 of 20, 6 cells, about 1 min 40 s$/);
    assert.match(lines[1] ?? "", /Z 5 of 20 runs, 1 min 30 s left/);
    assert.match(lines[2] ?? "", /Z failed: .*attempt 1: the browser crashed$/);
    assert.match(lines[3] ?? "", /Z 20 of 20 runs, 1 of 12 attempts not valid, 0 s left/);
    assert.equal(lines.length, 4);
    assert.ok(!err.includes("\x1b"), "no control sequences");
  });

  /** A load every five seconds for so long, each tenth not valid. */
  function logOf(verbosity: Verbosity, minutes: number): string[] {
    const { log, progress } = newLog(verbosity);
    progress.tell(started);
    for (let load = 0; load < minutes * 12; load++, log.now_ms += 5000)
      progress.tell(
        finished({ done: load, loads: 1e6, ...(load % 10 === 9 ? { status: "invalid", reasons: ["late"] } : {}) }),
      );
    return log.lines;
  }

  test("a log of a day has a line a minute, at first one in ten seconds, and each kind of what is wrong once", () => {
    const lines = logOf("status", 24 * 60);
    assert.equal(logOf("status", 1).filter((line) => / of 1000000 runs/.test(line)).length, 6);
    const status = lines.filter((line) => / of 1000000 runs/.test(line));
    assert.ok(status.length > 1400 && status.length < 1500, `${status.length}`);
    const trouble = lines.filter((line) => / invalid: /.test(line));
    assert.equal(trouble.length, 1);
    assert.match(status.at(-1) ?? "", /^1970-01-01T23:59:\d\dZ .*, 172\d of 172\d\d attempts not valid, /);
    assert.equal(logOf("verbose", 10).filter((line) => / of 1000000 runs/.test(line)).length, 120);
    assert.deepEqual(logOf("quiet", 10), []);
  });

  test("a log has the answer so far, the newest, and no more than a line in ten seconds", () => {
    const { log, progress } = newLog("status");
    for (let load = 0; load < 40; load++, log.now_ms += 1000) {
      progress.tell(finished({ done: load, loads: 100 }));
      progress.tell({ event: "answer-so-far", sweep: 1, sentence: `sentence ${load}.`, has_interval: false });
    }
    const { lines } = log;
    const seconds = lines.map((line) => Number(line.slice(17, 19)));
    assert.ok(
      seconds.every((second, index) => index === 0 || second - (seconds[index - 1] ?? 0) >= 10),
      lines.join(""),
    );
    assert.match(lines[1] ?? "", /Z 10 of 100 runs, 1 min 30 s left; so far: sentence 9\.$/m);
  });

  test("on a terminal: one line that is written over and never wraps; colour unless NO_COLOR", () => {
    const coloured = shown([started, finished(), trouble], { isTTY: true }).err;
    const plain = shown([started, finished(), trouble], { isTTY: true, environment: { NO_COLOR: "1" } }).err;
    assert.ok(coloured.includes("\x1b[33m") && !plain.includes("\x1b[33m"));
    const drawn = plain.split("\r\x1b[K").filter((text) => / of 20 runs/.test(text));
    assert.ok(drawn.length >= 2);
    for (const line of drawn) assert.ok(line.length < 60 && !line.includes("\n"), line);
    assert.match(drawn[0] ?? "", /^5 of 20 runs, 1 min 30 s left$/);
    assert.match(drawn.at(-1) ?? "", /^5 of 20 runs, 1 of 2 attempts not valid, 1 min 30 s left$/);
    assert.ok(plain.endsWith("\r\x1b[K"), "the line is left empty");
  });

  test("no more lines than the terminal has rows, however many lanes there are", () => {
    const lanes = Array.from({ length: 9 }, (_, index) => `h3:${index}` as const);
    for (const [rows, lines] of [
      [13, 1],
      [14, 14],
    ] as const) {
      const { sent, progress } = onTerminal({ rows });
      progress.tell({ ...started, lanes, runs: 3 });
      const place = { page: "shop", link: "3g", position: 1, lane: "h3", block: 0, attempt: 0 } as const;
      progress.tell({ event: "load-started", ...place });
      progress.tell({ event: "answer-so-far", sweep: 3, sentence: "word ".repeat(60), has_interval: true });
      progress.tell(finished({ ...place, plt_ms: 100 }));
      progress.end();
      const drawn = sent.text.split("\r\x1b[K").at(-1) ?? "";
      assert.equal(drawn.split("\r\n").length, lines, `${rows} rows`);
    }
  });

  /** What a terminal shows after these sequences, of those that are used. */
  function screenOf(written: string): string[] {
    const rows: string[] = [""];
    let [row, column] = [0, 0];
    for (const [, up, erase, style, control, text] of written.matchAll(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
      /\x1b\[(\d+)A|\x1b\[([JK])|\x1b\[([\d;]*)m|([\r\n])|([^\x1b\r\n]+)/g,
    )) {
      if (up !== undefined) row -= Number(up);
      else if (erase !== undefined) {
        rows[row] = (rows[row] ?? "").slice(0, column);
        if (erase === "J") rows.length = row + 1;
      } else if (control === "\r") column = 0;
      else if (control === "\n") row++;
      else if (style === undefined && text !== undefined) {
        rows[row] = `${(rows[row] ?? "").slice(0, column)}${text}${(rows[row] ?? "").slice(column + text.length)}`;
        column += text.length;
      }
    }
    return rows;
  }

  test("on a terminal lanes are tracks that fill, with their medians; what they say so far stands below", () => {
    const place = { page: "shop", link: "3g" } as const;
    const race: SweepEvent = { ...started, cells: 3, loads: 9, done: 1, lanes: ["h3", "h1", "h2"], runs: 3 };
    const events: SweepEvent[] = [
      { ...race, before: [{ ...place, lane: "h1", plt_ms: 1500 }] },
      { event: "load-started", ...place, position: 1, lane: "h2", block: 0, attempt: 0 },
      finished({ ...place, lane: "h2", plt_ms: 1190, done: 2, loads: 9 }),
      finished({ ...place, lane: "h3", plt_ms: null, status: "invalid", reasons: ["late"], done: 2, loads: 9 }),
      finished({ ...place, lane: "h1", plt_ms: 1560, done: 3, loads: 9, left_s: 12 }),
      { event: "answer-so-far", sweep: 3, sentence: "HTTP/2 saves 340 ms.", has_interval: true },
    ];
    const drawn = (environment: NodeJS.ProcessEnv) => {
      const { sent, progress } = onTerminal({}, environment);
      for (const event of events) progress.tell(event);
      const seen = screenOf(sent.text);
      progress.end();
      return { written: sent.text, seen, after: screenOf(sent.text) };
    };
    const { seen, after } = drawn({ NO_COLOR: "1" });
    const said = [
      "test: resumes sweep 3 at run 2 of 9, 3 cells, about 1 min 40 s",
      "invalid: shop 3g h3, attempt 1: late",
    ];
    assert.deepEqual(seen, [
      ...said,
      "shop 3g",
      `  h1  ${"━".repeat(16)}${"·".repeat(8)}  2/3  1530 ms`,
      `  h2  ${"━".repeat(8)}▸${"·".repeat(15)}  1/3  1190 ms`,
      `  h3  ${"·".repeat(24)}  0/3  1 not valid`,
      "3 of 9 runs, 1 of 3 attempts not valid, 12 s left",
      "so far: HTTP/2 saves 340 ms.",
    ]);
    assert.deepEqual(after, [...said, ""], "nothing of it is left at the end");
    const coloured = drawn({}).written;
    assert.ok(coloured.includes("\x1b[38;5;214m  h1  ━"), "in the lanes' own colours");
    assert.deepEqual(screenOf(coloured).slice(0, 2), said);
  });

  test("on a terminal the time that is left stands still while loads wait", (context) => {
    context.mock.timers.enable({ apis: ["setInterval"] });
    let now_ms = 0;
    context.mock.method(performance, "now", () => now_ms);
    const { sent, progress } = onTerminal({}, {});
    const { position, page, lane, link, block, attempt } = finished({ page: "a", link: "3g" });
    const lastLine = () => sent.text.split("\r\x1b[K").at(-1) ?? "";
    progress.tell(started);
    now_ms += 10_000;
    progress.tell({ event: "sweep-paused", sweep: 3, reason: "the machine is busy" });
    now_ms += 60_000;
    context.mock.timers.tick(500);
    assert.match(lastLine(), /^4 of 20 runs, 1 min 30 s left, waiting$/);
    progress.tell({ event: "load-started", position, page, lane, link, block, attempt });
    now_ms += 5000;
    context.mock.timers.tick(500);
    assert.match(lastLine(), /^4 of 20 runs, 1 min 25 s left$/);
    progress.end();
  });

  test("a terminal is not filled with loads that are not valid: the first of each kind is told, all are counted", () => {
    const many = Array.from({ length: 50 }, () => trouble);
    const { err } = shown([started, ...many], { isTTY: true, environment: { NO_COLOR: "1" } });
    assert.equal(err.match(/the browser crashed\n/g)?.length, 1);
    assert.match(err, /50 of 50 attempts not valid/);
  });

  test("a dumb terminal gets plain lines", () => {
    assert.ok(!shown([started], { isTTY: true, environment: { TERM: "dumb" } }).err.includes("\x1b"));
  });

  test("--json: the output is one event a line by the schema, and nothing else is said", () => {
    const { out, err } = shown([started, finished(), trouble], { json: true, isTTY: true });
    const lines = out.trimEnd().split("\n");
    assert.equal(lines.length, 3);
    for (const line of lines) assert.equal(schemaErrors("sweep-event", JSON.parse(line)), null);
    assert.equal(err, "");
  });

  test("a pause says what it waits for", () => {
    const line = (reason: string) => progressLine({ event: "sweep-paused", sweep: 1, reason }, pageEvents)?.line;
    assert.equal(
      line("results.db: no space left: free some and run the same command again"),
      "paused: results.db: no space left: free some, and it resumes by itself",
    );
    assert.equal(
      line("results.db: locked by another process for too long: stop it, then run the same command again"),
      "paused: results.db: locked by another process: when that lets go it resumes by itself",
    );
    assert.equal(line("the machine is busy"), "the machine is busy");
  });

  test("durations", () => {
    assert.deepEqual([0, 59.6, 200, 3600, 7500].map(formatDuration), [
      "0 s",
      "1 min",
      "3 min 20 s",
      "1 h",
      "2 h 5 min",
    ]);
  });
});

describe("time left", () => {
  test("guesses are corrected by how loads really went", () => {
    const time = new TimeLeft(10_000);
    assert.equal(time.left_ms, 10_000);
    time.ended(1000, 2000, true);
    assert.equal(time.left_ms, 18_000, "loads take twice their guess");
    time.ended(1000, 2000, false);
    assert.equal(time.left_ms, 18_000, "an attempt that is tried again takes nothing from what is left");
    let most_ms = 9000;
    const limited = new TimeLeft(10_000, () => most_ms);
    assert.equal(limited.left_ms, 9000, "the run ends before");
    most_ms = -5;
    assert.equal(limited.left_ms, 0);
  });

  test("a guess grows with bytes, RTT and loss, and shrinks with rate", () => {
    const page = { exchanges: 20, body_bytes: 300_000 };
    const guess = (link: string) => guessWall_ms(page, parseLink(link));
    assert.ok(guess("1mbit/50ms") > 300_000 * 8e-3 && guess("1mbit/50ms") > guess("10mbit/50ms"));
    assert.ok(guess("1mbit/200ms") > guess("1mbit/50ms"));
    assert.ok(guess("1mbit/50ms,loss=2%") > guess("1mbit/50ms"));
    assert.ok(guessWall_ms({ ...page, body_bytes: 600_000 }, parseLink("1mbit/50ms")) > guess("1mbit/50ms"));
    assert.ok(Number.isFinite(guess("unlimited")));
  });
});

type Nothing = Record<keyof LoadObservations, null>;

describe("outcome", () => {
  const lanes: Lane[] = ["h1", "h2", "h3"];

  function sweep(pages: readonly string[], links: readonly string[], repetitions: number) {
    const cells: Cell[] = pages.flatMap((page) =>
      links.flatMap((link) =>
        lanes.map((lane) => ({
          id: 0,
          sweep: 1,
          page,
          recording_digest: "d",
          lane,
          link,
          link_profile: parseLink(link),
        })),
      ),
    );
    const loads = cells.flatMap((cell) =>
      Array.from({ length: repetitions }, (_, block): Load => {
        const plt_ms = { h1: 1000, h2: 900, h3: 700 }[laneFacts[laneOf(cell.lane)].family] + block;
        const nothing = Object.fromEntries(loadObservations.map((name) => [name, null])) as Nothing;
        const counts = {
          requests: 1,
          bytes: 1,
          connections: 1,
          matched: 1,
          fuzzy: 0,
          missed: 0,
          failed: 0,
          off_lane: 0,
          ...{ coverage_requests: 1, coverage_bytes: 1, recorded_requests: 1, recorded_bytes: 1 },
          ...{ beyond_reports: 0, beyond_other: 0, beyond_failed: 0 },
          ...{ disturbance_ms: 0, disturbance_link_ms: 0, disturbance_cpu_ms: 0, tolerated_ms: 5 },
        };
        const browser = { browser_version: null, browser_sha256: null };
        const place = { id: block, cell: cell.id, block, attempt: 0, position: block, started_at: "t", wall_ms: 1500 };
        const { page, lane, link } = cell;
        return { ...place, page, lane, link, status: "valid", reasons: [], ...nothing, plt_ms, ...counts, ...browser };
      }),
    );
    return { cells, loads };
  }

  test("a race: a row per lane, the verdict, within 80 columns", () => {
    const { cells, loads } = sweep(["page"], ["3mbit/50ms"], 6);
    const outcome = outcomeOf(cells, loads, fastPlan(), 18);
    const lines = outcomeLines(outcome).map(({ text }) => text);
    const table = outcome.table.join("\n");
    assert.match(table, /^lane +median PLT .*against h1 +loads +invalid/);
    assert.match(table, /^h3 +703 ms.* 6 +0/m);
    assert.ok(
      outcome.verdict.some((sentence) => /h3 .*22\.2 % faster than h2/.test(sentence)),
      outcome.verdict.join(),
    );
    for (const line of lines) assert.ok(line.length <= 80, line);
    assert.deepEqual(outcome.counts, { valid: 18, invalid: 0, failed: 0, given_up: 0 });
    assert.deepEqual(
      outcome.cells.map((cell) => [cell.lane, cell.median_ms]),
      [
        ["h1", 1002.5],
        ["h2", 902.5],
        ["h3", 702.5],
      ],
    );
  });

  test("a sweep: a row per page and link in the plan's order, a lane without valid load shown as such", () => {
    const { cells, loads } = sweep(["a", "a-page-with-a-name-of-more-than-a-column"], ["3mbit/50ms", "10mbit/50ms"], 2);
    const spoilt = loads.map((load): Load => {
      const isIt = load.page === "a" && load.link === "10mbit/50ms" && load.lane === "h3";
      return isIt ? { ...load, status: "invalid", reasons: ["a request went over h2"] } : load;
    });
    const outcome = outcomeOf(cells, spoilt.toReversed(), fastPlan(), 24);
    const [header, ...rows] = outcome.table;
    assert.match(header ?? "", /^page +link +h1 +h2 +h3$/);
    assert.deepEqual(
      rows.map((row) => row.split(/ {2,}/).slice(0, 2).join(" ")),
      ["a 3mbit/50ms", "a 10mbit/50ms", "a-page-wit…than-a-column 3mbit/50ms", "a-page-wit…than-a-column 10mbit/50ms"],
    );
    assert.match(rows[1] ?? "", /none$/);
    assert.deepEqual(outcome.counts, { valid: 22, invalid: 2, failed: 0, given_up: 2 });
    assert.ok(outcome.verdict.some((sentence) => sentence.includes("a request went over h2")));
    for (const { text: line } of outcomeLines(outcome)) assert.ok(line.length <= 80, line);
  });

  test("a long table is cut and says so", () => {
    const links = Array.from({ length: 60 }, (_, index) => `${index + 1}mbit/50ms`);
    const { cells, loads } = sweep(["a"], links, 1);
    assert.match(outcomeOf(cells, loads, fastPlan(), 180).table.at(-1) ?? "", /20 more rows, see the report/);
  });

  test("words are wrapped, none lost", () => {
    const text = "the quick brown fox jumps over the lazy dog";
    const lines = wrapped(text, 12);
    assert.ok(lines.every((line) => line.length <= 12));
    assert.equal(lines.join(" "), text);
  });
});

test("a trial load that asks for too much is not said to ask for too little", () => {
  const tried = (reason: string | null): SweepEvent => ({
    ...{ event: "page-tried", page: "shop", unpinned: null, pinned_to: null, reason },
    coverage: { requests: 1, bytes: 1 },
  });
  const asked = "page shop: a trial load asks for 100 % of its recorded requests and 100 % of their bytes";
  assert.equal(progressLine(tried(null), pageEvents)?.line, asked);
  assert.equal(
    progressLine(tried("asks for too much that is not in the recording: 12 requests (20 %, bound 5 %)"), pageEvents)
      ?.line,
    `${asked}; its loads will not count (asks for too much that is not in the recording), see \`trilane recording check shop\``,
  );
});
