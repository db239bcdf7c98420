// `trilane submit PLAN --slurm|--ssh HOSTS`: the cells of a plan that are still missing, to a cluster.
import { join } from "node:path";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { flag, number, repeated } from "../base/option.ts";
import { checkout } from "../base/programs.ts";
import { printJson, printLines, say } from "../base/terminal_text.ts";
import { refuseOurs } from "../sweep/cluster/slurm.ts";
import { type Submitting, slurmDryRun, sshDryRun, submitOverSsh, submitToSlurm } from "../sweep/cluster/submit.ts";
import { plannedLines, submittedLines } from "../sweep/cluster/words.ts";
import { clusterPlans, defineCluster } from "./cell.ts";
import type { Command, OptionsOf, Table } from "./command.ts";
import { printPlanned } from "./run_options.ts";

const define = (table: Table) =>
  defineCluster(table)
    .option(
      "slurm",
      flag("run as array jobs, one task per cell; all nodes must see the folders of home, shards and Trilane"),
    )
    .option("ssh", {
      describe: "hosts, separated by commas (lab1,me@lab2); recordings are copied there and shards back",
    })
    .option(
      "cpus",
      number(
        { least: 1, most: 4096, whole: true },
        { describe: "with --slurm: CPUs bound to each task (default: a whole node per task)" },
      ),
    )
    .option("sbatch", repeated("with --slurm: another option of sbatch (--sbatch=--partition=long)"))
    .option("dry-run", flag("print the job scripts, or what the hosts would run and need; submit nothing"))
    .option("program", { describe: "with --ssh: path of trilane on the hosts (default: as here)" })
    .option("ssh-command", { default: "ssh", describe: 'with --ssh: the program and its options ("ssh -p 2222")' })
    .example("trilane submit study.json --slurm --shards /scratch/study", "an array job; again later: what is missing")
    .example("trilane submit study.json --ssh lab1,lab2", "two hosts by GNU parallel; returns when all has run");

type SubmitOptions = OptionsOf<typeof define>;

const isOdd = (text: string): boolean => text === "" || /\p{Cc}/u.test(text);

function slurmOptions({ cpus, sbatch }: SubmitOptions) {
  const wrong = sbatch.find((option) => isOdd(option) || !option.startsWith("-"));
  if (wrong !== undefined)
    throw new UserError(
      `--sbatch ${JSON.stringify(wrong)}: is no option of sbatch: write it as --sbatch=--partition=long`,
    );
  for (const option of sbatch) refuseOurs(option);
  return { cpus: cpus ?? null, options: sbatch };
}

function sshOptions({ ssh = "", "ssh-command": command, program }: SubmitOptions) {
  const hosts = ssh.split(",").map((host) => host.trim());
  const wrong = hosts.find((host) => !/^[A-Za-z0-9_@.:[\]-]+$/.test(host) || host.startsWith("-"));
  if (wrong !== undefined)
    throw new UserError(`--ssh: ${JSON.stringify(wrong)} is no host: name hosts with commas between, as lab1,me@lab2`);
  const address = hosts.find((host) => /[:[\]]/.test(host));
  if (address !== undefined)
    throw new UserError(
      `--ssh: ${address}: no address with colons can be named here: give it a name in ~/.ssh/config, ports with --ssh-command`,
    );
  const words = command.split(" ").filter((word) => word !== "");
  if (isOdd(command) || words.length === 0)
    throw new UserError(`--ssh-command ${JSON.stringify(command)}: is no command: write it as "ssh -p 2222"`);
  return { hosts: [...new Set(hosts)], ssh: words, program: program ?? join(checkout, "cli", "trilane") };
}

/** Options of one way mean nothing in the other. */
function refuseMixed({ slurm, ssh, cpus, sbatch, program }: SubmitOptions): void {
  if (slurm === (ssh !== undefined))
    throw new UserError("submit: say where to: --slurm, or --ssh with hosts, as --ssh lab1,lab2");
  if (slurm && program !== undefined) throw new UserError("--program is for --ssh: Slurm's tasks run this Trilane");
  if (!slurm && (cpus !== undefined || sbatch.length > 0))
    throw new UserError("--cpus and --sbatch are for --slurm: leave them out with --ssh");
}

export const command: Command<SubmitOptions> = {
  usage: "submit <plan>",
  summary: "Hand a plan's cells to Slurm, or to hosts over ssh; again: those that are still missing",
  define,
  run: async (options, { pageSource }) => {
    refuseMixed(options);
    const { json } = options;
    const home = homeFolder(options.home);
    // A machine that hands in jobs need not be able to load a page, and a dry run changes nothing.
    const trials = options["dry-run"] ? "no choice" : "where possible";
    const source = await pageSource();
    const submitting: Submitting = { home, source, ...(await clusterPlans(home, source, options, trials)), say };
    if (options["dry-run"]) {
      const planned = options.slurm
        ? slurmDryRun(submitting, slurmOptions(options))
        : sshDryRun(submitting, sshOptions(options));
      return printPlanned(json, planned, plannedLines(planned));
    }
    const submitted = options.slurm
      ? await submitToSlurm(submitting, slurmOptions(options))
      : await submitOverSsh(submitting, sshOptions(options));
    if (submitted === null) return;
    if (json) printJson(submitted);
    else printLines(submittedLines(submitted));
  },
};
