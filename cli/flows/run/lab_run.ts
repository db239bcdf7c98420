// A lab with trilane-flows at both ends of trilane-shaper, from its command line to its end: everything it started is gone when this
// settles, whoever ended it. Reads nothing that it left and judges nothing.
import { spawn } from "node:child_process";
import { debugLine } from "../../base/debug.ts";
import { type Exit, exitOf, killGroup, settles } from "../../base/process_group.ts";
import { programPath } from "../../base/programs.ts";
import type { LinkProfile } from "../../link/link.ts";
import { labCommand } from "../../load/lab.ts";
import { bin_ms, type RunPaths } from "./run_folder.ts";

/** Further files, where somebody asked for evidence. */
export interface EvidencePaths {
  /** A folder. */
  readonly qlog: string;
  readonly packets: string;
}

export interface LabRun {
  readonly home: string;
  readonly link: LinkProfile;
  readonly paths: RunPaths;
  /** null: none is kept. */
  readonly evidence: EvidencePaths | null;
}

/** The whole command line: far end, shaper, near end. UserError where a file that the link names has changed. */
export function flowsCommandLine({ home, link, paths, evidence }: LabRun): string[] {
  const program = programPath("trilane-flows");
  const qlog = evidence === null ? [] : ["--qlog", evidence.qlog];
  const end = (name: "near" | "far", report: string, samples: string): string[] => [
    ...[program, name, paths.run, "--report", report, "--samples", samples],
    ...qlog,
  ];
  const shaperOptions = [
    ...["--flow-counters", paths.counters, "--flow-bins", paths.bins, "--flow-bin", `${bin_ms}ms`],
    // The near end chooses controllers that only a privileged process may.
    "--keep-capabilities",
    ...(evidence === null ? [] : ["--pcapng", evidence.packets]),
  ];
  const lab = labCommand({ home, recording: null, link, reports: { replay: "", shaper: paths.shaper }, shaperOptions });
  const far = end("far", paths.far, paths.farSamples);
  return [...far, "--", ...lab.shaper, ...end("near", paths.near, paths.nearSamples)];
}

/** The far end gives its command 3 s, and writes its report then. */
const terminatePatience_ms = 5000;

export interface LabEnd {
  readonly exit: Exit;
  /** It took longer than it may, and was ended. */
  readonly timedOut: boolean;
}

/** Resolves when the lab is gone: by itself, for it took too long, or because the signal came. */
export async function runLab(
  commandLine: readonly string[],
  { timeout_ms, signal }: { readonly timeout_ms: number; readonly signal: AbortSignal },
): Promise<LabEnd> {
  signal.throwIfAborted();
  const [program = "", ...words] = commandLine;
  debugLine("lab", () => commandLine.join(" "));
  // A process group of its own: Ctrl-C in the terminal is for the command line, which then ends the lab in order.
  const child = spawn(program, words, { detached: true, stdio: ["ignore", "ignore", "pipe"] });
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
