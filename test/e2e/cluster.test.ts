// A sweep on several machines, with real loads: two hosts that are folders here, a Slurm of one node, and hosts over ssh. What is
// killed goes on, what is submitted again is only what is missing, and the merged shards have each load once.
// Wide: cli/sweep/cluster.
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

const page = { synth: "cse534-count-1" };
const repetitions = 4;

describe("a sweep on several machines", () => {
  let folder: string;
  let home: string;
  const at = (name: string): string => join(folder, name);
  const write = (name: string, document: object): string => {
    writeFileSync(at(name), JSON.stringify(document));
    return at(name);
  };
  let plan: string;
  let reference: string;

  /** What a command that ends well printed with --json. */
  function json<T>(words: readonly string[], environment: NodeJS.ProcessEnv = {}): T {
    const option = homeByOption(home);
    const ran = run(home, [...words, ...option.words, "--json"], { env: { ...environment, ...option.env } });
    assert.equal(ran.status, 0, ran.stderr);
    assert.ok(!existsSync(option.elsewhere), "a child was not given --home");
    return JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "") as T;
  }

  /** Each cell of the plan has each of its loads once. */
  function assertWhole(file: string): void {
    using results = openResultsFile(file);
    const [sweep] = results.listSweeps();
    assert.ok(sweep?.finished_at);
    const loads = results.loadsOf(sweep.id).filter(({ status }) => status === "valid");
    const places = loads.map(({ page: of, link, lane, block }) => `${of} ${link} ${lane} ${block}`);
    assert.equal(places.length, 2 * repetitions);
    assert.equal(new Set(places).size, places.length);
  }

  before(() => {
    folder = tempFolder("tl-");
    home = at("home");
    plan = write("plan.json", {
      ...{ name: "study", pages: [page], lanes: ["h1"], links: ["10mbit/10ms", "20mbit/10ms"] },
      ...{ repetitions, retries: 5, tolerance: anyTolerance },
    });
    reference = write("reference-plan.json", {
      ...{ name: "reference", pages: [page], lanes: ["h1"], links: ["30mbit/10ms"] },
      ...{ repetitions: 4, retries: 5, tolerance: anyTolerance },
    });
  });

  test("two hosts with a folder each: killed with -9, a cell goes on; merged, all is there", async () => {
    const cell = (number: number, host: string) => [
      ...["cell", plan, String(number), "--shards", at(host), "--host", host],
      ...["--reference", reference, "--json"],
    ];
    const killed = start(home, cell(1, "a"));
    await killed.until("a load of the plan is stored", () => {
      const begun = killed.events.findIndex((event) => event.event === "sweep-started" && event.name === "study");
      return begun >= 0 && killed.events.slice(begun).some(({ event }) => event === "load-finished");
    });
    killed.child.kill("SIGKILL");
    await killed.ended;
    const { status, stderr, events } = run(home, cell(1, "a"));
    assert.equal(status, 0, stderr);
    // Not the reference cells again, and of the cell only what is left.
    const [started, ...others] = events.filter(({ event }) => event === "sweep-started");
    assert.ok(started?.event === "sweep-started" && others.length === 0);
    assert.deepEqual([started.resumed, started.done >= 1], [true, true]);
    const last = events.at(-1);
    assert.ok(last?.event === "cell-finished" && last.cell === 1);
    const option = homeByOption(home);
    assert.equal(run(home, [...cell(2, "b"), ...option.words], { env: option.env }).status, 0);
    assert.ok(!existsSync(option.elsewhere), "a child was not given --home");
    const merged = json<Merged>(["merge", at("a"), at("b"), "--out", at("folders.db")]);
    assert.deepEqual([merged.missing, merged.unfinished], [[], []]);
    assert.deepEqual(
      merged.hosts.map(({ name, cells, reference_loads }) => [name, cells, reference_loads >= 4]),
      [
        ["a", [1], true],
        ["b", [2], true],
      ],
    );
    assertWhole(at("folders.db"));
    assert.equal(run(home, ["report", at("folders.db")]).status, 0);
    assert.match(readFileSync(at("folders.html"), "utf8"), /id="machines"/);
  });

  test("Slurm: an array job; a task that was killed is submitted again, alone, and goes on", async (t) => {
    const why = noSlurm();
    if (why !== null) return t.skip(why);
    const cluster = await startSlurm(mkdtempSync(join(folder, "slurm-")));
    assert.ok(cluster, "Slurm is installed, and its daemons do not come up");
    try {
      const shards = at("slurm-shards");
      const submit = () =>
        json<Submitted>(["submit", plan, "--slurm", "--shards", shards, "--reference", "none"], cluster.environment);
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
          const [sweep] = results.listSweeps();
          const { length } = sweep ? results.loadsOf(sweep.id) : [];
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
      const shards = at("ssh-shards");
      const words = ["submit", plan, "--ssh", "lab,trilane-nowhere.invalid", "--ssh-command", server.command];
      const submitted = json<Submitted>([...words, "--shards", shards, "--reference", reference]);
      assert.deepEqual(submitted.cells, [1, 2]);
      const merged = json<Merged>(["merge", shards, "--out", at("ssh.db")]);
      assert.deepEqual(
        merged.hosts.map(({ name, cells }) => [name, cells]),
        [["lab", [1, 2]]],
      );
      assertWhole(at("ssh.db"));
      const { id, plan_digest } = JSON.parse(readFileSync(join(shards, "submission.json"), "utf8")) as Record<
        string,
        string
      >;
      const there = `.cache/trilane/submitted/trilane-${plan_digest?.slice(0, 12)}-${id}`;
      const [ssh = "", ...options] = server.command.split(" ");
      assert.equal(spawnSync(ssh, [...options, "lab", `test -e ${there}`]).status, 1, "the host keeps recordings");
      rmSync(join(shards, "cell-0002-lab.db"));
      const again = json<Submitted>([...words, "--shards", shards, "--reference", reference]);
      assert.deepEqual(again.cells, [2]);
    } finally {
      await server.stop();
    }
  });
});
