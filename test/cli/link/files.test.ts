// The files of links: absolute where a profile is stored, the same after a resumed sweep, and told when they changed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { UserError } from "../../../cli/base/errors.ts";
import { filesOf, formWithAbsoluteFiles, refuseChangedFiles, settleFiles } from "../../../cli/link/files.ts";
import { formatLink, type LinkProfile, parseLink } from "../../../cli/link/link.ts";
import { readLink } from "../../../cli/link/profile_file.ts";
import { labCommand } from "../../../cli/load/lab.ts";
import { cellsOf, planDigest, planOf, readPlan } from "../../../cli/sweep/plan/plan.ts";
import { linksOf } from "../../../cli/sweep/plan/plan_links.ts";
import { run } from "../../product.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-links-");

const lines = (numbers: readonly number[]): string => numbers.map((number) => `${number}\n`).join("");
function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const trace = file("twelve.trace", lines(Array.from({ length: 100 }, (_, index) => index + 1)));
const losses = file("losses", "0 0 1 0\n");
const jitter = file("jitter", "0.5\n12\n");
const form = "trace=twelve.trace,rtt=50ms,loss_up=file:losses,jitter_down=file:jitter";
const least = { name: "least", pages: ["page"], lanes: ["h1"], links: [form], repetitions: 1 };

function settled(link: string, from = folder): LinkProfile {
  const [profile] = settleFiles([parseLink(link)], from);
  assert.ok(profile);
  return profile;
}

test("a stored profile has absolute paths, sums, the trace's mean rate and the file's share of losses", () => {
  const profile = settled(form);
  const sumOf = (text: string) => createHash("sha256").update(text).digest("hex");
  assert.deepEqual(filesOf(profile), [
    { file: trace, sha256: sumOf(lines(Array.from({ length: 100 }, (_, index) => index + 1))) },
    { file: jitter, sha256: sumOf("0.5\n12\n") },
    { file: losses, sha256: sumOf("0 0 1 0\n") },
  ]);
  assert.equal(profile.down.rate_bps, 12e6);
  assert.equal(profile.up.rate_bps, 12e6);
  assert.deepEqual([profile.down.loss, profile.up.loss], [0, 0.25]);
  assert.deepEqual(profile.down.queue, { bdp: 1 });
});

test("a file that changed is named, and the shaper is not started with it", () => {
  const path = file("changing.trace", lines([1, 2, 3]));
  const link = settled("trace=changing.trace,rtt=50ms");
  refuseChangedFiles(link);
  file("changing.trace", lines([1, 2, 3, 400]));
  const refusal = (error: unknown) =>
    error instanceof UserError &&
    error.message.startsWith(`link: ${path} has changed since it was planned (sha256 `) &&
    error.message.endsWith("bring the earlier one back, or begin again with --new");
  assert.throws(() => refuseChangedFiles(link), refusal);
  assert.throws(() => labCommand({ home: folder, recording: null, link, reports: null }), refusal);
  rmSync(path);
  assert.throws(() => refuseChangedFiles(link), /^UserError: link: .*changing.trace: no such file: name another$/);
});

test("what is no trace and no losses is told with file and line", () => {
  const settle = (text: string) => () => settled(text);
  file("text", "1\ntwo\n");
  file("backwards", "5\n4\n");
  file("empty", "");
  assert.throws(settle("trace=text,rtt=50ms"), /^UserError: link: trace: .*text: line 2: no time: write whole/);
  assert.throws(
    settle("trace=backwards,rtt=50ms"),
    /^UserError: link: trace: .*backwards: line 2: 4 ms after 5 ms: times must/,
  );
  assert.throws(settle("trace=empty,rtt=50ms"), /^UserError: link: trace: .*empty: line 1: no time: write/);
  assert.throws(settle("trace=none,rtt=50ms"), /^UserError: link: .*none: no such file: name another$/);
  assert.throws(settle("trace=.,rtt=50ms"), /^UserError: link: .*is not a regular file: name a file$/);
  assert.equal(spawnSync("mkfifo", [join(folder, "pipe")]).status, 0);
  assert.throws(settle("trace=pipe,rtt=50ms"), /^UserError: link: .*pipe: is not a regular file: name a file$/);
  assert.throws(
    settle("3mbit/50ms,loss=file:text"),
    /^UserError: link: loss: .*text: line 2: "two" is not a number from 0 to 1: w/,
  );
  assert.throws(
    settle("3mbit/50ms,loss=file:jitter"),
    /^UserError: link: loss: .*jitter: line 2: "12" is not a number from 0 to 1: w/,
  );
  assert.throws(settle("3mbit/50ms,loss=file:empty"), /^UserError: link: loss: .*empty: line 1: no number: write one/);
  const comma = join(folder, "a,b");
  mkdirSync(comma);
  assert.throws(() => settled("trace=x,rtt=50ms", comma), /^UserError: link: .*a comma ends a setting/);
});

