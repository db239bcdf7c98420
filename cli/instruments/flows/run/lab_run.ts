// The command line of a lab with trilane-flows at both ends of trilane-shaper. Composes it; starts nothing.
import { programPath } from "../../../base/programs.ts";
import type { LinkProfile } from "../../../link/link.ts";
import type { Evidence } from "../../../load/evidence.ts";
import { labCommand } from "../../../load/lab.ts";
import { bin_ms, type RunPaths } from "./run_folder.ts";

export interface LabRun {
  readonly home: string;
  readonly link: LinkProfile;
  readonly paths: RunPaths;
  /** null: none is kept. */
  readonly evidence: Pick<Evidence, "qlogs" | "capture"> | null;
}

/** The whole command line: far end, shaper, near end. @throws UserError if a file that the link names has changed */
export function flowsCommandLine({ home, link, paths, evidence }: LabRun): string[] {
  const program = programPath("trilane-flows");
  const qlog = evidence === null ? [] : ["--qlog", evidence.qlogs];
  const end = (name: "near" | "far", report: string, samples: string): string[] => [
    ...[program, name, paths.run, "--report", report, "--samples", samples],
    ...qlog,
  ];
  const shaperOptions = [
    ...["--flow-counters", paths.counters, "--flow-bins", paths.bins, "--flow-bin", `${bin_ms}ms`],
    // The near end chooses controllers that only a privileged process may.
    "--keep-capabilities",
    ...(evidence?.capture ?? []),
  ];
  const lab = labCommand({ home, recording: null, link, reports: { replay: "", shaper: paths.shaper }, shaperOptions });
  const far = end("far", paths.far, paths.farSamples);
  return [...far, "--", ...lab.shaper, ...end("near", paths.near, paths.nearSamples)];
}
