// Plans on several machines, with real loads, fetches and runs: two hosts that are folders here, a Slurm of one node, and hosts over ssh. What is
// killed is resumed, what is submitted again is only what is missing, and the merged shards have each attempt once.
// Wide: cli/sweep/cluster, cli/instruments/fetch, cli/instruments/command.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openResultsFile } from "../../cli/results/store/results.ts";
import type { Merged } from "../../schemas/generated/merged.ts";
import type { Submitted } from "../../schemas/generated/submitted.ts";
import { homeByOption, run, start } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { noSlurm, startSlurm } from "./slurm_cluster.ts";
import { noSshServer, startSshServer } from "./ssh_server.ts";
import { anyTolerance } from "./untimed_load.ts";

const recording = "cse534-count-1";
const page = { synth: recording };
const repetitions = 4;
const common = { links: ["10mbit/100ms", "20mbit/100ms"], repetitions, tolerance: anyTolerance };

/** Two cells each. */
const studies = [
  { finished: "load-finished", document: { name: "pages", pages: [page], lanes: ["h1"], retries: 5, ...common } },
  { finished: "fetch-finished", document: { name: "fetches", page, lanes: ["h1", "h3"], ...common } },
  {
    finished: "command-finished",
    document: {
      ...{ name: "commands", recording, ...common },
      commands: [
        { name: "sleep", words: ["sleep", "0.3"] },
        { name: "curl", words: ["curl", "--fail", "-so", "/dev/null", "https://cse534-count-1.synth.test/"] },
      ],
    },
  },
] as const;
/** Whose cells need nothing but Trilane. */
const flows = {
  finished: "flow-run-finished",
  document: { name: "flows", mixes: [{ flows: ["tcp", "quic"] }], for_s: 1, ...common },
} as const;
type Study = (typeof studies)[number] | typeof flows;

