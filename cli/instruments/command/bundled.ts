// A sweep of commands as `trilane bundle` takes it. Secrets in command lines and output are masked (export/secrets.ts).

import { createHash } from "node:crypto";
import type { CommandRecord } from "../../../schemas/generated/command_record.ts";
import type { Row } from "../../results/store/copy_rows.ts";
import { storedJson } from "../../results/store/stored_json.ts";
import type { BundledSweeps, Masking } from "../../sweep/bundle/bundled_sweeps.ts";
import { commandCsvLines } from "./export/csv.ts";
import { SecretMask } from "./export/secrets.ts";
import type { CommandPlan } from "./plan/plan.ts";
import { commandReport } from "./report/command_report.ts";
import { measuredRunsOf } from "./store/measured_runs.ts";

/** The digest of a plan that is masked would let its secrets be guessed: it is made anew. */
function maskedSweep(row: Row, mask: SecretMask): Row {
  const plan = storedJson(row.plan ?? null, "sweep.plan") as CommandPlan;
  const own = storedJson(row.command ?? null, "sweep.command") as string[];
  const [ownMasked, ...lines] = mask.lines([own, ...plan.commands.map(({ words }) => words)]);
  const commands = plan.commands.map((command, place) => ({ ...command, words: lines[place] }));
  const masked = JSON.stringify({ ...plan, commands });
  const command = JSON.stringify(ownMasked);
  if (masked === JSON.stringify(plan)) return { ...row, command };
  return { ...row, command, plan: masked, plan_digest: createHash("sha256").update(masked).digest("hex") };
}

function maskedRecord(record: CommandRecord, mask: SecretMask): CommandRecord {
  return {
    ...record,
    numbers: record.numbers.map((number) => ({ ...number, reason: number.reason && mask.output(number.reason) })),
    output_end: mask.output(record.output_end),
  };
}

function maskedRow(table: string, row: Row, mask: SecretMask): Row {
  if (table === "sweep") return maskedSweep(row, mask);
  if (table === "attempt") {
    const reasons = storedJson(row.reasons ?? null, "attempt.reasons") as string[];
    return { ...row, reasons: JSON.stringify(reasons.map((reason) => mask.output(reason))) };
  }
  if (table !== "document") return row;
  const record = storedJson(row.content ?? null, "document.content") as CommandRecord;
  return { ...row, content: JSON.stringify(maskedRecord(record, mask)) };
}

function masking(): Masking {
  const mask = new SecretMask();
  return {
    row: (table, row) => maskedRow(table, row, mask),
    counts: () => mask.counts,
  };
}

export const bundledCommands: BundledSweeps = {
  nouns: ["run", "runs"],
  title: "Commands, timed,",
  noRerun:
    "its commands are programs of another machine, and are not run from a bundle: read its plan.json, and run what you trust of it by `trilane time`",
  planSchema: "command-plan",
  report: commandReport,
  rows: (results, sweep) => [...commandCsvLines(measuredRunsOf(results, sweep))].join(""),
  masking,
};
