// What the commands of several machines say to people. Pure.
import type { Merged } from "../../../schemas/generated/merged.ts";
import type { SubmissionPlanned } from "../../../schemas/generated/submission_planned.ts";
import type { Submitted } from "../../../schemas/generated/submitted.ts";
import { count } from "../../base/numbers.ts";
import { textTable } from "../../base/text_table.ts";
import { rangesOf } from "../plan/places.ts";

/** What was merged, what is odd about it, and last the file's path. `attempts`: what they are called. */
export function mergedLines(
  { cells, missing, unfinished, loads, hosts, left_out, path }: Merged,
  attempts: string,
): string[] {
  const table = hosts.map((host) => [
    host.name,
    String(host.cells.length),
    String(host.loads),
    String(host.reference_loads),
  ]);
  const there = cells - missing.length;
  return [
    ...textTable([["host", "cells", attempts, "reference loads"], ...table]),
    "",
    ...hosts.flatMap(({ name, flags }) => flags.map((flag) => `unlike the others: ${name}: ${flag}`)),
    ...left_out.map(({ path: of, reason }) => `left out: ${of}: ${reason}`),
    ...(unfinished.length > 0 ? [`unfinished: ${count(unfinished.length, "cell")} (${rangesOf(unfinished)})`] : []),
    ...(missing.length > 0 ? [`missing: ${count(missing.length, "cell")} (${rangesOf(missing)})`] : []),
    ...(hosts.length > 1 && hosts.every((host) => host.reference_loads === 0)
      ? ["machines not compared: they loaded no reference cells (--reference of `trilane cell` and `submit`)"]
      : []),
    `${there} of ${count(cells, "cell")}, ${count(loads, attempts.replace(/(?<=ch)es$|s$/, ""), attempts)}`,
    `merged: ${path}`,
  ];
}

/** What would be handed in: Slurm's scripts as they are, or what would run on the hosts. */
export function plannedLines({ system, of, cells, scripts, hosts, needs, recordings }: SubmissionPlanned): string[] {
  if (cells.length === 0) return [`nothing to run: ${of} of ${count(of, "cell")} finished before`];
  if (system === "slurm")
    return scripts
      .map(({ text }) => text)
      .join("\n")
      .trimEnd()
      .split("\n");
  return [
    `${cells.length} of ${count(of, "cell")} would run on ${hosts.join(", ")}: ${rangesOf(cells)}`,
    `each host needs: ${needs.join(", ")}`,
    ...(recordings.length > 0 ? [`recordings that would be sent: ${recordings.join(", ")}`] : []),
  ];
}

/** What was handed in, and what to do when it has run. */
export function submittedLines({ system, shards, of, cells, waiting, jobs }: Submitted): string[] {
  const missing = cells.length + waiting.length;
  const numbers = cells.length > 0 ? ` (${rangesOf(cells)})` : "";
  const how =
    system === "slurm"
      ? `handed in${jobs.length > 0 ? ` as ${jobs.map((job) => `job ${job}`).join(", ")}` : ""}`
      : "run";
  return [
    ...(system === "slurm"
      ? [`${of - missing} of ${count(of, "cell")} finished before, ${waiting.length} in the queue`]
      : []),
    `${count(cells.length, "cell")} ${how}${numbers}`,
    `then: trilane merge ${shards}`,
  ];
}