test("a file of jitter is looked into before anything is measured, as one of losses", () => {
  const path = file("numbers", "0.5\n60000\n1e-5\n");
  assert.equal(settled(`3mbit/50ms,jitter_up=file:${path}`).up.loss, 0);
  file("numbers", "0.5\n60001\n");
  assert.throws(() => settled(`3mbit/50ms,jitter_up=file:${path}`), /"60001" is not a number from 0 to 60000/);
  file("numbers", "1e0 -0 0 +1");
  assert.equal(settled(`3mbit/50ms,loss=file:${path}`).down.loss, 0.5);
});

test("a plan's file names its files from where it lies; the plan means the same from every folder", () => {
  const path = join(folder, "plan.json");
  writeFileSync(path, JSON.stringify(least));
  const plan = readPlan(path);
  assert.deepEqual(plan.links, [`trace=${trace},rtt=50ms,jitter_down=file:${jitter},loss_up=file:${losses}`]);
  assert.deepEqual(planOf(structuredClone(plan), "again", "/"), plan);
  const [planned] = linksOf(plan);
  assert.equal(planned?.link, "trace=twelve.trace,rtt=50ms,jitter_down=file:jitter,loss_up=file:losses");
  assert.equal(planned?.link_profile.down.trace?.file, trace);
});

test("a sweep goes on where a file has changed only to say so: the digest is of the paths", () => {
  const path = file("resumed.trace", lines([1, 2, 3]));
  const plan = planOf({ ...least, links: ["trace=resumed.trace,rtt=50ms"] }, "plan", folder);
  const [begun, digest] = [cellsOf(plan), planDigest(plan)];
  file("resumed.trace", lines([1, 2, 30]));
  assert.equal(planDigest(plan), digest);
  const [before, now] = [begun[0]?.link_profile, cellsOf(plan)[0]?.link_profile];
  assert.ok(before && now);
  assert.notEqual(before.down.trace?.sha256, now.down.trace?.sha256);
  assert.throws(() => refuseChangedFiles(before), /has changed/);
  refuseChangedFiles(now);
  assert.equal(now.down.trace?.file, path);
});

test("two files of one name in two folders are two links", () => {
  file("a/lte", lines([1]));
  file("b/lte", lines([2]));
  const plan = planOf({ ...least, links: ["trace=a/lte,rtt=50ms", "trace=b/lte,rtt=50ms"] }, "plan", folder);
  assert.deepEqual(
    linksOf(plan).map(({ link }) => link),
    [`trace=${join(folder, "a/lte")},rtt=50ms`, `trace=${join(folder, "b/lte")},rtt=50ms`],
  );
  assert.throws(
    () => planOf({ ...least, links: ["trace=a/lte,rtt=50ms", "trace=./a/lte,rtt=50ms"] }, "plan", folder),
    /^UserError: plan least: link trace=.*a\/lte,rtt=50ms stands there twice: name it once$/,
  );
});

test("`trilane links` lists the known links and explains a form", () => {
  const trilane = (...words: string[]) => run(folder, ["links", ...words], { cwd: folder });
  const all = trilane();
  assert.equal(all.status, 0, all.stderr);
  assert.match(all.stdout, /^ {2}lighthouse-slow-4g +1\.6384 \/ 0\.75 +150 {2}mobileSlow4G/m);
  assert.ok(all.stdout.split("\n").every((line) => line.length <= 80));
  const one = trilane("trace=twelve.trace,rtt=50ms,loss=ge:1%:30%", "--json");
  const [link] = JSON.parse(one.stdout).links;
  assert.deepEqual([link.name, link.link.down.rate_bps, link.link.down.trace.file], [null, 12e6, trace]);
  const wrong = trilane("3mbit/50ms,colour=red");
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /^trilane: link: no setting "colour".*\n$/);
});

