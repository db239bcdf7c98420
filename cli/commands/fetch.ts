// `trilane fetch URL|FILE...`: objects over lanes without a browser. What is fetched, how, and what comes of it stands in cli/instruments/fetch; here is
// only the command line.

import { homeFolder } from "../base/home.ts";
import { say } from "../base/terminal_text.ts";
import { execute } from "../engine/execute.ts";
import { describeFetches, fetchPlanLines } from "../instruments/fetch/plan/describe.ts";
import { defineFetchOptions } from "../instruments/fetch/plan/options.ts";
import { readyFetchPlan, unstoredFetchPlan } from "../instruments/fetch/plan/page.ts";
import { definePrefixes, systemsOf } from "../instruments/fetch/prefixes/option.ts";
import { fetchInstrument } from "../instruments/fetch/run/instrument.ts";
import { metricHelp } from "../registry/metric_help.ts";
import type { ReportOf } from "../report/report_files.ts";
import { type Command, essentials, type OptionsOf, type Table } from "./command.ts";
import { printPlanned, runOptions, runTerms } from "./run_options.ts";

const define = (table: Table) =>
  table
    .with(defineFetchOptions)
    .with(definePrefixes)
    .with(runOptions("what would be fetched", "fetch's captures, qlogs, TCP states and reports"))
    .positional("object", {
      array: true,
      describe: "URLs (https://), files of URLs, one a line, or HARs (-: standard input); or a plan (JSON)",
    })
    .group(["lanes", "tls", "ip", "runs", "link", "page", "connect", "dry-run", "new"], essentials)
    .example("trilane fetch https://shop.example/", "the page's document over h1, h2 and h3, nine times each")
    .example(
      "trilane fetch urls.txt --lanes h2,h3,h3-0rtt --ip 4,6 --runs 3",
      "each object in a file, over both versions of IP",
    )
    .example(
      "trilane fetch --link 20mbit/80ms --page object-1MB --lanes all --tls 1.2,1.3",
      "through a lab, with all handshakes",
    )
    .example(
      "trilane fetch --link 200mbit/20ms --page object-20MB --runs 7 --syscalls 3",
      "what each lane costs both ends: CPU time, and system calls in fetches of their own",
    )
    .example("trilane fetch urls.txt --prefixes pfx2as.gz", "with a report by autonomous system, too")
    .example("trilane fetch page.har --dry-run", "what the objects of a HAR would take")
    .example("trilane fetch --connect '[::1]:8443' --insecure https://shop.example/1MB", "a server by its address")
    .epilogue(
      [
        "Each fetch uses a connection of its own and leaves one row. If it fails, the row says where and why; it is not tried again. In the verdict, a lane connects until the request can be sent (established_ms).",
        "Fetches are polite: one at a time, with a pause between two from one host, and a user agent that names the program.",
        "",
        metricHelp("What is measured. Times run from the start of the connection; dns_ms is before it.", {
          fetch: "",
        }),
      ].join("\n"),
    );

type FetchCommandOptions = OptionsOf<typeof define>;

export const command: Command<FetchCommandOptions> = {
  usage: "fetch [object..]",
  summary: "Fetch objects over h1, h2 and h3 without a browser, and see what each connection costs",
  define,
  run: async (options, { pageSource }) => {
    const home = homeFolder(options.home);
    const terms = runTerms(home, options);
    const systems = systemsOf(options);
    // The house's report knows nothing of the systems.
    const report: ReportOf = async (results, sweep) =>
      (await import("../instruments/fetch/report/fetch_report.ts")).fetchReport(results, sweep, systems);
    const source = await pageSource();
    if (options["dry-run"]) {
      const fetches = await unstoredFetchPlan(home, source, options, (line) => options.json || say(line));
      const planned = describeFetches(fetches);
      return printPlanned(options.json, planned, fetchPlanLines(fetches.plan, planned));
    }
    const ready = await readyFetchPlan(home, source, options, say);
    const execution = { ...terms, source, report, ...ready };
    await execute(execution, fetchInstrument(execution));
  },
};
