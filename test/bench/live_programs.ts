// What live servers of a bench need beside them: PHP, a database. They run from the first load to the last, so that what they compile
// and cache for their first answer is in no load that counts, as on a site that has visitors.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../../cli/base/errors.ts";

export interface LiveProgram {
  readonly command: readonly string[];
  /** Of Unix: where it listens when it is ready. */
  readonly socket: string;
}

const patience_ms = 30_000;
const poll_ms = 50;

/** Without a network, as an ordinary user whoever runs the bench (PHP and MariaDB refuse root), and ended with the bench however that ends. */
const sheltered = [
  "unshare",
  "-U",
  "--map-user=1000",
  "--map-group=1000",
  "-n",
  "--",
  "setpriv",
  "--pdeathsig",
  "TERM",
];

function start({ command }: LiveProgram): ChildProcess {
  const [program = "", ...words] = [...sheltered, "--", ...command];
  return spawn(program, words, { stdio: "ignore" });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  await ended;
}

async function listens(child: ChildProcess, { command, socket }: LiveProgram): Promise<void> {
  for (let waited_ms = 0; !existsSync(socket); waited_ms += poll_ms) {
    if (waited_ms > patience_ms || child.exitCode !== null) throw new UserError(`${command[0]} does not start`);
    await delay(poll_ms);
  }
}

export async function withPrograms<Result>(
  programs: readonly LiveProgram[],
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const running: ChildProcess[] = [];
  try {
    for (const program of programs) {
      const child = start(program);
      running.push(child);
      await listens(child, program);
    }
    return await work();
  } finally {
    await Promise.all(running.map(stop));
  }
}
