// `npm run bench -- NAME [PART] [--runs N] [--link LINK] [--json]`: runs one benchmark, prints its values beside their bars.
// Exit status 1 when a bar is missed. `fresh` has rows of its own, and is a program of its own (test/fresh).
import { parseArgs } from "node:util";
import { UserError } from "../../cli/base/errors.ts";
import { textTable } from "../../cli/base/text_table.ts";
import { type Bench, type BenchResult, type Measurement, runBench } from "./bench.ts";

/** Those in the browser need its types, which programs of Node must not see: test/extension/tsconfig.json has them. */
async function extensionBench(file: `./extension_${string}.ts`): Promise<Bench> {
  return ((await import(file)) as { bench: Bench }).bench;
}

const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  adaptive: async () => (await import("./adaptive.ts")).bench,
  applications: async () => (await import("./applications_fidelity.ts")).bench,
  busy: async () => (await import("./busy.ts")).bench,
  browsertime: async () => (await import("./browsertime.ts")).bench,
  capture: async () => (await import("./extension_capture.ts")).bench,
  commands: async () => (await import("./commands.ts")).bench,
  controllers: async () => (await import("./controllers.ts")).bench,
  coverage: async () => (await import("./coverage.ts")).bench,
  disturbed: async () => (await import("./disturbed.ts")).bench,
  engines: async () => (await import("./engines.ts")).bench,
  fetch: async () => (await import("./fetch.ts")).bench,
  fidelity: async () => (await import("./fidelity.ts")).bench,
  "flow-theory": async () => (await import("./flow_theory.ts")).bench,
  flows: async () => (await import("./flows.ts")).bench,
  fuzz: async () => (await import("./fuzz.ts")).bench,
  "hostile-files": async () => (await import("./hostile_files.ts")).bench,
  house: async () => (await import("./house.ts")).bench,
  host: async () => (await import("./host.ts")).bench,
  instruments: async () => (await import("./instruments.ts")).bench,
  kills: async () => (await import("./kills.ts")).bench,
  lab: async () => (await import("./lab.ts")).bench,
  matching: async () => (await import("./matching.ts")).bench,
  model: async () => (await import("./model.ts")).bench,
  moves: async () => (await import("./moves.ts")).bench,
  packages: async () => (await import("./packages.ts")).bench,
  playwright: async () => (await import("./playwright.ts")).bench,
  overhead: async () => (await import("./extension_overhead.ts")).bench,
  pages: async () => (await import("./pages.ts")).bench,
  replay: async () => (await import("./replay.ts")).bench,
  report: async () => (await import("./report.ts")).bench,
  reproducibility: async () => (await import("./reproducibility.ts")).bench,
  servers: async () => (await import("./servers.ts")).bench,
  shaper: async () => (await import("./shaper.ts")).bench,
  soak: async () => (await import("./soak.ts")).bench,
  starts: async () => (await import("./starts.ts")).bench,
  sweep: async () => (await import("./sweep.ts")).bench,
  video: async () => (await import("./video.ts")).bench,
  views: () => extensionBench("./extension_views.ts"),
};

/** Options of `busy` alone; of `soak` and `fuzz`. */
const ofOne = {
  pages: { type: "string" },
  links: { type: "string" },
  truth: { type: "string" },
  "truth-runs": { type: "string" },
  user: { type: "boolean" },
  hours: { type: "string" },
} as const;

const usage = "npm run bench -- NAME [WORD...] [--only PART] [--runs N] [--link LINK] [--json]";

function passes({ median, bar, bar_is }: Measurement): boolean {
  return bar === null || (bar_is === "at most" ? median <= bar : median >= bar);
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Three significant digits, and no more than thousandths; counts as they are. */
function plain(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const magnitude = Math.abs(value) < 1 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.max(0, Math.min(3, 3 - magnitude)));
}

function lines(result: BenchResult): string[] {
  const table = [
    ["measured", "unit", "n", "min", "median", "p90", "max", "bar", "", "CPUs idle"],
    ...result.measurements.map((value) => [
      value.name,
      value.unit,
      String(value.n),
      ...[value.min, value.median, value.p90, value.max].map(plain),
      value.bar === null ? "" : `${value.bar_is === "at most" ? "<=" : ">="} ${value.bar}`,
      value.bar === null ? "" : passes(value) ? "met" : "MISSED",
      value.idle_share === undefined ? "" : percent(value.idle_share),
    ]),
  ];
  return [
    ...textTable(table),
    `CPUs idle ${percent(result.idle_share_before)} before, ${percent(result.idle_share)} during the run of ${result.wall_s} s`,
  ];
}

function words() {
  const options = {
    help: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    runs: { type: "string" },
    link: { type: "string" },
    ...ofOne,
  } as const;
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    throw new UserError(`${(error as Error).message.split(/\.\s/)[0]}: use ${usage}`);
  }
}

async function main(): Promise<void> {
  try {
    const { values, positionals } = words();
    const [name = "", ...paths] = positionals;
    const runs = values.runs === undefined ? null : Number(values.runs);
    const load = benches[name];
    if (values.help) {
      console.log(
        `${usage}\nNAME is one of ${[...Object.keys(benches), "fresh"].join(", ")}; test/bench says of each what it measures.`,
      );
      return;
    }
    if (!load)
      throw new UserError(`no benchmark ${JSON.stringify(name)}: use ${[...Object.keys(benches), "fresh"].join(", ")}`);
    if (runs !== null && !(Number.isInteger(runs) && runs > 0))
      throw new UserError(`--runs ${values.runs}: name a whole number from 1`);
    const more = Object.fromEntries(
      Object.keys(ofOne).flatMap((key) => {
        const value = values[key as keyof typeof ofOne];
        return value === undefined ? [] : [[key, String(value)]];
      }),
    );
    const options = { paths, only: values.only, runs, link: values.link ?? null, more };
    const result = await runBench(name, await load(), (line) => console.error(`bench: ${line}`), options);
    console.log(values.json ? JSON.stringify(result) : lines(result).join("\n"));
    if (!result.measurements.every(passes)) process.exitCode = 1;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(`bench: ${error.message}`);
    process.exitCode = 2;
  }
}

if (process.argv[2] === "fresh") await import("../fresh/main.ts");
else await main();
