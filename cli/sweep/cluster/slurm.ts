// A sweep as Slurm array jobs: one task for each cell. Writes the job scripts, asks which cells wait in the queue or run
// already, hands scripts in. Which cells are missing is its caller's to know.
import { UserError } from "../../base/errors.ts";
import { ProgramFailure, runProgram } from "../../base/run_program.ts";
import { shellWord } from "../../base/shell_word.ts";
import { rangesOf } from "../plan/places.ts";

/** Slurm's default MaxArraySize allows indices up to 1000: a larger plan is several jobs. */
const cellsPerJob = 1000;

export interface SlurmJob {
  /** Cells of the plan from here on, not including it, are tasks 1, 2, ... of this job. */
  readonly offset: number;
  readonly cells: readonly number[];
}

/** Cells in ascending order, by the job that they belong to: always the same one, so that the queue shows which cell a task is. */
export function slurmJobs(cells: readonly number[]): SlurmJob[] {
  const groups = Map.groupBy(cells, (cell) => Math.floor((cell - 1) / cellsPerJob) * cellsPerJob);
  return [...groups].map(([offset, own]) => ({ offset, cells: own }));
}

export interface ScriptTerms {
  /** Begins the jobs' names, by which they are found in the queue. */
  readonly name: string;
  /** Absolute. */
  readonly shards: string;
  /** The command of one cell; the task's number is to come after it. */
  readonly command: readonly string[];
  /** CPUs of a task, bound to it; null: it has its node for itself. */
  readonly cpus: number | null;
  /** Further options of sbatch, as `--partition=long`. */
  readonly options: readonly string[];
  /** What the plan's cells need on each node besides Trilane. */
  readonly programs: readonly string[];
}

export const jobName = (name: string, { offset }: SlurmJob): string => `${name}-${offset}`;

/** What is found in the queue: which cells a job's tasks are. */
const identity = (name: string, job: SlurmJob): string[] => [
  `--job-name=${jobName(name, job)}`,
  `--array=${rangesOf(job.cells.map((cell) => cell - job.offset))}`,
];

/** UserError for a folder that no directive of a job script can name: there are quotes in it, but no escapes. */
export function refuseUnquotable(shards: string): void {
  if (!/[\p{Cc}"\\]/u.test(shards)) return;
  throw new UserError(
    `${JSON.stringify(shards)}: Slurm takes no folder with quotes, backslashes or control characters in its name: name another with --shards`,
  );
}

/** Options whose other values would lose cells or logs, with sbatch's earlier name of one. */
const ours = ["--job-name", "--array", "--chdir", "--workdir", "--output"];

/** UserError for an option of sbatch, or a line of them, that would set what the scripts depend on. sbatch takes `--arr` too. */
export function refuseOurs(option: string): void {
  const words = option.replaceAll(/["']/g, "").split(/\s+/);
  const wrong = words.find((word) => {
    const [name = ""] = word.split("=");
    // Options of one letter that take no value may come before.
    return name.startsWith("--") ? ours.some((own) => own.startsWith(name)) : /^-[hHkOQsvWV]*[JaDo]/.test(name);
  });
  if (wrong === undefined) return;
  throw new UserError(
    `--sbatch ${JSON.stringify(wrong)}: name, array, folder and log of a job are set by \`trilane submit\`: leave it out`,
  );
}

/** For `sbatch`, and for people to read. */
export function jobScript(job: SlurmJob, { name, shards, command, cpus, options, programs }: ScriptTerms): string {
  const own = cpus === null ? ["--exclusive"] : [`--cpus-per-task=${cpus}`];
  const directives = [
    ...identity(name, job),
    "--nodes=1",
    "--ntasks=1",
    ...own,
    // A task of a node that was lost runs elsewhere; what it had measured is measured anew there, on one machine.
    "--requeue",
    "--open-mode=append",
    "--signal=B:TERM@30",
    `--chdir="${shards}"`,
    "--output=logs/%x-%a.log",
    ...options,
  ];
  const bound = cpus === null ? [] : ["srun", "--ntasks=1", `--cpus-per-task=${cpus}`, "--cpu-bind=cores"];
  const cell = `"$((SLURM_ARRAY_TASK_ID + ${job.offset}))"`;
  return [
    "#!/bin/sh",
    ...directives.map((directive) => `#SBATCH ${directive}`),
    "",
    "# One cell of a Trilane sweep in each task. A finished one is not run again, one that was stopped is resumed.",
    ...(programs.length > 0
      ? [`# Each node needs ${programs.map((program) => JSON.stringify(program)).join(", ")}.`]
      : []),
    `exec ${[...bound, ...command].map(shellWord).join(" ")} ${cell}`,
    "",
  ].join("\n");
}

async function slurm(program: string, words: readonly string[]): Promise<string> {
  try {
    return await runProgram(program, words, { timeout_ms: 60_000 });
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    if (error.status === null && /ENOENT/.test(error.message))
      throw new UserError(`no ${program} here: install Slurm's commands (apt install slurm-client), or use --ssh`);
    throw new UserError(`${program}: ${error.lastLine || error.message}: is Slurm running, and may you use it?`);
  }
}

/** `%K` of squeue: `7`, or of tasks that wait together `3-5,9%2`. */
function indicesOf(text: string): number[] {
  return text
    .replace(/%\d+$/, "")
    .split(",")
    .flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map(Number);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
    });
}

/** Cells that the queue has, waiting or running. */
export async function queuedCells(name: string): Promise<number[]> {
  const lines = (await slurm("squeue", ["--me", "--noheader", "--array", "--format=%j %K"])).trim().split("\n");
  return lines.flatMap((line) => {
    const [job = "", indices = ""] = line.trim().split(/\s+/);
    const offset = job.startsWith(`${name}-`) ? Number(job.slice(name.length + 1)) : Number.NaN;
    return Number.isInteger(offset) ? indicesOf(indices).map((index) => index + offset) : [];
  });
}

/** Words of sbatch: with what the script says too, so that the environment (SBATCH_JOB_NAME) does not win over it. */
export function sbatchWords(name: string, job: SlurmJob, script: string): string[] {
  return ["--parsable", ...identity(name, job), script];
}

/** Slurm's number of the job. */
export async function handIn(name: string, job: SlurmJob, script: string): Promise<string> {
  const [id = ""] = (await slurm("sbatch", sbatchWords(name, job, script))).trim().split(";");
  return id;
}
