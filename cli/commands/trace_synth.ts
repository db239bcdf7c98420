// `trilane trace synth`: cellular-like traces from the stochastic model of cli/link/trace/model.ts.
import type { TraceWritten, WrittenTrace } from "../../schemas/generated/trace_written.ts";
import { UserError } from "../base/errors.ts";
import { number } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { type CellularModel, drawTrace } from "../link/trace/model.ts";
import { directionSeeds, presets } from "../link/trace/networks.ts";
import { writeTrace, writtenLine } from "../link/trace/written.ts";
import { lengthOption, rateOption } from "../link/trace_quantities.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .positional("preset", { describe: "a network: OUT.down and OUT.up are written" })
    .option("out", { describe: "the file to write; with a preset, the start of both names" })
    .option("length", { default: "2min", describe: "60s, 5min, 1h" })
    .option(
      "seed",
      number(
        { least: 0, most: 2 ** 32 - 1, whole: true },
        { default: 1, describe: "the same seed gives the same trace" },
      ),
    )
    .option("mean", { describe: "mean rate without a preset; the trace has exactly this mean" })
    .option("spread", number({ least: 0, most: 10 }, { describe: "standard deviation of the rate over its mean" }))
    .option("memory", { describe: "time after which the rate's autocorrelation has fallen to 1/e" })
    .option("outage-every", { describe: "mean time between outages, or never" })
    .option("outage-length", { describe: "mean length of an outage" })
    .example("trilane trace synth verizon-lte --out lte", "lte.down (19.1 Mbit/s) and lte.up (9.1)")
    .example("trilane trace synth --mean 3mbit --spread 0.8 --length 10min --out slow.down", "one trace")
    .epilogue(
      `Presets:\n${presets.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}\n`).join("")}` +
        "The rate is a mean-reverting random walk (log-normal, exponential memory) with outages that come and last\n" +
        "for exponentially distributed times; opportunities of 1500 bytes are a Poisson process of that rate. Without\n" +
        `a preset: spread ${plainModel.spread}, memory 5s, an outage of 1s every 2min.`,
    );

type SynthOptions = OptionsOf<typeof define>;

const presetNames = presets.map(({ name }) => name).join(", ");

/** The settings of a trace without a preset. */
const plainModel = { spread: 0.5, memory_ms: 5_000, outageEvery_ms: 120_000, outageLength_ms: 1_000 };

/** A model with what the command line sets in its place. */
function changed(model: CellularModel, options: SynthOptions): CellularModel {
  const { spread, memory, "outage-every": every, "outage-length": length } = options;
  const memory_ms = memory === undefined ? model.memory_ms : lengthOption("--memory", memory);
  if (memory_ms < 1) throw new UserError(`trace: --memory must be at least 1ms (got "${memory}")`);
  const none = every === "never";
  return {
    ...model,
    spread: spread ?? model.spread,
    memory_ms,
    outageEvery_ms: none ? null : every === undefined ? model.outageEvery_ms : positive("--outage-every", every),
    outageLength_ms: length === undefined ? model.outageLength_ms : positive("--outage-length", length),
  };
}

function positive(option: string, text: string): number {
  const length_ms = lengthOption(option, text);
  if (length_ms <= 0) throw new UserError(`trace: ${option} must be above 0 (got "${text}")`);
  return length_ms;
}

interface Wanted {
  readonly path: string;
  readonly model: CellularModel;
  readonly seed: number;
}

function wantedTraces(options: SynthOptions, out: string): Wanted[] {
  const { preset: name, mean, seed } = options;
  if (name === undefined) {
    if (mean === undefined) throw new UserError(`trace: name a preset (${presetNames}) or give --mean RATE`);
    return [{ path: out, model: changed({ mean_bps: rateOption("--mean", mean), ...plainModel }, options), seed }];
  }
  const preset = presets.find((each) => each.name === name);
  if (!preset) throw new UserError(`trace: no preset ${JSON.stringify(name)}: there are ${presetNames}`);
  if (mean !== undefined) throw new UserError("trace: a preset has its means: leave out --mean, or the preset");
  const seeds = directionSeeds(seed);
  return [
    { path: `${out}.down`, model: changed(preset.down, options), seed: seeds.down },
    { path: `${out}.up`, model: changed(preset.up, options), seed: seeds.up },
  ];
}

export const command: Command<SynthOptions> = {
  usage: "synth [preset]",
  summary: "Make cellular-like traces from a stochastic model",
  define,
  run: async (options) => {
    const { out, seed, preset } = options;
    if (!out) throw new UserError("trace: --out FILE is missing: name the file to write");
    const length_ms = Math.round(lengthOption("--length", options.length));
    const files: WrittenTrace[] = [];
    for (const wanted of wantedTraces(options, out))
      files.push(await writeTrace(wanted.path, drawTrace(wanted.model, length_ms, wanted.seed)));
    const [first, ...rest] = files as [WrittenTrace, ...WrittenTrace[]];
    const written: TraceWritten = {
      schema: "trilane/trace-written/1",
      from: preset ?? "model",
      seed,
      files: [first, ...rest],
    };
    if (options.json) printJson(written);
    else printLines(files.map(writtenLine));
  },
};
