// `trilane selftest`: does the link keep its settings on this machine? Measured through real labs over a table of
// links, each quantity with its tolerance. Exit status 1 where one is out.

import { readFileSync } from "node:fs";
import { cpus, release } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Selftest, SelftestLink } from "../../schemas/generated/selftest.ts";
import { RunError } from "../base/errors.ts";
import { count } from "../base/numbers.ts";
import { flag } from "../base/option.ts";
import { printJson, printLines, terminalText } from "../base/terminal_text.ts";
import { version } from "../base/version.ts";
import { formatLink } from "../link/link.ts";
import { readLinks } from "../link/profile_file.ts";
import { linkLines } from "../load/selftest/link_table.ts";
import { quick, thorough } from "../load/selftest/phases.ts";
import { faultOf, testLink } from "../load/selftest/test_link.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

/** Measured if none is named: rates from slow to fast, delays, and what else a link may do, one thing at a time. */
const selftestLinks: readonly string[] = [
  "200kbit/100ms",
  "1mbit/0ms",
  "3mbit/50ms",
  "10mbit/50ms",
  "down=20mbit,up=2mbit,delay_down=10ms,delay_up=30ms,queue=64kB",
  "100mbit/20ms",
  "1gbit/10ms",
  "unlimited/50ms",
  "10mbit/50ms,loss=2%",
  "10mbit/50ms,loss=ge:1%:25%",
  "10mbit/50ms,jitter=5ms",
  "10mbit/50ms,jitter=normal:2ms",
  "10mbit/50ms,jitter=pareto:2ms",
  "10mbit/50ms,duplicate=2%",
  "10mbit/50ms,reorder=2%:3",
  "10mbit/50ms,queue=50ms",
  "10mbit/50ms,aqm=codel",
];

/** From the first line of /proc/stat: user nice system idle iowait irq softirq steal, in ticks; null where there is none. */
function cpuTime(): { idle: number; total: number } | null {
  try {
    const fields = (readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "")
      .trim()
      .split(/\s+/)
      .slice(1, 9)
      .map(Number);
    return { idle: (fields[3] ?? 0) + (fields[4] ?? 0), total: fields.reduce((sum, ticks) => sum + ticks, 0) };
  } catch {
    return null;
  }
}

/** How much of the CPUs' time nothing used from now on: on a busy machine a self-test says more of the machine than of the link. */
async function idleShare(time_ms = 1000): Promise<number | null> {
  const before = cpuTime();
  await delay(time_ms);
  const after = cpuTime();
  if (!before || !after || after.total <= before.total) return null;
  return Number(((after.idle - before.idle) / (after.total - before.total)).toFixed(3));
}

const define = (table: Table) =>
  table
    .positional("links", {
      array: true,
      describe: "links, or JSON link profiles (default: a table of everything a link can do)",
    })
    .option("quick", flag("a second or two per link, as before each sweep"))
    .example("trilane selftest", "the whole table")
    .example("trilane selftest 3mbit/50ms,loss=1% --quick", "one link")
    .example("trilane selftest --json", "schemas/selftest.schema.json")
    .epilogue(
      "rate: while the link was busy. delay: median one-way time of small packets, transmission included.\n" +
        "lateness: how much longer the 99th percentile took. queue: capacity in packets of 1500 bytes. The tolerance of a\n" +
        "share is the 99.9 % interval for that many packets. A link out of tolerance is measured up to three times.",
    );

type SelftestOptions = OptionsOf<typeof define>;

/** A line that is written over, where somebody may be looking. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${terminalText(text)}`);
}

function painted(lines: readonly string[]): string[] {
  if (process.stdout.isTTY !== true || process.env.NO_COLOR) return [...lines];
  return lines.map((line, index) =>
    index === 0 ? `\x1b[1m${line}\x1b[0m` : line.endsWith("  OUT") ? `\x1b[33m${line}\x1b[0m` : line,
  );
}

export const command: Command<SelftestOptions> = {
  usage: "selftest [links..]",
  summary: "Measure links on this machine against their settings",
  define,
  run: async (options) => {
    const forms = options.links.length > 0 ? options.links : selftestLinks;
    const profiles = readLinks(forms, process.cwd());
    const idle_share = await idleShare();
    const links: SelftestLink[] = [];
    for (const [index, profile] of profiles.entries()) {
      progress(`link ${index + 1} of ${profiles.length}: ${formatLink(profile)}`);
      const tested = await testLink(profile, options.quick ? quick : thorough);
      links.push(tested);
      progress("");
      if (!options.json) process.stdout.write(`${painted(linkLines(tested).map(terminalText)).join("\n")}\n`);
    }
    const out = links.filter((link) => faultOf(link) !== null);
    const [cpu] = cpus();
    const document: Selftest = {
      schema: "trilane/selftest/1",
      version,
      machine: { cpu: cpu?.model.trim() || "unknown", cpus: Math.max(1, cpus().length), kernel: release() },
      idle_share,
      outcome: out.length > 0 ? "out" : "within",
      links: links as Selftest["links"],
    };
    if (options.json) printJson(document);
    if (out.length > 0)
      throw new RunError(`selftest: ${out.length} of ${count(links.length, "link")} out of tolerance`);
    if (!options.json) printLines([`${count(links.length, "link")} within tolerance`]);
  },
};
