// What of submitting needs no cluster: which cell is which number, Slurm's scripts, GNU parallel's words, and what is refused.
// Wide: cli/commands/submit.ts, cli/sweep/cluster.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { clusterPlans } from "../../../../cli/commands/cell.ts";
import { sharedPages, submittedChoice } from "../../../../cli/instruments/page/plan/shared.ts";
import { pages as source } from "../../../../cli/pages/source.ts";
import type { Recording } from "../../../../cli/recording/archive/archive.ts";
import { withArchive } from "../../../../cli/recording/archive/client.ts";
import { jobScript, refuseOurs, sbatchWords, slurmJobs } from "../../../../cli/sweep/cluster/slurm.ts";
import { parallelWords } from "../../../../cli/sweep/cluster/ssh.ts";
import { readSubmission, refuseOther } from "../../../../cli/sweep/cluster/submission.ts";
import { slurmDryRun, withSubmitLock } from "../../../../cli/sweep/cluster/submit.ts";
import { hostName, machineId } from "../../../../cli/sweep/cluster/this_host.ts";
import { plannedLines } from "../../../../cli/sweep/cluster/words.ts";
import { countPlaces, placeOf, placesOf, rangesOf } from "../../../../cli/sweep/plan/places.ts";
import { planDigest, planOf, readPlan } from "../../../../cli/sweep/plan/plan.ts";
import { schemaErrors } from "../../../schemas/schema_errors.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { madePlan, madeReference, madeShard } from "./made_shard.ts";

const noParallel =
  spawnSync("parallel", ["--version"], { encoding: "utf8" }).stdout?.startsWith("GNU parallel") === true
    ? false
    : "no GNU parallel here (apt install parallel)";

const terms = {
  name: "trilane-abc",
  shards: "/scratch/my study",
  command: ["/opt/trilane", "cell"],
  cpus: null,
  options: [],
  programs: [],
};

test("cells are pages in the plan's order, each over all links", () => {
  const plan = madePlan();
  assert.deepEqual(
    placesOf(plan).map(({ place, page, link }) => [place, page, link.split("/")[0]]),
    [
      [1, "shop", "3mbit"],
      [2, "shop", "10mbit"],
      [3, "news", "3mbit"],
      [4, "news", "10mbit"],
    ],
  );
  assert.equal(countPlaces(plan), 4);
  assert.equal(placeOf(plan, 3).page, "news");
  assert.throws(() => placeOf(plan, 5), /no cell 5: name one from 1 to 4/);
  for (const name of ["das-2014-grid", "carlucci-2015-s3"]) {
    const shipped = readPlan(name);
    assert.equal(placesOf(shipped).length, countPlaces(shipped), name);
  }
});

test("a plan that is written out and read again is the same plan", () => {
  const plan = madePlan({ until: { decided_percent: 3 }, repetitions: 10 });
  assert.equal(planDigest(planOf(JSON.parse(JSON.stringify(plan)), "again")), planDigest(plan));
});

test("numbers are written as ranges", () => {
  assert.equal(rangesOf([1, 2, 3, 5, 8, 9]), "1-3,5,8-9");
  assert.equal(rangesOf([]), "");
});

