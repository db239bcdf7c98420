// `trilane report [SWEEP]`: writes a sweep's report. What a report is stands in cli/report.
import { resolve } from "node:path";
import type { FileWritten } from "../../schemas/generated/file_written.ts";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { version } from "../base/version.ts";
import { definePrefixes, type PrefixOptions, systemsOf } from "../instruments/fetch/prefixes/option.ts";
import { chooseAnySweep, chooseSweep, openNamed } from "../results/export/choose.ts";
import type { AnySweep, Results } from "../results/store/results.ts";
import { defineStoredMetric, type MetricOptions } from "../sweep/plan/metric_option.ts";
import type { Command, CommonOptions } from "./command.ts";

interface ReportOptions extends CommonOptions, MetricOptions, PrefixOptions {
  sweep: string | undefined;
  out: string | undefined;
  methods: boolean;
}

async function printMethods(home: string, { sweep, json, out, metric }: ReportOptions): Promise<void> {
  if (json || out !== undefined) throw new UserError("--methods prints plain text: leave --json and --out away");
  const [{ gatherReport }, { methodsParagraph }] = await Promise.all([
    import("../report/data.ts"),
    import("../report/methods_paragraph.ts"),
  ]);
  const { results, asked } = openNamed(sweep, home);
  try {
    const data = gatherReport(results, chooseSweep(results, asked).id, version, metric);
    printLines(methodsParagraph(data).split("\n"));
  } finally {
    results.close();
  }
}

function attemptsOf(results: Results, { kind, id }: AnySweep): number {
  if (kind === "flows") return results.flowRunsOf(id).length;
  return kind === "fetches" ? results.fetchesOf(id).length : results.loadsOf(id).length;
}

export const command: Command<ReportOptions> = {
  usage: "report [sweep]",
  summary: "Write a sweep's report: one HTML file that works offline",
  define: (table) =>
    definePrefixes(defineStoredMetric(table))
      .positional("sweep", {
        type: "string",
        describe:
          "number of a sweep (pages, flows or fetches), or a results file such as merged.db (default: the newest)",
      })
      .option("out", { type: "string", describe: "the file to write (default: in the data folder's reports/)" })
      .option("methods", {
        type: "boolean",
        default: false,
        describe: "print a paragraph for a paper's methods section and the citation instead",
      })
      .example("trilane report", "on the newest sweep")
      .example("trilane report 3 --methods", "what a paper has to say about sweep 3")
      .example("trilane report merged.db", "on what several machines measured, into merged.html")
      .example("trilane report 3 --out h3.html", "on sweep 3, into a file of your own")
      .example("trilane report 5 --prefixes pfx2as.gz", "on fetches, by autonomous system, too"),
  run: async (options) => {
    const home = homeFolder(options.home);
    if (options.methods) return await printMethods(home, options);
    const { results, asked, file } = openNamed(options.sweep, home);
    let sweep: number;
    let loads: number;
    let path: string;
    try {
      const chosen = chooseAnySweep(results, asked);
      if (chosen.kind !== "pages" && options.metric !== undefined)
        throw new UserError(
          `sweep ${chosen.id} is of ${chosen.kind}: --metric chooses among times of pages, leave it out`,
        );
      const systems = systemsOf(options);
      if (systems && chosen.kind !== "fetches")
        throw new UserError(`sweep ${chosen.id} is of ${chosen.kind}: --prefixes is for fetches, leave it out`);
      sweep = chosen.id;
      loads = attemptsOf(results, chosen);
      // Loaded when needed: the other commands do not pay for the figures.
      const { writeReport, writeReportOf } = await import("../report/report.ts");
      const to = options.out ?? (file === null ? undefined : `${file.replace(/\.db$/, "")}.html`);
      path = to === undefined ? await writeReport(home, sweep, undefined, options.metric, systems) : resolve(to);
      if (to !== undefined) await writeReportOf(results, sweep, path, options.metric, systems);
    } finally {
      results.close();
    }
    const written: FileWritten = { schema: "trilane/file-written/1", kind: "report", sweep, loads, path };
    if (options.json) printJson(written);
    else printLines([`report: ${path}`]);
  },
};
