// How exact and how cheap the link is, through real labs on this machine, against the product's bars. Round trips have the
// machine's own path (the same probe over loopback, measured before and after) taken off. As root everything is measured
// twice: with real-time scheduling, and as the unprivileged user that most people are.
import { spawn } from "node:child_process";
import { access, chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkout, programPath } from "../../cli/base/programs.ts";
import { median } from "../../cli/base/quantile.ts";
import type { ShaperReport } from "../../schemas/generated/shaper_report.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, cpuTime, idleShare, type Measurement, measurement } from "./bench.ts";

const rounds = 3;
const saturated_s = 10;
const ratesMbit = [0.2, 1, 10, 100, 1000] as const;

/** Bytes of IP that a round trip's probe has: 64 of payload, 28 of headers. */
const probeBytes = 92;

interface Run {
  readonly printed: Record<string, number>[];
  readonly report: ShaperReport;
  readonly idle_share: number;
}

/** Who measures: a command that the lab's programs are started through. */
interface Who {
  readonly name: string;
  readonly through: readonly string[];
}

const privileged: Who = { name: "", through: [] };
const unprivileged: Who = {
  name: ", unprivileged",
  through: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"],
};

class Labs {
  readonly folder: string;
  readonly who: Who;
  readonly probe = join(checkout, "build", "native", "test", "shaper_probe");

  constructor(folder: string, who: Who) {
    this.folder = folder;
    this.who = who;
  }

  async #lines(command: readonly string[]): Promise<Record<string, number>[]> {
    const [program = "", ...words] = [...this.who.through, ...command];
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    let said = "";
    child.stdout.on("data", (chunk) => {
      printed += String(chunk);
    });
    child.stderr.on("data", (chunk) => {
      said += String(chunk);
    });
    const status = await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    if (status !== 0) throw new Error(`${[program, ...words].join(" ")} ended with ${status}: ${said}`);
    return printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  /** Probes at once behind a link, each given by its words. */
  async behind(link: string, probes: readonly string[], options: readonly string[] = []): Promise<Run> {
    const file = join(this.folder, `report${this.who.name && "-unprivileged"}.json`);
    const script = probes.map((words) => `${this.probe} ${words} &`).join(" ");
    const from = cpuTime();
    const printed = await this.#lines([
      this.probe,
      "far",
      programPath("trilane-shaper"),
      "--link",
      link,
      "--report",
      file,
      ...options,
      "--",
      "sh",
      "-c",
      `${script} wait`,
    ]);
    const report: ShaperReport = JSON.parse(await readFile(file, "utf8"));
    return { printed, report, idle_share: idleShare(from, cpuTime()) };
  }

  async direct(words: string): Promise<Record<string, number>> {
    const [line = {}] = await this.#lines([this.probe, "direct", this.probe, ...words.split(" ")]);
    return line;
  }
}

function value(line: Record<string, number> | undefined, key: string): number {
  const found = line?.[key];
  if (found === undefined) throw new Error(`a probe printed no ${key}`);
  return found;
}

/** Of one core, in per cent. */
function cpuShare({ report }: Run): number {
  return (report.cpu_ns / (report.end_ns - report.start_ns)) * 100;
}

/** Round trips beyond what they should take, in ms: in the middle, and at the 99th percentile. */
async function roundTrips(labs: Labs, link: string, expected_ms: number, words: string) {
  const before = await labs.direct(words);
  const run = await labs.behind(link, [words]);
  const after = await labs.direct(words);
  const own_us = median([value(before, "median_us"), value(after, "median_us")]);
  const beyond_ms = (key: string): number => (value(run.printed[0], key) - own_us) / 1000 - expected_ms;
  const own_p99 = median([value(before, "p99_us"), value(after, "p99_us")]) / 1000;
  return { median: Math.abs(beyond_ms("median_us")), p99: beyond_ms("p99_us"), own_p99, idle_share: run.idle_share };
}