test("a large plan is several jobs, each within Slurm's usual limit, and a cell is always the same task", () => {
  const jobs = slurmJobs([3, 999, 1000, 1001, 2500]);
  assert.deepEqual(jobs, [
    { offset: 0, cells: [3, 999, 1000] },
    { offset: 1000, cells: [1001] },
    { offset: 2000, cells: [2500] },
  ]);
  const script = jobScript(jobs[2] as (typeof jobs)[number], terms);
  assert.match(script, /^#SBATCH --array=500$/m);
  assert.match(script, /cell "\$\(\(SLURM_ARRAY_TASK_ID \+ 2000\)\)"$/m);
});

test("a job script is shell, with the node for itself or bound to its CPUs", () => {
  const [job = { offset: 0, cells: [] }] = slurmJobs([1, 2]);
  const alone = jobScript(job, { ...terms, command: ["/my apps/trilane", "cell"] });
  assert.match(alone, /^#SBATCH --exclusive$/m);
  assert.match(alone, /^#SBATCH --requeue$/m);
  assert.match(alone, /^#SBATCH --chdir="\/scratch\/my study"$/m);
  assert.match(alone, /^exec '\/my apps\/trilane' cell /m);
  const bound = jobScript(job, { ...terms, cpus: 4, options: ["--partition=long"] });
  assert.doesNotMatch(bound, /--exclusive/);
  assert.match(bound, /^#SBATCH --cpus-per-task=4$/m);
  assert.match(bound, /^#SBATCH --partition=long$/m);
  assert.match(bound, /srun --ntasks=1 --cpus-per-task=4 --cpu-bind=cores \/opt\/trilane cell/);
  for (const script of [alone, bound]) assert.equal(spawnSync("sh", ["-n"], { input: script }).status, 0);
});

test("what a script depends on is no option for others to set, in whatever form sbatch takes it", () => {
  for (const option of [
    "--array=1",
    "--arr=1",
    "--job-name x",
    "--out=/dev/null",
    "-Jx",
    "-HJ x",
    "-p long -D /",
    "-o x",
  ])
    assert.throws(() => refuseOurs(option), /--sbatch .* leave it out$/, option);
  for (const option of ["--partition=long", "-p Jobs", "--account=a", "--open-mode=append", "-A oJD", "--no-requeue"])
    refuseOurs(option);
});

test("sbatch is told a job's name and array on its command line, as the script says them", () => {
  const [job = { offset: 0, cells: [] }] = slurmJobs([1001, 1002]);
  const words = sbatchWords("trilane-abc", job, "/s/job.sbatch");
  assert.deepEqual(words, ["--parsable", "--job-name=trilane-abc-1000", "--array=1-2", "/s/job.sbatch"]);
  for (const word of words.slice(1, 3)) assert.match(jobScript(job, terms), new RegExp(`^#SBATCH ${word}$`, "m"));
});

test("GNU parallel is told the hosts, the program behind ssh, and each cell", () => {
  const ssh = {
    hosts: ["a", "me@b"],
    ssh: ["ssh", "-p", "22"],
    program: "/opt/trilane",
    folder: "f",
    shards: "/s",
    cells: 7,
    programs: [],
    reference: false,
  };
  const words = parallelWords({ ...ssh, say: () => undefined }, ["a", "me@b"], [2, 7]);
  assert.deepEqual(words.slice(0, 4), ["--sshlogin", "1/a,1/me@b", "--ssh", "ssh -p 22"]);
  assert.deepEqual(words.slice(-3), [":::", "2", "7"]);
  assert.match(
    words.at(-4) ?? "",
    /^\/opt\/trilane cell f\/shards\/plan\.json \{\} .*--reference none --host "\$PARALLEL_SSHHOST"$/,
  );
});

test("a recording that is not the one that was submitted is refused", () => {
  const recordings = new Map([["shop", { digest: "b".repeat(64) } as Recording]]);
  const digest = "a".repeat(64);
  const submission = { schema: "trilane/submission/1", id: "00000000", name: "study", plan_digest: digest } as const;
  const asked = { ...submission, reference_digest: null, trilane: "0", recordings: { shop: digest } };
  assert.throws(() => refuseOther(asked, recordings), /recording shop is not the one that was submitted \(bbbb.*aaaa/);
  refuseOther(null, recordings);
  refuseOther({ ...asked, recordings: { shop: "b".repeat(64) } }, recordings);
});

test("cells choose models by the recordings alone; what was submitted keeps the pages that were chosen then", async () => {
  const folder = tempFolder("trilane-cluster-plans-test-");
  const home = join(folder, "home");
  const shards = join(folder, "shards");
  const { name, plan: file } = { name: "shop", plan: join(folder, "plan.json") };
  const about = { name, url: "https://shop.test/", source: "har: test", notes: {}, replace: false };
  await withArchive(home, (archive) =>
    archive.write(about, (writer) =>
      writer.add({
        exchange: {
          ...{ method: "GET", scheme: "https", host: "shop.test", port: 443, path: "/" },
          ...{ request_headers: [], address: "192.0.2.1", status: 200, response_headers: [] },
          ...{ body_origin: "filled", recorded: { resource_type: "document" } },
        },
        body: Buffer.from("x"),
      }),
    ),
  );
  writeFileSync(file, JSON.stringify({ ...madePlan(), pages: [name] }));
  const options = { plan: file, shards, reference: "none", as: undefined, compute: "timer" } as const;
  const chosen = await clusterPlans(home, source, options, "none");
  assert.deepEqual([chosen.plan.pages, chosen.shards], [["shop-model"], shards]);
  assert.deepEqual((await clusterPlans(home, source, options, "no choice")).plan.pages, [name]);
  await assert.rejects(
    clusterPlans(home, source, { ...options, as: "recorded" }, "none"),
    /^UserError: shop: .*--as model/,
  );

  mkdirSync(shards);
  writeFileSync(join(shards, "plan.json"), JSON.stringify(chosen.plan.document));
  const submission = {
    ...{ schema: "trilane/submission/1", id: "00c0ffee", name: "study", plan_digest: chosen.plan.digest },
    ...{ reference_digest: null, trilane: "0", recordings: {} },
  };
  writeFileSync(join(shards, "submission.json"), JSON.stringify(submission));
  assert.deepEqual((await clusterPlans(home, source, options, "no choice")).plan.pages, ["shop-model"]);
  const given = readPlan(file);
  assert.equal(submittedChoice(shards, { ...given, pages: ["another"] }), null);
  assert.equal(submittedChoice(shards, { ...given, seed: given.seed + 1 }), null);
});

test("submission.json is what submit writes, or is refused in one line", () => {
  const folder = tempFolder("trilane-submission-test-");
  const path = join(folder, "submission.json");
  const digest = "a".repeat(64);
  const good = {
    ...{ schema: "trilane/submission/1", id: "00c0ffee", name: "study", plan_digest: digest },
    ...{ reference_digest: null, trilane: "0", recordings: { shop: digest } },
  };
  assert.equal(readSubmission(folder), null);
  writeFileSync(path, JSON.stringify(good));
  assert.deepEqual(readSubmission(folder), good);
  for (const wrong of [
    null,
    [],
    { ...good, id: "x; rm -rf ~" },
    { ...good, id: "../../.." },
    { ...good, recordings: null },
  ]) {
    writeFileSync(path, JSON.stringify(wrong));
    assert.throws(
      () => readSubmission(folder),
      /^UserError: [^\n]*submission\.json: not what [^\n]*: remove it[^\n]*$/,
    );
  }
  writeFileSync(path, "{");
  assert.throws(() => readSubmission(folder), /submission\.json: not what [^\n]*$/);
});

test("a machine's name has to do for a file", () => {
  assert.equal(hostName("lab-3.example"), "lab-3.example");
  assert.match(hostName(undefined), /^[A-Za-z0-9][A-Za-z0-9._-]*$/);
  for (const name of ["", "a/b", "../x", "a b", "-x"]) assert.throws(() => hostName(name), /--host/);
});

test("a machine's id is told apart, not told", () => {
  const folder = tempFolder("trilane-machine-id-test-");
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [one, two, empty] = [file("one", "aaaa\n"), file("two", "bbbb\n"), file("empty", "\n")];
  assert.match(machineId([one]), /^[0-9a-f]{32}$/);
  assert.notEqual(machineId([one]), machineId([two]));
  assert.equal(machineId([join(folder, "none"), empty, two]), machineId([two]));
});

describe("submit", () => {
  let folder: string;
  beforeEach(() => {
    folder = tempFolder("trilane-submit-test-");
  });
  const submitting = (shards: string) => ({
    home: "/home",
    plan: { ...sharedPages(madePlan()), run: async () => true },
    shards,
    reference: { ...sharedPages(madeReference()), run: async () => true },
    source,
    say: () => undefined,
  });

  test("hands in only what no machine has finished, and writes nothing on a dry run", () => {
    const shards = join(folder, "shards");
    const planned = slurmDryRun(submitting(shards), { cpus: null, options: [] });
    assert.equal(schemaErrors("submission-planned", planned), null);
    assert.deepEqual([planned.cells, planned.of], [[1, 2, 3, 4], 4]);
    assert.match(plannedLines(planned).join("\n"), /^#SBATCH --array=1-4$/m);
    assert.equal(existsSync(shards), false);
    madeShard({ folder, host: "a", cell: 1 });
    madeShard({ folder, host: "b", cell: 2, blocks: 1 });
    writeFileSync(join(folder, "cell-0003-a.db"), "cut");
    const said: string[] = [];
    const again = { ...submitting(folder), say: (line: string) => said.push(line) };
    assert.match(slurmDryRun(again, { cpus: null, options: [] }).scripts[0]?.text ?? "", /^#SBATCH --array=2-4$/m);
    assert.equal(said.length, 1);
    assert.match(said[0] ?? "", /cell-0003-a\.db: .*: move it away, .*; until then cell 3 is missing$/);
  });

  test("one at a time: a second is refused while the first is at work, and not after it was killed", async () => {
    const lock = join(import.meta.dirname, "..", "..", "..", "..", "cli", "sweep", "cluster", "submit.ts");
    const first = spawn(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        `const { withSubmitLock } = await import(${JSON.stringify(lock)});
         await withSubmitLock(${JSON.stringify(folder)}, async () => {
           console.log("locked");
           await new Promise((resolve) => setTimeout(resolve, 600_000));
         });`,
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    try {
      await once(first.stdout, "data");
      const second = withSubmitLock(folder, async () => "in");
      await assert.rejects(second, /^UserError: .*another `trilane submit` is at work/);
      first.kill("SIGKILL");
      await once(first, "close");
      assert.equal(await withSubmitLock(folder, async () => "in"), "in");
    } finally {
      first.kill("SIGKILL");
    }
  });

  test("a signal ends GNU parallel and what it runs", { skip: noParallel }, async () => {
    const ssh = join(import.meta.dirname, "..", "..", "..", "..", "cli", "sweep", "cluster", "ssh.ts");
    const words = ["--line-buffer", "echo $$; exec sleep 600; : {}", ":::", "1"];
    const submit = spawn(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        `const { runParallel } = await import(${JSON.stringify(ssh)});
         const stop = await runParallel(${JSON.stringify(words)});
         process.stdout.write("stopped by " + stop);`,
      ],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    let [out, said] = ["", ""];
    submit.stdout.on("data", (text: Buffer) => (out += text.toString()));
    const started = new Promise<number>((resolve) =>
      submit.stderr.on("data", (text: Buffer) => {
        said += text.toString();
        const pid = /^(\d+)\n/m.exec(said)?.[1];
        if (pid !== undefined) resolve(Number(pid));
      }),
    );
    const pid = await started;
    submit.kill("SIGTERM");
    await once(submit, "close");
    assert.equal(out, "stopped by SIGTERM", said);
    // Its parent is gone: whoever reaps it may take a moment.
    const isThere = (): boolean => {
      try {
        return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
      } catch {
        return false;
      }
    };
    for (let waits = 0; isThere() && waits < 100; waits++) await delay(100);
    assert.equal(isThere(), false);
  });

  test("refuses a folder that a job script cannot name", () => {
    for (const name of ['a"b', "a\\b", "a\nb"]) {
      const dryRun = () => slurmDryRun(submitting(join(folder, name)), { cpus: null, options: [] });
      assert.throws(dryRun, /^UserError: [^\n]*name another with --shards$/, name);
    }
  });

  test("a dry run with --json is one document", () => {
    const plan = join(folder, "plan.json");
    writeFileSync(plan, JSON.stringify({ ...madePlan(), pages: [{ synth: "cse534-count-1" }] }));
    const trilane = join(import.meta.dirname, "..", "..", "..", "..", "cli", "trilane");
    for (const [where, system] of [
      [["--slurm"], "slurm"],
      [["--ssh", "lab1"], "ssh"],
    ] as const) {
      const words = ["submit", plan, ...where, "--dry-run", "--json", "--home", folder];
      const { status, stdout, stderr } = spawnSync(trilane, words, { encoding: "utf8", cwd: folder });
      assert.deepEqual([status, stderr], [0, ""]);
      const planned = JSON.parse(stdout);
      assert.equal(schemaErrors("submission-planned", planned), null);
      assert.equal(planned.system, system);
    }
  });

  test("what cannot be meant is refused in one line", () => {
    const plan = join(folder, "plan.json");
    writeFileSync(plan, JSON.stringify({ ...madePlan(), pages: [{ synth: "cse534-count-1" }] }));
    const patterns = join(folder, "patterns.json");
    writeFileSync(patterns, JSON.stringify({ ...madePlan(), pages: ["none-*"] }));
    const other = join(folder, "other");
    madeShard({ folder: other, host: "a", cell: 1, plan: madePlan({ name: "other" }) });
    const trilane = join(import.meta.dirname, "..", "..", "..", "..", "cli", "trilane");
    const refusals: [words: string[], message: RegExp][] = [
      [["submit", plan], /say where to/],
      [["submit", plan, "--slurm", "--ssh", "a"], /say where to/],
      [["submit", plan, "--ssh", "a b"], /is no host/],
      [["submit", plan, "--ssh=-oProxyCommand=x"], /is no host/],
      [["submit", plan, "--ssh", "a:22"], /a name in ~\/\.ssh\/config/],
      [["submit", plan, "--ssh", "--slurm"], /--ssh: a value is missing: give HOSTS \(see --help\)/],
      [["submit", plan, "--ssh", "a", "--cpus", "2"], /--cpus.* for --slurm/],
      [["submit", plan, "--slurm", "--cpus", "0"], /--cpus: must be/],
      [["submit", plan, "--slurm", "--dry-run", "--sbatch", "partition"], /is no option of sbatch/],
      [["submit", plan, "--slurm", "--dry-run", "--shards", folder, "--reference", "nothing"], /no plan nothing/],
      [["submit", patterns, "--slurm", "--dry-run"], /no recording is called like none-\*/],
      [["cell", patterns, "1"], /no recording is called like none-\*/],
      [["cell", plan, "1", "--reference", patterns], /no recording is called like none-\*/],
      [["cell", plan, "0"], /cell must be a number from 1 on \(got "0"\): see `trilane plan`/],
      [["cell", plan, "2", "--host", "a/b"], /--host "a\/b"/],
      [["cell", plan, "1", "--host", "a", "--shards", other], /cell-0001-a\.db: has loads of another plan \(other /],
      [["merge", join(folder, "none")], /no such file or folder/],
      [["merge", folder], /no shards in it/],
      [["merge", folder, "--tolerance", "-1"], /--tolerance: must be/],
    ];
    for (const [words, message] of refusals) {
      const { status, stderr } = spawnSync(trilane, [...words, "--home", folder], { encoding: "utf8", cwd: folder });
      assert.match(stderr, message, words.join(" "));
      assert.deepEqual([status, stderr.trim().split("\n").length], [2, 1], words.join(" "));
    }
  });
});
