// A Slurm of one node for a test: munged, slurmctld and slurmd, started by hand as root in a folder of their own, on free ports.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { cpus, hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export interface SlurmCluster {
  /** For programs that are to use it. */
  readonly environment: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

const path = `${process.env.PATH}:/usr/sbin:/sbin`;

function has(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`], { env: { ...process.env, PATH: path } }).status === 0;
}

/** Why there can be none here; null: there can. */
export function noSlurm(): string | null {
  if (!["munged", "slurmctld", "slurmd", "sbatch", "squeue"].every(has)) return "no Slurm here (apt install slurm-wlm)";
  return process.getuid?.() === 0 ? null : "Slurm's daemons are started by hand as root only";
}

/** Free now; nothing keeps others from taking it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}

function config(folder: string, controlPort: number, nodePort: number): string {
  const host = hostname().split(".")[0] ?? "localhost";
  return [
    "ClusterName=trilane",
    `SlurmctldHost=${host}(127.0.0.1)`,
    "SlurmUser=root",
    "AuthType=auth/munge",
    `AuthInfo=socket=${join(folder, "munge", "socket")}`,
    `SlurmctldPort=${controlPort}`,
    `SlurmdPort=${nodePort}`,
    `StateSaveLocation=${join(folder, "state")}`,
    `SlurmdSpoolDir=${join(folder, "spool")}`,
    `SlurmctldPidFile=${join(folder, "slurmctld.pid")}`,
    `SlurmdPidFile=${join(folder, "slurmd.pid")}`,
    // Needs no cgroups, which a container may not have.
    "ProctrackType=proctrack/linuxproc",
    "TaskPlugin=task/affinity",
    "SelectType=select/cons_tres",
    "MpiDefault=none",
    "ReturnToService=2",
    `NodeName=${host} NodeAddr=127.0.0.1 CPUs=${cpus().length} State=UNKNOWN`,
    `PartitionName=test Nodes=${host} Default=YES State=UP`,
    "",
  ].join("\n");
}

/** In `folder`, whose path must be short: a socket's name is. Null where no node is ready within a minute. */
export async function startSlurm(folder: string): Promise<SlurmCluster | null> {
  for (const name of ["munge", "state", "spool"]) mkdirSync(join(folder, name), { recursive: true, mode: 0o755 });
  const munge = (name: string): string => join(folder, "munge", name);
  writeFileSync(munge("key"), randomBytes(128), { mode: 0o600 });
  const configPath = join(folder, "slurm.conf");
  writeFileSync(configPath, config(folder, await freePort(), await freePort()));
  const environment = { ...process.env, PATH: path, SLURM_CONF: configPath };
  const started: ChildProcess[] = [];
  const start = (program: string, words: readonly string[]): void => {
    const log = openSync(join(folder, `${program}.log`), "a");
    started.push(spawn(program, words, { env: environment, stdio: ["ignore", log, log] }));
    closeSync(log);
  };
  const cluster: SlurmCluster = {
    environment,
    async stop() {
      // A task's own keeper outlives the daemons.
      const ask = (program: string, ...words: string[]) =>
        spawnSync(program, words, { env: environment, encoding: "utf8", timeout: 5000 }).stdout ?? "";
      ask("scancel", "--me");
      for (let waits = 0; waits < 50 && ask("squeue", "--noheader").trim() !== ""; waits++) await delay(200);
      for (const child of started.reverse()) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const closed = once(child, "close");
        child.kill();
        await Promise.race([closed, delay(5000).then(() => child.kill("SIGKILL"))]);
      }
    },
  };
  start("munged", [
    "--foreground",
    "--force",
    ...["key-file=key", "socket=socket", "pid-file=pid", "log-file=log", "seed-file=seed"].map((option) =>
      option.replace(/=(.*)/, (_, name: string) => `=${munge(name)}`).replace(/^/, "--"),
    ),
  ]);
  start("slurmctld", ["-D", "-f", configPath]);
  start("slurmd", ["-D", "-f", configPath]);
  for (const end_ms = performance.now() + 60_000; performance.now() < end_ms; await delay(200)) {
    const said = spawnSync("sinfo", ["--noheader", "--format=%t"], {
      env: environment,
      encoding: "utf8",
      timeout: 5000,
    });
    if (said.stdout?.trim() === "idle") return cluster;
  }
  await cluster.stop();
  return null;
}
