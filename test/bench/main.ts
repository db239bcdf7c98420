// `npm run bench -- NAME [--json]`: runs one benchmark, prints its values beside their bars. Exit status 1 when a bar is missed.
import { parseArgs } from "node:util";
import { alignTable } from "../../cli/stats/verdict.ts";
import { type Bench, type BenchResult, runBench } from "./bench.ts";

const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  lab: async () => (await import("./lab.ts")).bench,
};

function passes({ median, bar }: BenchResult["measurements"][number]): boolean {
  return bar === null || median <= bar;
}

function lines(result: BenchResult): string[] {
  const table = [
    ["measured", "n", "min", "median", "p90", "max", "bar", ""],
    ...result.measurements.map((value) => [
      value.name,
      String(value.n),
      ...[value.min, value.median, value.p90, value.max].map((time_ms) => time_ms.toFixed(1)),
      value.bar === null ? "" : `<= ${value.bar}`,
      value.bar === null ? "" : passes(value) ? "met" : "MISSED",
    ]),
  ];
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  return [
    ...alignTable(table),
    `ms; CPUs idle ${percent(result.idle_share_before)} before, ${percent(result.idle_share)} during the run of ${result.wall_s} s`,
  ];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false } },
});
const [name = ""] = positionals;
const load = benches[name];
if (!load) {
  console.error(`bench: no benchmark ${JSON.stringify(name)}: use ${Object.keys(benches).join(", ")}`);
  process.exitCode = 2;
} else {
  const result = await runBench(name, await load(), (line) => console.error(`bench: ${line}`));
  console.log(values.json ? JSON.stringify(result) : lines(result).join("\n"));
  if (!result.measurements.every(passes)) process.exitCode = 1;
}