test("a link may be a JSON file of its profile; what is wrong with one is told with its file and place", () => {
  const asked = "down=8mbit,up=1mbit,rtt=60ms,loss_down=ge:1%:30%,aqm=codel";
  const whole = parseLink(asked);
  const path = join(folder, "office.json");
  const write = (change: (profile: Record<string, Record<string, unknown>>) => void) => {
    const profile = structuredClone(whole) as unknown as Record<string, Record<string, unknown>>;
    change(profile);
    writeFileSync(path, JSON.stringify(profile));
  };
  write(() => undefined);
  assert.deepEqual(readLink("office.json", folder), whole);
  assert.deepEqual(planOf({ ...least, links: ["office.json"] }, "plan", folder).links, [formatLink(whole)]);
  const steps = (name: string, ...list: [number, number][]) => list.map(([at_ms, value]) => ({ at_ms, [name]: value }));
  const refusals: [(profile: Record<string, Record<string, unknown>>) => void, string][] = [
    [({ down }) => Object.assign(down ?? {}, { colour: "red" }), 'down: "colour" is not known: take it out'],
    [({ up }) => Object.assign(up ?? {}, { delay_ms: -5 }), "up.delay_ms: must be >= 0 (got -5)"],
    [({ up }) => Object.assign(up ?? {}, { queue: { packets: 0 } }), "up.queue.packets: must be >= 1 (got 0)"],
    [({ up }) => Object.assign(up ?? {}, { delay_ms: 31 }), "rtt_ms is 60, but from the rest follows 61: correct it"],
    [
      ({ up }) => Object.assign(up ?? {}, { loss_model: { every: 3 } }),
      "up.loss is 0, but from the rest follows 0.333333333333: correct it",
    ],
    [
      ({ down }) => Object.assign(down ?? {}, { rate_steps: steps("rate_bps", [5, 8e6], [9, 1e6]) }),
      "down.rate_steps[0].at_ms is 5: the first step is at 0",
    ],
    [
      ({ up }) => Object.assign(up ?? {}, { delay_steps: steps("delay_ms", [0.001, 30], [9, 40]) }),
      "up.delay_steps[0].at_ms is 0.001: the first step is at 0",
    ],
    [
      ({ down }) => Object.assign(down ?? {}, { rate_steps: steps("rate_bps", [0, 5e6], [9, 1e6]) }),
      "down.rate_bps is 8000000, but from the rest follows 5000000: correct it",
    ],
    [
      ({ down }) =>
        Object.assign(down ?? {}, { trace: { file: trace }, rate_steps: steps("rate_bps", [0, 8e6], [9, 1e6]) }),
      "down.rate_steps does not go with the rest, or says nothing: take it out",
    ],
    [
      ({ up }) => Object.assign(up ?? {}, { jitter: { distribution: "normal", ms: 1e-8 } }),
      "up.jitter does not go with the rest, or says nothing: take it out",
    ],
    [
      ({ up }) => Object.assign(up ?? {}, { ecn: true, aqm: undefined }),
      "ecn_up=on needs a queue that marks: add aqm=codel, aqm=pie or aqm=fq_codel",
    ],
  ];
  for (const [change, message] of refusals) {
    write(change);
    assert.throws(() => readLink("office.json", folder), new UserError(`link: ${path}: ${message}`));
  }
  // What was computed need not be written in the digits that we write.
  write(({ up }) => Object.assign(up ?? {}, { loss: 1 / 3 }));
  assert.equal(readLink("office.json", folder).up.loss, 0.333333333333);
  write(({ up }) => Object.assign(up ?? {}, { loss_model: { every: 3 }, loss: 1 / 3 }));
  assert.equal(readLink("office.json", folder).up.loss, 0.333333333333);
  write((profile) => {
    Object.assign(profile, { rtt_ms: 200 / 3 });
    Object.assign(profile.down ?? {}, { delay_ms: 100 / 3 });
    Object.assign(profile.up ?? {}, { delay_ms: 100 / 3 });
  });
  assert.equal(readLink("office.json", folder).down.delay_ms, 33.333334);
  write(({ down }) => Object.assign(down ?? {}, { trace: { file: "twelve.trace" }, rate_bps: 12e6 }));
  assert.deepEqual(readLink(path, "/").down.trace, { file: trace });
  write(({ down }) => Object.assign(down ?? {}, { trace: { file: "twelve.trace", sha256: "0".repeat(64) } }));
  assert.throws(() => readLink(path, "/"), /^UserError: link: .*twelve.trace has changed since it was planned/);
  write(({ down }) =>
    Object.assign(down ?? {}, {
      trace: { file: "twelve.trace" },
      jitter: { file: "jitter" },
      loss_model: { file: "losses" },
      loss: 0.25,
    }),
  );
  assert.deepEqual(readLink(path, "/").down.loss_model, { file: losses });
  writeFileSync(path, "{");
  assert.throws(
    () => readLink(path, "/"),
    /^UserError: link: .*office.json: not JSON: correct it, or name another file$/,
  );
  assert.throws(
    () => readLink("gone.json", folder),
    /^UserError: link: .*gone.json: no such file: name another, or write/,
  );
  mkdirSync(join(folder, "folder.json"));
  assert.throws(
    () => readLink("folder.json", folder),
    /^UserError: link: .*folder.json: is a folder: name a JSON file of a profile, or write the link$/,
  );
  assert.equal(spawnSync("mkfifo", [join(folder, "pipe.json")]).status, 0);
  assert.throws(() => readLink("pipe.json", folder), /^UserError: link: .*pipe.json: is not a regular file: name a/);
});

test("the files that a change to a link names are absolute, whatever else is in it", () => {
  const cases: [string, string][] = [
    ["trace=a/b", "trace=/there/a/b"],
    ["trace_down=a,trace_up=/b,trace_end=once", "trace_down=/there/a,trace_up=/b,trace_end=once"],
    [" 3g,loss=file:../x,jitter_up=file:y:z\t", "3g,loss=file:/x,jitter_up=file:/there/y:z"],
    ["loss=1%,jitter=normal:5ms,queue=1bdp", "loss=1%,jitter=normal:5ms,queue=1bdp"],
    ["trace=,loss=file:,colour=file:red", "trace=,loss=file:,colour=file:red"],
  ];
  for (const [change, absolute] of cases) assert.equal(formWithAbsoluteFiles(change, "/there"), absolute);
  assert.throws(() => formWithAbsoluteFiles("trace=x", "/a,b"), /^UserError: link: .*a comma ends a setting/);
});
