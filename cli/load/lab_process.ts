// A lab's command line, or that of one of our programs outside of labs, from its start to its end: everything it started is gone when
// this settles, whoever ended it. Reads no file that it left and judges nothing.
import { spawn } from "node:child_process";
import { debugLine } from "../base/debug.ts";
import { takePrecedence } from "../base/precedence.ts";
import { type Exit, exitOf, killGroup, settles } from "../base/process_group.ts";

/** A lab's far end gives its command 3 s, and writes its report then. */
const terminatePatience_ms = 5000;

export interface LabEnd {
  readonly exit: Exit;
  /** It took longer than it may, and was ended. */
  readonly timedOut: boolean;
}

interface LabLimits {
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
  /** Given what its programs print, piece by piece. Default: that is dropped. */
  readonly printed?: (text: string) => void;
  /** Default: ours. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** Resolves when all is gone: by itself, for it took too long, or because the signal came. */
export async function runLab(
  commandLine: readonly string[],
  { timeout_ms, signal, printed, environment = process.env }: LabLimits,
): Promise<LabEnd> {
  signal.throwIfAborted();
  const [program = "", ...words] = commandLine;
  debugLine("lab", () => commandLine.join(" "));
  // A process group of its own: Ctrl-C in the terminal is for the command line, which then ends the lab in order.
  const child = spawn(program, words, {
    detached: true,
    stdio: ["ignore", printed ? "pipe" : "ignore", "pipe"],
    env: environment,
  });
  if (printed) child.stdout?.setEncoding("utf8").on("data", printed);
  takePrecedence(child.pid);
  const exited = exitOf(child);
  // Killed with -9, we are missed by the far end itself (PR_SET_PDEATHSIG), which takes the rest with it.
  const onExit = (): void => killGroup(child, "SIGKILL");
  process.prependOnceListener("exit", onExit);
  const stopped = Promise.withResolvers<void>();
  const stop = (): void => stopped.resolve();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const ended = await settles(Promise.race([exited, stopped.promise]), timeout_ms);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      if (!(await settles(exited, terminatePatience_ms))) killGroup(child, "SIGKILL");
    }
    return { exit: await exited, timedOut: !ended };
  } finally {
    signal.removeEventListener("abort", stop);
    process.off("exit", onExit);
  }
}