async function measureRoundTrips(labs: Labs): Promise<Measurement[]> {
  const found: Measurement[] = [];
  for (const [interval, words] of [
    ["1 ms", "rtt 5000 1000"],
    ["100 ms", "rtt 100 100000"],
  ] as const) {
    const runs: Awaited<ReturnType<typeof roundTrips>>[] = [];
    for (let round = 0; round < rounds; round++) runs.push(await roundTrips(labs, "unlimited/50ms", 50, words));
    const idle_share = median(runs.map((run) => run.idle_share));
    const name = `error of a 50 ms round trip, probes every ${interval}`;
    found.push(
      measurement(
        `${name}: |median|`,
        runs.map((run) => run.median),
        0.05,
        { idle_share },
      ),
      measurement(
        `${name}: p99`,
        runs.map((run) => run.p99),
        0.25,
        { idle_share },
      ),
      measurement(
        `the same probes without a link, every ${interval}: p99`,
        runs.map((run) => run.own_p99),
        null,
        { idle_share },
      ),
    );
  }
  for (const rate of ratesMbit) {
    const serialization_ms = (2 * probeBytes * 8) / (rate * 1000);
    const runs: Awaited<ReturnType<typeof roundTrips>>[] = [];
    for (let round = 0; round < rounds; round++)
      runs.push(await roundTrips(labs, `${rate}mbit/0ms`, serialization_ms, "rtt 100 20000"));
    found.push(
      measurement(
        `an idle link of ${rate} Mbit/s adds its serialization times, and each way, |median|`,
        runs.map((run) => run.median / 2),
        0.05,
        { idle_share: median(runs.map((run) => run.idle_share)) },
      ),
    );
  }
  return found;
}

const cpuBars: Partial<Record<number, number>> = { 100: 8, 1000: 50 };

async function measureRates(labs: Labs): Promise<Measurement[]> {
  const found: Measurement[] = [];
  for (const rate of ratesMbit) {
    const rate_bps = rate * 1e6;
    // A small buffer of the sender's where the kernel's own choice would fill the queue for minutes.
    const buffer = rate < 10 ? 65536 : 0;
    const saturation = {
      UDP: {
        link: `${rate}mbit/0ms`,
        words: `udp down ${saturated_s + 1} ${Math.ceil(rate_bps * 1.06)}`,
        nominal_bps: rate_bps,
      },
      TCP: {
        link: `${rate}mbit/0ms,queue=unlimited`,
        words: `tcp down ${saturated_s + 2} 2 ${buffer}`,
        // The probe writes whole segments: 52 of 1500 bytes are headers.
        nominal_bps: (rate_bps * 1448) / 1500,
      },
    };
    for (const [protocol, { link, words, nominal_bps }] of Object.entries(saturation)) {
      const run = await labs.behind(link, [words]);
      const error = Math.abs(value(run.printed[0], "rate_bps") / nominal_bps - 1) * 100;
      const idle_share = run.idle_share;
      const bar = rate > 100 ? 0.03 : 0.01;
      found.push(measurement(`|rate error|, ${protocol} at ${rate} Mbit/s`, [error], bar, { unit: "%", idle_share }));
      const cpuBar = cpuBars[rate] ?? null;
      found.push(measurement(`CPU, ${protocol} at ${rate} Mbit/s`, [cpuShare(run)], cpuBar, { unit: "%", idle_share }));
    }
  }
  return found;
}

/** Packets that were lost without the profile asking for it. */
function unasked({ report }: Run): number {
  return [report.down, report.up].reduce(
    (sum, { unread_packets, drops }) => sum + unread_packets + drops.queue + drops.not_ip + drops.refused,
    0,
  );
}

