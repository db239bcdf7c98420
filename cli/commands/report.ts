// `trilane report [SWEEP]`: writes a sweep's report. What a report is stands in cli/report.
import { resolve } from "node:path";
import type { Argv } from "yargs";
import type { FileWritten } from "../../schemas/generated/file_written.ts";
import { UserError } from "../errors.ts";
import { chooseSweep, resultsOf } from "../export/choose.ts";
import { homeFolder } from "../home.ts";
import { version } from "../version.ts";
import type { Command, CommonOptions } from "./command.ts";

interface ReportOptions extends CommonOptions {
  sweep: string | undefined;
  out: string | undefined;
  methods: boolean;
}

async function printMethods(home: string, { sweep, json, out }: ReportOptions): Promise<void> {
  if (json || out !== undefined) throw new UserError("--methods prints plain text: leave --json and --out away");
  const [{ gatherReport }, { methodsParagraph }] = await Promise.all([
    import("../report/data.ts"),
    import("../report/methods_paragraph.ts"),
  ]);
  const results = resultsOf(home);
  try {
    const data = gatherReport(results, chooseSweep(results, sweep).id, version);
    process.stdout.write(`${methodsParagraph(data)}\n`);
  } finally {
    results.close();
  }
}

export const command: Command<ReportOptions> = {
  usage: "report [sweep]",
  summary: "Write a sweep's report: one HTML file that works offline",
  define: (yargs: Argv<CommonOptions>) =>
    yargs
      .positional("sweep", { type: "string", describe: "number of the sweep (default: the newest)" })
      .option("out", { type: "string", describe: "the file to write (default: in the data folder's reports/)" })
      .option("methods", {
        type: "boolean",
        default: false,
        describe: "print the paragraph for a paper's methods section instead, and the sentence to cite",
      })
      .example("trilane report", "on the newest sweep")
      .example("trilane report 3 --methods", "what a paper has to say about sweep 3")
      .example("trilane report 3 --out h3.html", "on sweep 3, into a file of your own"),
  run: async (options) => {
    const home = homeFolder(options.home);
    if (options.methods) return await printMethods(home, options);
    const results = resultsOf(home);
    let sweep: number;
    let loads: number;
    try {
      sweep = chooseSweep(results, options.sweep).id;
      loads = results.loadsOf(sweep).length;
    } finally {
      results.close();
    }
    // Loaded when needed: the other commands do not pay for the figures.
    const { writeReport } = await import("../report/report.ts");
    const path = await writeReport(home, sweep, options.out === undefined ? undefined : resolve(options.out));
    const written: FileWritten = { schema: "trilane/file-written/1", kind: "report", sweep, loads, path };
    process.stdout.write(options.json ? `${JSON.stringify(written)}\n` : `report: ${path}\n`);
  },
};
