// `trilane report [SWEEP]`: writes a sweep's report. What a report is stands in cli/report.
import { resolve } from "node:path";
import type { FileWritten } from "../../schemas/generated/file_written.ts";
import { atomicWrite } from "../base/atomic_write.ts";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { flag } from "../base/option.ts";
import type { OptionTable } from "../base/option_table.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { version } from "../base/version.ts";
import { comparedSweep, defineStored, instruments, refuseOthersOptions, reportOfAny } from "../instruments/all.ts";
import { writeReportFile, writeTrendFile } from "../report/report_files.ts";
import { chooseAnySweep, chooseSweep, openNamed } from "../results/export/choose.ts";
import { judgeBudgets, readBudgets } from "../results/gate/budget.ts";
import { budgetLines, defineBudget, refuseExceeded, refuseNotShown } from "../results/gate/budget_outcome.ts";
import type { MetricChoice } from "../results/verdict/compared_metric.ts";
import type { Command, CommonOptions, OptionsOf, Table } from "./command.ts";

type Kinds = OptionTable<CommonOptions & { readonly metric?: MetricChoice | undefined }>;

const kinds = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(instruments.map(({ sweeps }) => sweeps));

const define = (table: Table) =>
  (defineStored(table, "report") as Kinds)
    .with(defineBudget)
    .positional("sweep", {
      describe: `number of a sweep (${kinds}), or a results file such as merged.db (default: the newest)`,
    })
    .option("out", { describe: "the file to write (default: in the data folder's reports/)" })
    .option("methods", flag("print a paragraph for a paper's methods section and the citation instead"))
    .option("trend", { describe: "of all sweeps with this name: medians with intervals over dates and commits" })
    .example("trilane report", "on the newest sweep")
    .example("trilane report 3 --methods", "what a paper has to say about sweep 3")
    .example("trilane report --trend nightly", "how medians changed over the sweeps of that name")
    .example("trilane report 3 --budget budget.json", "exit status 1 if sweep 3 exceeds a budget")
    .example("trilane report merged.db", "on what several machines measured, into merged.html")
    .example("trilane report 3 --out h3.html", "on sweep 3, into a file of your own")
    .example("trilane report 5 --prefixes pfx2as.gz", "on fetches, by autonomous system, too");

type ReportOptions = OptionsOf<typeof define>;

async function printMethods(home: string, { sweep, json, out, metric }: ReportOptions): Promise<void> {
  if (json || out !== undefined) throw new UserError("--methods prints plain text: leave --json and --out away");
  const [{ gatherReport }, { methodsParagraph }] = await Promise.all([
    import("../report/data.ts"),
    import("../report/methods_paragraph.ts"),
  ]);
  const { results: opened, named } = openNamed(sweep, home);
  using results = opened;
  const data = gatherReport(results, chooseSweep(results, named).id, version, metric);
  printLines(methodsParagraph(data).split("\n"));
}

/** `name`: of the sweeps. */
async function writeTrend(home: string, name: string, { sweep, json, out, metric }: ReportOptions): Promise<void> {
  if (sweep !== undefined && /^\d+$/.test(sweep))
    throw new UserError("--trend is of all sweeps of a name: leave the sweep's number out");
  const { trendOf } = await import("../report/trend.ts");
  const { results: opened, file } = openNamed(sweep, home);
  using results = opened;
  const { document, newest, loads } = trendOf(results, name, metric);
  const to = out ?? (file === null ? undefined : `${file.replace(/\.db$/, "")}-trend.html`);
  const path = to === undefined ? await writeTrendFile(home, name, document) : resolve(to);
  if (to !== undefined) await atomicWrite(path, document);
  const written: FileWritten = { schema: "trilane/file-written/1", kind: "trend", sweep: newest, loads, path };
  if (json) printJson(written);
  else printLines([`trend: ${path}`]);
}

export const command: Command<ReportOptions> = {
  usage: "report [sweep]",
  summary: "Write a sweep's report: one HTML file that works offline",
  define,
  run: async (options) => {
    const home = homeFolder(options.home);
    if (options.methods && options.trend !== undefined)
      throw new UserError("--methods and --trend print different things: leave one out");
    if (options.budget !== undefined && (options.methods || options.trend !== undefined))
      throw new UserError("--budget is held against one sweep: leave out --methods and --trend, or the budget");
    const budgets = options.budget === undefined ? [] : readBudgets(options.budget);
    if (options.trend !== undefined) return await writeTrend(home, options.trend, options);
    if (options.methods) return await printMethods(home, options);
    const { results: opened, named, file } = openNamed(options.sweep, home);
    using results = opened;
    const chosen = chooseAnySweep(results, named);
    refuseOthersOptions(chosen, "report", options);
    const compared = budgets.length === 0 ? null : await comparedSweep(results, chosen);
    const judged = compared ? judgeBudgets(budgets, [compared], compared.nouns) : [];
    const document = await reportOfAny(results, chosen.id, options);
    const loads = results.attemptsOf(chosen).length;
    const to = options.out ?? (file === null ? undefined : `${file.replace(/\.db$/, "")}.html`);
    const path = to === undefined ? await writeReportFile(home, chosen, document, options.metric) : resolve(to);
    if (to !== undefined) await atomicWrite(path, document);
    const written: FileWritten = { schema: "trilane/file-written/1", kind: "report", sweep: chosen.id, loads, path };
    if (options.json) printJson(written);
    else printLines([...budgetLines(judged), `report: ${path}`]);
    refuseExceeded(judged);
    refuseNotShown(judged);
  },
};
