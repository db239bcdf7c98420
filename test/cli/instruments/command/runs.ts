// Runs of commands for tests.
import type { CommandRun } from "../../../../cli/instruments/command/metrics/values.ts";

export interface Told {
  readonly subject: string;
  readonly block: number;
  readonly wall_ms: number;
  readonly link?: string | null;
  readonly status?: CommandRun["status"];
  readonly reasons?: readonly string[];
  readonly numbers?: Readonly<Record<string, number | null>>;
}

let id = 0;

/** Numbers of cells, by what they are of. */
const cellIds = new Map<string, number>();

/** A command on a link, as it is stored. */
export function commandCell(subject: string, link: string | null = null) {
  const key = JSON.stringify([subject, link]);
  const known = cellIds.get(key) ?? cellIds.size + 1;
  cellIds.set(key, known);
  return { id: known, subject, link };
}

export function commandRun({
  subject,
  block,
  wall_ms,
  link = null,
  status = "valid",
  reasons = [],
  numbers = {},
}: Told): CommandRun {
  id++;
  return {
    ...{ id, cell: commandCell(subject, link).id, subject, link, block, attempt: 0, position: id, status, reasons },
    ...{ started_at: "2026-11-28T10:00:00.000Z", wall_ms: wall_ms + 10 },
    record: {
      schema: "trilane/command-record/1",
      process: {
        ...{ version: "0.9.0", start_ns: 0, end_ns: Math.round(wall_ms * 1e6), wall_ms, exit_status: 0, signal: null },
        ...{
          timed_out: false,
          user_ms: 1,
          system_ms: 2,
          memory_bytes: 1e6,
          left_behind: 0,
          output_bytes: 3,
          output_cut: false,
        },
      },
      link: link === null ? null : { down_bytes: 1000, up_bytes: 100, down_packets: 2, up_packets: 1, connections: 1 },
      numbers: Object.entries(numbers).map(([name, value]) => ({
        name,
        value,
        reason: value === null ? "missing" : null,
      })),
      output_end: "end",
    },
  };
}
