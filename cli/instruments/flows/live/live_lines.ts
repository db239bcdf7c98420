// A running flow run as a block of lines under the line of progress: a row for each flow with its rate now and over the last looks, its
// window, round-trip time and losses, and below them the bottleneck's queue. Pure; no line is wider than 80 columns.
import { count, formatSize, formatTime } from "../../../base/numbers.ts";
import { formatRate } from "../../../registry/units.ts";
import type { FlowLook, RunLook } from "./looks.ts";

/** More flows are shown together. */
export const mostRows = 8;
/** Looks that a row's bars show. */
export const shownLooks = 14;
const nameWidth = 24;

const eighths = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

function fitted(text: string, width: number): string {
  return text.length <= width ? text.padEnd(width) : `${text.slice(0, width - 1)}…`;
}

/** A bar for each look, up to the greatest rate that any row has. */
function bars(rates: readonly (number | null)[], most_bps: number): string {
  return rates
    .slice(-shownLooks)
    .map((rate_bps) => {
      if (rate_bps === null) return " ";
      const step = most_bps > 0 ? Math.round((rate_bps / most_bps) * (eighths.length - 1)) : 0;
      return eighths[Math.max(0, Math.min(eighths.length - 1, step))];
    })
    .join("")
    .padStart(shownLooks);
}

interface Row {
  readonly name: string;
  readonly rates: readonly (number | null)[];
  readonly last: Omit<FlowLook, "name">;
}

const text = (value: number | null, format: (value: number) => string): string =>
  value === null ? "-" : format(value);

function rowLine({ name, rates, last }: Row, most_bps: number): string {
  return [
    fitted(name, nameWidth),
    text(last.rate_bps, formatRate).padStart(11),
    bars(rates, most_bps),
    text(last.window_bytes, formatSize).padStart(8),
    text(last.rtt_ms, formatTime).padStart(8),
    text(last.lost_packets, String).padStart(7),
  ]
    .join(" ")
    .trimEnd();
}

const heads = `${"flow".padEnd(nameWidth)} ${"rate now".padStart(11)} ${"".padStart(shownLooks)} ${"window".padStart(8)} ${"RTT".padStart(8)} ${"lost".padStart(7)}`;

/** Adds what is known; null: nothing is. */
function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}

function rowsOf(looks: readonly RunLook[], rows: number): Row[] {
  const last = looks.at(-1);
  if (!last) return [];
  const history = (flow: number): (number | null)[] => looks.map(({ flows }) => flows[flow]?.rate_bps ?? null);
  const shown = last.flows.length <= rows ? last.flows.length : rows - 1;
  const single = last.flows
    .slice(0, shown)
    .map((flow, index): Row => ({ name: `${index + 1} ${flow.name}`, rates: history(index), last: flow }));
  if (shown === last.flows.length) return single;
  const together = ({ flows }: RunLook): number | null => sum(flows.slice(shown).map(({ rate_bps }) => rate_bps));
  const rest = {
    ...{ rate_bps: together(last), window_bytes: null, rtt_ms: null },
    lost_packets: sum(last.flows.slice(shown).map(({ lost_packets }) => lost_packets)),
  };
  return [...single, { name: `${last.flows.length - shown} more, together`, rates: looks.map(together), last: rest }];
}

/** `for_ms`: the run's length; `began_ns`: its first sample. `rows`: of flows, as the terminal has room for. */
export function liveLines(
  looks: readonly RunLook[],
  {
    for_ms,
    began_ns,
    rows = mostRows,
  }: { readonly for_ms: number; readonly began_ns: number | null; readonly rows?: number },
): string[] {
  const last = looks.at(-1);
  if (!last || last.at_ns === null || began_ns === null) return [];
  const lines = rowsOf(looks, Math.max(1, rows));
  const most_bps = Math.max(0, ...lines.flatMap(({ rates }) => rates.slice(-shownLooks).map((rate) => rate ?? 0)));
  const { down, up } = last.queue_ms;
  const queue = [down !== null && `${formatTime(down)} down`, up !== null && `${formatTime(up)} up`].filter(
    (part) => part !== false,
  );
  const all = sum(last.flows.map(({ rate_bps }) => rate_bps));
  const at_s = Math.max(0, (last.at_ns - began_ns) / 1e9);
  const footer = [
    `${at_s.toFixed(0)} s of ${(for_ms / 1000).toFixed(0)} s`,
    all !== null && `${count(last.flows.length, "flow")}: ${formatRate(all)}`,
    queue.length > 0 && `queue ${queue.join(", ")}`,
  ].filter((part) => part !== false);
  return [heads.trimEnd(), ...lines.map((line) => rowLine(line, most_bps)), footer.join("   ")];
}