async function measureSpeed(labs: Labs): Promise<Measurement[]> {
  const found: Measurement[] = [];
  const both = await labs.behind("1gbit/80ms,queue=unlimited", [
    `udp down ${saturated_s} 1000000000`,
    `udp up ${saturated_s} 1000000000`,
  ]);
  const carried = both.printed.map((line) => value(line, "rate_bps") / 1e9);
  const { idle_share } = both;
  found.push(
    measurement("1 Gbit/s both ways at 80 ms: carried in each", carried, 0.99, {
      unit: "Gbit/s",
      bar_is: "at least",
      idle_share,
    }),
    measurement("1 Gbit/s both ways at 80 ms: drops not asked for", [unasked(both)], 0, {
      unit: "packets",
      idle_share,
    }),
    measurement("1 Gbit/s both ways at 80 ms: CPU", [cpuShare(both)], null, { unit: "%", idle_share }),
  );
  for (const direction of ["down", "up"]) {
    const runs: Run[] = [];
    for (let round = 0; round < rounds; round++)
      runs.push(await labs.behind("unlimited/0ms", [`tcp ${direction} ${saturated_s / 2 + 1} 1`]));
    found.push(
      measurement(
        `unlimited, TCP ${direction}`,
        runs.map((run) => value(run.printed[0], "rate_bps") / 1e9),
        3.5,
        { unit: "Gbit/s", bar_is: "at least", idle_share: median(runs.map((run) => run.idle_share)) },
      ),
    );
  }
  return found;
}

/**
 * The same flood into a short and into a long queue: what a packet costs must not depend on how many wait. The cost is that
 * of a longer run beyond a shorter one, in which the queue is full already and as many packets leave as of the other.
 */
async function measureQueue(labs: Labs): Promise<Measurement[]> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const costs: number[] = [];
    for (const packets of [10, 10_000]) {
      const reports: ShaperReport[] = [];
      for (const duration_s of [4, 12]) {
        const { report } = await labs.behind(`100mbit/0ms,queue=${packets}p`, [`udp down ${duration_s} 200000000`]);
        if (report.down.queue_peak_packets !== packets)
          throw new Error(`the queue of ${packets} packets was never full`);
        reports.push(report);
      }
      const [shorter, longer] = reports as [ShaperReport, ShaperReport];
      costs.push((longer.cpu_ns - shorter.cpu_ns) / (longer.down.packets_in - shorter.down.packets_in));
    }
    const [short = Number.NaN, long = Number.NaN] = costs;
    ratios.push(long / short);
  }
  return [measurement("CPU per packet, 10 000 queued over 10 queued", ratios, 1.1, { unit: "ratio" })];
}

/** What writing down every packet costs, beside the same load without. */
async function measureEvidence(labs: Labs): Promise<Measurement[]> {
  const load = async (options: readonly string[]): Promise<Run> =>
    await labs.behind("100mbit/0ms,queue=unlimited", [`tcp down ${saturated_s} 1`], options);
  const without = cpuShare(await load([]));
  const found: Measurement[] = [];
  const file = (name: string): string => join(labs.folder, `${name}${labs.who.name && "-unprivileged"}`);
  const counters = ["--flow-counters", file("counters")];
  const evidence = {
    "--log": ["--log", file("log")],
    "--pcapng": ["--pcapng", file("capture")],
    "--flow-counters": counters,
    "--flow-counters and --flow-bins": [...counters, "--flow-bins", file("bins")],
  };
  for (const [name, options] of Object.entries(evidence)) {
    const run = await load(options);
    found.push(
      measurement(`CPU that ${name} adds, TCP at 100 Mbit/s`, [cpuShare(run) - without], null, {
        unit: "%",
        idle_share: run.idle_share,
      }),
    );
  }
  return found;
}

export const bench: Bench = async (say) => {
  const folder = tempFolder("trilane-bench-");
  await chmod(folder, 0o777);
  const found: Measurement[] = [];
  const everybody = process.getuid?.() === 0 ? [privileged, unprivileged] : [privileged];
  for (const who of everybody) {
    const labs = new Labs(folder, who);
    await access(labs.probe);
    const say_who = (line: string): void => say(line + who.name);
    say_who(`${rounds} rounds of round trips`);
    const trips = await measureRoundTrips(labs);
    say_who(`${ratesMbit.length} rates, ${saturated_s} s of TCP and of UDP each`);
    const rates = await measureRates(labs);
    say_who("1 Gbit/s both ways, unlimited, queues, logs");
    const speeds = [...(await measureSpeed(labs)), ...(await measureQueue(labs)), ...(await measureEvidence(labs))];
    found.push(...[...trips, ...rates, ...speeds].map((one) => ({ ...one, name: one.name + who.name })));
  }
  return found;
};
