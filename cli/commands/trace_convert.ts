// `trilane trace convert IN OUT`: between Mahimahi traces and the tables and logs of rates that people have.
import { resolve } from "node:path";
import type { TraceWritten, WrittenTrace } from "../../schemas/generated/trace_written.ts";
import { atomicWrite } from "../base/atomic_write.ts";
import { UserError } from "../base/errors.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { opportunity_bits, readOpportunities } from "../link/opportunities.ts";
import { detectFormat, formatHelp, type SourceFormat, sourceFormats, spansIn } from "../link/trace/formats.ts";
import { opportunitiesOf, type RateSpan, spansOf } from "../link/trace/spans.ts";
import { writeTrace, writtenLine } from "../link/trace/written.ts";
import { lengthOption } from "../link/trace_quantities.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const targets = ["mahimahi", "csv", "pensieve"] as const;
type Target = (typeof targets)[number];

const define = (table: Table) =>
  table
    .positional("in", { demandOption: true, describe: "the file to read" })
    .positional("out", { demandOption: true, describe: "the file to write" })
    .option("from", { describe: `${sourceFormats.join(", ")} (default: recognised from the file)` })
    .option("to", { describe: `${targets.join(", ")} (default: mahimahi; of a mahimahi trace: csv)` })
    .option("window", { default: "100ms", describe: "interval of the rows made from a mahimahi trace" })
    .option("columns", { describe: "names of the columns, for a CSV without a header" })
    .example("trilane trace convert drive.csv drive.down", "a CSV with the columns time_s and rate_mbps")
    .example("trilane trace convert lte.down lte.csv --window 1s", "a trace's rate, second by second")
    .example("trilane trace convert log.csv t.down --columns time_ms,signal,rate_kbps", "a CSV without a header")
    .epilogue(
      `What is read:\n${sourceFormats.map((name) => `  ${name.padEnd(10)} ${formatHelp[name]}`).join("\n")}\n` +
        "Units in a header: us, ms, s, min; bps, kbps, mbps, gbps, also as (Mbit/s).",
    );

type ConvertOptions = OptionsOf<typeof define>;

function choose<Name extends string>(option: string, text: string, known: readonly Name[]): Name {
  const found = known.find((name) => name === text);
  if (found === undefined) throw new UserError(`trace: ${option} must be one of ${known.join(", ")} (got "${text}")`);
  return found;
}

/** A table's lines; a rate holds from its time (csv) or up to it (pensieve). */
function* tableLines(
  spans: Iterable<RateSpan>,
  target: Exclude<Target, "mahimahi">,
): Generator<string, void, undefined> {
  const seconds = (time_ms: number): string => String(Number((time_ms / 1000).toFixed(6)));
  const mbit = (rate_bps: number): string => String(Number((rate_bps / 1e6).toPrecision(12)));
  if (target === "csv") yield "time_s,rate_mbps\n";
  let lines: string[] = [];
  let first: RateSpan | null = null;
  for (const span of spans) {
    if (first === null && target === "pensieve") lines.push(`0 ${mbit(span.rate_bps)}\n`);
    first ??= span;
    lines.push(
      target === "csv"
        ? `${seconds(span.start_ms)},${mbit(span.rate_bps)}\n`
        : `${seconds(span.end_ms)} ${mbit(span.rate_bps)}\n`,
    );
    if (lines.length < 4096) continue;
    yield lines.join("");
    lines = [];
  }
  yield lines.join("");
}

async function writeTable(
  path: string,
  spans: Iterable<RateSpan>,
  target: Exclude<Target, "mahimahi">,
): Promise<WrittenTrace> {
  let bits = 0;
  let end_ms = 0;
  function* summed(): Generator<RateSpan, void, undefined> {
    for (const span of spans) {
      bits += (span.rate_bps * (span.end_ms - span.start_ms)) / 1000;
      end_ms = span.end_ms;
      yield span;
    }
  }
  const absolute = resolve(path);
  await atomicWrite(absolute, tableLines(summed(), target));
  const opportunities = Math.max(1, Math.round(bits / opportunity_bits));
  return {
    path: absolute,
    opportunities,
    length_ms: Math.max(1, Math.round(end_ms)),
    mean_bps: (bits * 1000) / end_ms,
  };
}

async function convert(options: ConvertOptions, from: SourceFormat, to: Target): Promise<WrittenTrace> {
  const { in: source, out, columns, window } = options;
  if (resolve(source) === resolve(out))
    throw new UserError(`trace: ${out} is what is read: name another file to write`);
  if (columns !== undefined && from !== "csv")
    throw new UserError(`trace: --columns is for csv (${source} is ${from})`);
  if (from !== "mahimahi") {
    const spans = spansIn(source, from, columns);
    return to === "mahimahi" ? writeTrace(out, opportunitiesOf(spans)) : writeTable(out, spans, to);
  }
  const times = readOpportunities(source);
  if (to === "mahimahi") return writeTrace(out, times);
  const window_ms = lengthOption("--window", window);
  if (window_ms < 1) throw new UserError(`trace: --window must be at least 1ms (got "${window}")`);
  return writeTable(out, spansOf(times, window_ms), to);
}

export const command: Command<ConvertOptions> = {
  usage: "convert <in> <out>",
  summary: "Convert between Mahimahi traces and tables or logs of rates",
  define,
  run: async (options) => {
    const from = options.from === undefined ? detectFormat(options.in) : choose("--from", options.from, sourceFormats);
    const to =
      options.to === undefined ? (from === "mahimahi" ? "csv" : "mahimahi") : choose("--to", options.to, targets);
    const file = await convert(options, from, to);
    const written: TraceWritten = { schema: "trilane/trace-written/1", from, seed: null, files: [file] };
    if (options.json) printJson(written);
    else printLines([`${from} to ${to}: ${writtenLine(file)}`]);
  },
};