describe("a sweep on several machines", () => {
  let folder: string;
  let home: string;
  const at = (name: string): string => join(folder, name);
  const write = (name: string, document: object): string => {
    writeFileSync(at(name), JSON.stringify(document));
    return at(name);
  };
  const planOf = ({ document }: Study): string => write(`${document.name}.json`, document);
  let reference: string;

  /** Of pages alone: no other machine needs a browser. */
  const referenceOf = ({ document }: Study): string[] => ("pages" in document ? ["--reference", reference] : []);

  /** What a command that ends well printed with --json. */
  function json<T>(words: readonly string[], environment: NodeJS.ProcessEnv = {}): T {
    const option = homeByOption(home);
    const ran = run(home, [...words, ...option.words, "--json"], { env: { ...environment, ...option.env } });
    assert.equal(ran.status, 0, ran.stderr);
    assert.ok(!existsSync(option.elsewhere), "a child was not given --home");
    return JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "") as T;
  }

  /** Each cell of the plan has each of its attempts once, and all are valid. */
  function assertWhole(file: string): void {
    using results = openResultsFile(file);
    const [sweep] = results.listAllSweeps();
    assert.ok(sweep?.finished_at);
    const { planned, cells } = results.progressOf(sweep);
    assert.ok(cells >= 2 && planned === cells * repetitions);
    const query = "SELECT cell, block FROM attempt JOIN cell ON cell.id = cell WHERE sweep = ? AND status = 'valid'";
    const places = results.read(query, sweep.id).map(({ cell, block }) => `${cell} ${block}`);
    assert.deepEqual([places.length, new Set(places).size], [planned, planned]);
  }

  before(() => {
    folder = tempFolder("tl-");
    home = at("home");
    reference = write("reference-plan.json", {
      ...{ name: "reference", pages: [page], lanes: ["h1"], links: ["30mbit/10ms"] },
      ...{ repetitions: 4, retries: 5, tolerance: anyTolerance },
    });
    // What a plan of commands names is there already.
    assert.equal(run(home, ["synth", recording]).status, 0);
  });

  for (const study of [...studies, flows])
    test(`${study.document.name}: two hosts with a folder each; killed with -9, a cell is resumed; merged, all is there`, async () => {
      const { name } = study.document;
      const [a, b] = ["a", "b"].map((host) => at(`${name}-${host}`)) as [string, string];
      const cell = (number: number, host: string, shards: string) => [
        ...["cell", planOf(study), String(number), "--shards", shards, "--host", host],
        ...[...referenceOf(study), "--json"],
      ];
      const killed = start(home, cell(1, "a", a));
      await killed.until("an attempt of the plan is stored", () => {
        const begun = killed.events.findIndex((event) => event.event === "sweep-started" && event.name === name);
        return begun >= 0 && killed.events.slice(begun).some(({ event }) => event === study.finished);
      });
      killed.child.kill("SIGKILL");
      await killed.ended;
      const { status, stderr, events } = run(home, cell(1, "a", a));
      assert.equal(status, 0, stderr);
      // Not the reference cells again, and of the cell only what is left.
      const [started, ...others] = events.filter(({ event }) => event === "sweep-started");
      assert.ok(started?.event === "sweep-started" && others.length === 0);
      assert.deepEqual([started.resumed, started.done >= 1], [true, true]);
      const last = events.at(-1);
      assert.ok(last && "shard" in last && last.event.endsWith("cell-finished"));
      assert.deepEqual([last.cell, last.host], [1, "a"]);
      const option = homeByOption(home);
      assert.equal(run(home, [...cell(2, "b", b), ...option.words], { env: option.env }).status, 0);
      assert.ok(!existsSync(option.elsewhere), "a child was not given --home");
      const merged = json<Merged>(["merge", a, b, "--out", at(`${name}.db`)]);
      assert.deepEqual([merged.kind, merged.missing, merged.unfinished], [name, [], []]);
      const references = "pages" in study.document ? 4 : 0;
      assert.deepEqual(
        merged.hosts.map((host) => [host.name, host.cells, host.reference_loads >= references]),
        [
          ["a", [1], true],
          ["b", [2], true],
        ],
      );
      assertWhole(at(`${name}.db`));
      assert.equal(run(home, ["report", at(`${name}.db`)]).status, 0);
      assert.match(readFileSync(at(`${name}.html`), "utf8"), /id="machines"/);
    });

  test("Slurm: an array job; a task that was killed is submitted again, alone, and goes on", async (t) => {
    const why = noSlurm();
    if (why !== null) return t.skip(why);
    const cluster = await startSlurm(mkdtempSync(join(folder, "slurm-")));
    assert.ok(cluster, "Slurm is installed, and its daemons do not come up");
    try {
      const [pages, ...others] = studies;
      const shards = at("slurm-shards");
      const submit = (study: Study = pages, into = shards) =>
        json<Submitted>(
          ["submit", planOf(study), "--slurm", "--shards", into, "--reference", "none"],
          cluster.environment,
        );
      const first = submit();
      assert.deepEqual([first.cells, first.waiting, first.jobs.length], [[1, 2], [], 1]);
      const deadline_ms = performance.now() + 600_000;
      const inTime = async (): Promise<void> => {
        assert.ok(performance.now() < deadline_ms, "Slurm takes longer than 10 minutes");
        await delay(100);
      };
      const shardOf = (cell: number) =>
        readdirSync(shards).find((name) => name.startsWith(`cell-000${cell}-`) && name.endsWith(".db"));
      const loadsIn = (name: string | undefined): number => {
        if (name === undefined) return 0;
        try {
          const results = openResultsFile(join(shards, name));
          const [sweep] = results.listAllSweeps();
          const { length } = sweep ? results.attemptsOf(sweep) : [];
          results.close();
          return length;
        } catch {
          // Just being made.
          return 0;
        }
      };
      while (loadsIn(shardOf(1)) === 0) await inTime();
      const slurm = (program: string, ...words: string[]) =>
        spawnSync(program, words, { env: cluster.environment, encoding: "utf8" }).stdout;
      // Of this folder's tasks only one runs: it has the node for itself.
      assert.equal(spawnSync("pkill", ["-KILL", "-f", `cell --shards ${shards} `]).status, 0);
      const tasks = () => slurm("squeue", "--noheader", "--array", "--format=%K").trim().split("\n");
      while (tasks().includes("1")) await inTime();
      // The other cell waits, runs or is finished: whichever, it is not handed in twice.
      assert.deepEqual(submit().cells, [1]);
      while (tasks().some((task) => task !== "")) await inTime();
      const merged = json<Merged>(["merge", shards, "--out", at("slurm.db")]);
      assert.deepEqual([merged.missing, merged.unfinished, merged.left_out], [[], [], []]);
      assertWhole(at("slurm.db"));
      assert.deepEqual(submit().cells, []);
      for (const study of others) {
        const into = at(`slurm-${study.document.name}`);
        assert.deepEqual(submit(study, into).cells, [1, 2]);
        while (tasks().some((task) => task !== "")) await inTime();
        json<Merged>(["merge", into, "--out", at("slurm-other.db")]);
        assertWhole(at("slurm-other.db"));
        rmSync(at("slurm-other.db"));
      }
    } finally {
      await cluster.stop();
    }
  });

  test("ssh: recordings go to the host, shards come back, and nothing stays there", async (t) => {
    const why = noSshServer();
    if (why !== null) return t.skip(why);
    const server = await startSshServer(mkdtempSync(join(folder, "ssh-")), ["lab"]);
    assert.ok(server, "sshd is installed, and lets nobody in");
    try {
      for (const study of studies) {
        const shards = at(`ssh-${study.document.name}`);
        const hosts: string[] = ["--ssh", "lab,trilane-nowhere.invalid", "--ssh-command", server.command];
        const words: string[] = ["submit", planOf(study), ...hosts, "--shards", shards, ...referenceOf(study)];
        assert.deepEqual(json<Submitted>(words).cells, [1, 2]);
        const out = at(`ssh-${study.document.name}.db`);
        const merged = json<Merged>(["merge", shards, "--out", out]);
        assert.deepEqual(
          merged.hosts.map(({ name, cells }) => [name, cells]),
          [["lab", [1, 2]]],
        );
        assertWhole(out);
        const { id, plan_digest } = JSON.parse(readFileSync(join(shards, "submission.json"), "utf8")) as Record<
          string,
          string
        >;
        const there = `.cache/trilane/submitted/trilane-${plan_digest?.slice(0, 12)}-${id}`;
        const [ssh = "", ...options]: string[] = server.command.split(" ");
        assert.equal(spawnSync(ssh, [...options, "lab", `test -e ${there}`]).status, 1, "the host keeps recordings");
        rmSync(join(shards, "cell-0002-lab.db"));
        assert.deepEqual(json<Submitted>(words).cells, [2]);
      }
      const [, , commands] = studies;
      const lacking = { ...commands.document, commands: [{ name: "none", words: ["trilane-no-such-program"] }] };
      const refused = run(home, [
        ...["submit", write("lacking.json", lacking), "--shards", at("lacking-shards")],
        ...["--ssh", "lab", "--ssh-command", server.command],
      ]);
      assert.notEqual(refused.status, 0);
      assert.match(
        refused.stderr,
        /^lab: no trilane-no-such-program, which the plan's cells run: install it there; not used$/m,
      );
    } finally {
      await server.stop();
    }
  });
});
