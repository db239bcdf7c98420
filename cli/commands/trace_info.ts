// `trilane trace info FILE...`: what Mahimahi traces offer, in numbers and drawn in the terminal. Reads only.

import type { TraceInfo } from "../../schemas/generated/trace_info.ts";
import { UserError } from "../base/errors.ts";
import { printJson, terminalText } from "../base/terminal_text.ts";
import { textTable } from "../base/text_table.ts";
import { readOpportunities } from "../link/opportunities.ts";
import { chartLines } from "../link/trace/chart.ts";
import { factsOf, outagesOf, type TraceFacts } from "../link/trace/facts.ts";
import { formatLength, lengthOption } from "../link/trace_quantities.ts";
import { formatRate } from "../registry/units.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .positional("files", { array: true, demandOption: true, describe: "Mahimahi traces" })
    .option("window", { default: "1s", describe: "the time over which a rate is taken" })
    .option("outage", { default: "1s", describe: "a time without an opportunity counts from this length on" })
    .example("trilane trace info lte.down lte.up", "two traces")
    .example("trilane trace info lte.down --window 100ms --json", "schemas/trace-info.schema.json");

type InfoOptions = OptionsOf<typeof define>;

const width = 80;
const chartRows = 10;
const mostWindows = 20_000_000;

const inMbit = (rate_bps: number): string => String(Number((rate_bps / 1e6).toPrecision(3)));

function rateTable({ rate }: TraceFacts): string[] {
  const { min_bps, p5_bps, p25_bps, median_bps, p75_bps, p95_bps, max_bps } = rate;
  return textTable([
    [`Mbit/s over ${formatLength(rate.window_ms)}`, "min", "p5", "p25", "median", "p75", "p95", "max", "variation"],
    [
      `${rate.windows} windows`,
      ...[min_bps, p5_bps, p25_bps, median_bps, p75_bps, p95_bps, max_bps].map(inMbit),
      rate.variation.toFixed(2),
    ],
  ]);
}

function outageLine({ outages, length_ms, longest_gap_ms }: TraceFacts): string {
  const { at_least_ms, count, total_ms, longest } = outages;
  const floor = formatLength(at_least_ms);
  if (longest === null)
    return `no outage of ${floor} or more; longest time between opportunities ${formatLength(longest_gap_ms)}`;
  const share = ((total_ms / length_ms) * 100).toPrecision(2);
  const most = `the longest ${formatLength(longest.length_ms)} at ${formatLength(longest.start_ms)}`;
  return `× ${count === 1 ? "1 outage" : `${count} outages`} of ${floor} or more, ${formatLength(total_ms)} (${Number(share)} %), ${most}`;
}

function describe(path: string, times: Uint32Array, facts: TraceFacts, colour: boolean): string[] {
  const { rate, outages } = facts;
  const size = `${facts.opportunities} opportunities in ${formatLength(facts.length_ms)}, mean ${formatRate(facts.mean_bps)}`;
  const bold = (text: string): string => (colour ? `\x1b[1m${text}\x1b[0m` : text);
  const chart = chartLines(times, outagesOf(times, outages.at_least_ms), {
    columns: width,
    rows: chartRows,
    colour,
    window_ms: rate.window_ms,
  });
  return [
    ...(path.length + size.length + 2 > width ? [bold(path), size] : [`${bold(path)}: ${size}`]),
    "",
    "Mbit/s",
    ...chart,
    "",
    ...rateTable(facts),
    outageLine(facts),
  ];
}

export const command: Command<InfoOptions> = {
  usage: "info <files..>",
  summary: "Mean, percentiles and outages of Mahimahi traces, and their rate drawn",
  define,
  run: async ({ files, window, outage, json }) => {
    const [window_ms, outage_ms] = [lengthOption("--window", window), lengthOption("--outage", outage)];
    if (window_ms < 1) throw new UserError(`trace: --window must be at least 1ms (got "${window}")`);
    if (outage_ms < 1) throw new UserError(`trace: --outage must be at least 1ms (got "${outage}")`);
    const document: TraceInfo = { schema: "trilane/trace-info/1", traces: [] as unknown as TraceInfo["traces"] };
    const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
    const texts: string[] = [];
    for (const path of files) {
      const times = readOpportunities(path);
      if ((times.at(-1) ?? 0) / window_ms > mostWindows)
        throw new UserError(`trace: --window "${window}" makes too many windows of ${path}: raise it`);
      const facts = factsOf(times, { window_ms, outage_ms });
      document.traces.push({ path, ...facts, outages: { ...facts.outages, first: [...facts.outages.first] } });
      if (!json) texts.push(`${describe(terminalText(path), times, facts, colour).join("\n")}\n`);
    }
    if (json) printJson(document);
    // Painted.
    else process.stdout.write(texts.join("\n"));
  },
};
