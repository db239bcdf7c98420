import { availableParallelism } from "node:os";
import { join } from "node:path";
import { median } from "../../cli/base/quantile.ts";
import type { FlowRecords } from "../../cli/instruments/flows/records/flow_records.ts";
import { type FlowLab, flow, hasController, type LabRun, overdueShare, runFlowLab } from "../flows/flow_lab.ts";
import { goodput_bps, jain, meanQueue_ms, packetsPerRtt, type Span, utilization } from "../flows/flow_measures.ts";
import { aioquicGoodput_bps, demandAioquic, iperf3Goodput_bps } from "../flows/flow_oracles.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const usualRuns = 3;
const for_s = 60;
/** After slow start and what it overshot. */
const settled: Span = { from_ms: 15_000, to_ms: 60_000 };
/** Of a lab that was held up for more of its time nothing is concluded. */
const mostOverdue = 0.01;
const tries = 5;
/** A lab of 10 or 20 Mbit/s takes about a seventh of a core. */
const labsPerCore = 4;

/** A lab that the machine held up at each try. */
class HeldUp extends Error {
  override readonly name = "HeldUp";
}

/** What a check needs of the machine. */
interface Site {
  readonly runs: number;
  readonly say: (line: string) => void;
  /** Runs a lab, again if it was held up. */
  readonly lab: (lab: FlowLab) => Promise<LabRun>;
  /** Those of the rows whose controllers this build has; the others are named. */
  readonly possible: <Row extends readonly [words: string, ...unknown[]]>(
    rows: readonly Row[],
  ) => Promise<readonly Row[]>;
  /** A folder that is not there yet. */
  readonly folder: () => string;
}

type Part = (site: Site) => Promise<Measurement[]>;

/** What `row` measures; nothing if the machine held its labs up each time, which is said. */
async function conclusive<Row>(site: Site, name: string, row: () => Promise<Row>): Promise<Row | null> {
  try {
    return await row();
  } catch (error) {
    if (!(error instanceof HeldUp)) throw error;
    site.say(`${name}: inconclusive: ${error.message}`);
    return null;
  }
}

/** The rows' measurements, side by side, without those that are inconclusive. */
async function measuredRows<Row>(
  site: Site,
  rows: readonly Row[],
  name: (row: Row) => string,
  measure: (row: Row) => Promise<Measurement[]>,
): Promise<Measurement[]> {
  const found = await Promise.all(rows.map((row) => conclusive(site, name(row), () => measure(row))));
  return found.flatMap((measurements) => measurements ?? []);
}

const seeds = (runs: number): number[] => Array.from({ length: runs }, (_, i) => i + 1);

async function recordsOf(site: Site, lab: Omit<FlowLab, "for_s">): Promise<FlowRecords> {
  const { records } = await site.lab({ ...lab, for_s });
  if (!records) throw new Error("a lab without records");
  const failed = records.near.flows.find(({ error }) => error !== null);
  if (failed) throw new Error(`flow ${failed.flow} failed: ${failed.error}`);
  return records;
}

const percentOff = (measured: number, expected: number): number => Math.abs(measured / expected - 1) * 100;

/** Controller, queue in BDP, and the utilization that follows from what it keeps of its window. */
const buffers = [
  ["tcp:reno", 1, 1],
  ["tcp:reno", 0.5, 0.964],
  ["tcp:cubic", 0.43, 1],
  ["quic:reno", 1, 1],
  ["quic:reno", 0.5, 0.964],
  ["quic:cubic-n2", 0.18, 1],
] as const;

const buffer: Part = async (site) =>
  await measuredRows(
    site,
    await site.possible(buffers),
    ([words, bdp]) => `utilization, ${words}, queue of ${bdp} BDP`,
    async ([words, bdp, expected]) => {
      const link = `10mbit/50ms,queue=${bdp}bdp`;
      const runs = await Promise.all(
        seeds(site.runs).map((seed) => recordsOf(site, { link: `${link},seed=${seed}`, flows: [flow(words)] })),
      );
      const used = runs.map((records) => utilization(records, 10e6, settled));
      site.say(`${words} with a queue of ${bdp} BDP: utilization ${median(used).toFixed(4)}, expected ${expected}`);
      const name = `utilization, ${words}, queue of ${bdp} BDP: off ${expected}`;
      const off = used.map((share) => percentOff(share, expected));
      return [measurement(name, off, 2, { unit: "%" })];
    },
  );

const lossShares = [0.01, 0.02] as const;
/** Controllers, and how many of Reno's flows each is worth. */
const lossWorths = [
  ["tcp:reno", 1],
  ["tcp:cubic", 1],
  ["quic:reno", 1],
  ["quic:cubic-n2", 2],
] as const;

/** Packets in a round trip under random loss, the median over runs. */
async function packetsUnderLoss(site: Site, words: string, share: number): Promise<number> {
  const link = `20mbit/50ms,loss_down=${share * 100}%,queue=1bdp`;
  const runs = await Promise.all(
    seeds(site.runs).map((seed) => recordsOf(site, { link: `${link},seed=${seed}`, flows: [flow(words)] })),
  );
  const rate = median(runs.map((records) => goodput_bps(records, 0, settled))) / 1e6;
  const packets = median(runs.map((records) => packetsPerRtt(records, 0, settled)));
  site.say(`${words} at ${share * 100} % loss: ${packets.toFixed(1)} packets a round trip, ${rate.toFixed(2)} Mbit/s`);
  return packets;
}

/**
 * Linux' CUBIC is in its region of Reno's rate there. It follows its estimate of that by whole packets, so that of so small a window some
 * tenth is missing: it is held against Linux' Reno and not against the formula.
 */
const loss: Part = async (site) => {
  const rows = await site.possible(lossWorths);
  const cells = rows.flatMap(([words, worth]) => lossShares.map((share) => ({ words, worth, share })));
  const found = await Promise.all(
    cells.map(({ words, share }) =>
      conclusive(site, `random loss, ${words} at ${share * 100} %`, () => packetsUnderLoss(site, words, share)),
    ),
  );
  return cells.flatMap(({ words, worth, share }, cell) => {
    const packets = found[cell] ?? null;
    if (packets === null) return [];
    const reno = found[cells.findIndex((other) => other.words === "tcp:reno" && other.share === share)] ?? null;
    const asReno = words === "tcp:cubic" && reno !== null;
    const expected = asReno ? reno : worth * Math.sqrt(1.5 / share);
    const name = `random loss, ${words} at ${share * 100} %: off ${expected.toFixed(1)} packets a round trip`;
    const off = percentOff(packets, expected);
    return [measurement(asReno ? `${name}, as tcp:reno has` : name, [off], 15, { unit: "%" })];
  });
};

/** Standard deviations of the 99.9 % interval. */
const z = 3.29;

/** How many deviations a count is off what is expected of it. */
function deviations(count: number, expected: number, variance: number): number {
  return Math.abs(count - expected) / Math.sqrt(variance);
}

/**
 * Groups of two datagrams and their parity, each lost with the chance p by itself. Of a group, both datagrams are lost for good with p^2, one
 * with 2 p^2 (1 - p), its parity being lost too.
 */
function fecExpectations(groups: number, p: number) {
  const [both, one] = [p * p, 2 * p * p * (1 - p)];
  const left = 2 * both + one;
  const repaired = 2 * p * (1 - p) * (1 - p);
  return {
    left: { mean: groups * left, variance: groups * (4 * both + one - left * left) },
    repaired: { mean: groups * repaired, variance: groups * repaired * (1 - repaired) },
  };
}

async function fecAtLoss(site: Site, share: number): Promise<Measurement[]> {
  // Nothing is dropped for want of room, so that all that is lost is lost by chance; and nothing is under way at the end.
  const bulk = flow("quic:reno", { size_bytes: 50e6 });
  const link = `20mbit/50ms,loss_down=${share * 100}%,fec_down=2,queue=unlimited`;
  const runs = await Promise.all(
    seeds(site.runs).map((seed) => site.lab({ link: `${link},seed=${seed}`, flows: [bulk], for_s: 4 * for_s })),
  );
  const found = runs.map(({ shaper, records }) => {
    const counted = records?.counters.flows.find(({ protocol }) => protocol === "udp")?.down;
    if (!counted || !shaper.down.fec) throw new Error("the shaper counted no QUIC flow, or no parity");
    const { datagrams, parity_packets, repaired_packets } = shaper.down.fec;
    return {
      parityOff: Math.abs(parity_packets - Math.floor(datagrams / 2)),
      groups: parity_packets,
      repaired: repaired_packets,
      left: counted.sent_packets - counted.received_packets,
    };
  });
  const total = (of: (one: (typeof found)[number]) => number): number => found.reduce((sum, one) => sum + of(one), 0);
  const groups = total((one) => one.groups);
  const [left, repaired] = [total((one) => one.left), total((one) => one.repaired)];
  const expected = fecExpectations(groups, share);
  const lost = left + repaired;
  site.say(
    `fec of 2 at ${share * 100} %: of ${2 * groups} datagrams ${lost} lost, ${repaired} repaired (${((repaired / lost) * 100).toFixed(1)} %), ${left} left (${((left / groups / 2) * 100).toFixed(4)} %), expected ${expected.left.mean.toFixed(1)}`,
  );
  const name = `fec of 2 at ${share * 100} % loss`;
  return [
    measurement(
      `${name}: parity packets off half of the datagrams`,
      found.map((one) => one.parityOff),
      0,
      { unit: "packets" },
    ),
    measurement(
      `${name}: deviations of what is repaired`,
      [deviations(repaired, expected.repaired.mean, expected.repaired.variance)],
      z,
      { unit: "times" },
    ),
    measurement(
      `${name}: deviations of what is left`,
      [deviations(left, expected.left.mean, expected.left.variance)],
      z,
      { unit: "times" },
    ),
  ];
}

/** BBR keeps its queue short: one that drops would drop more of the parity than of what it protects. */
async function fecGoodput(site: Site): Promise<Measurement[]> {
  const rate_bps = 10e6;
  const runs = await Promise.all(
    seeds(site.runs).map((seed) =>
      recordsOf(site, { link: `10mbit/50ms,fec_down=2,queue=20bdp,seed=${seed}`, flows: [flow("quic:bbr2")] }),
    ),
  );
  const dropped = runs.reduce((sum, { shaper }) => sum + shaper.down.drops.queue, 0);
  if (dropped > 0) throw new Error(`the queue dropped ${dropped} packets, and parity is no third of what is left`);
  const shares = runs.map((records) => goodput_bps(records, 0, settled) / rate_bps);
  site.say(`fec of 2 without loss: goodput ${median(shares).toFixed(4)} of the rate`);
  return [measurement("fec of 2 without loss: goodput over the rate, at most 2/3", shares, 0.6667, { unit: "ratio" })];
}

const fec: Part = async (site) =>
  await measuredRows(
    site,
    [0.01, 0.02, 0] as const,
    (share) => `fec of 2 at ${share * 100} % loss`,
    (share) => (share === 0 ? fecGoodput(site) : fecAtLoss(site, share)),
  );

/** What Carlucci's QUIC was. */
const twoFlows = "quic:cubic-n2";
/** His queues, and what he published there as QUIC's rate over TCP's. */
const queues = [
  ["13kB", 3],
  ["30kB", 1.5],
  ["60kB", 1],
] as const;

const shares: Part = async (site) => {
  if ((await site.possible([[twoFlows]])).length === 0) return [];
  const ratios = await Promise.all(
    queues.map(async ([queue, published]) => {
      const runs = await Promise.all(
        seeds(site.runs).map((seed) =>
          recordsOf(site, {
            link: `5mbit/50ms,queue=${queue},seed=${seed}`,
            flows: [flow(twoFlows), flow("tcp:cubic", { start_ms: seed * 10, paced: true })],
          }),
        ),
      );
      const found = runs.map((run) => goodput_bps(run, 0, settled) / goodput_bps(run, 1, settled));
      site.say(
        `QUIC as two flows beside paced TCP, queue of ${queue}: ${median(found).toFixed(2)} to 1, published ${published}`,
      );
      return median(found);
    }),
  );
  const [short = Number.NaN, middle = Number.NaN, long = Number.NaN] = ratios;
  const ordered = { unit: "ratio", bar_is: "at least" } as const;
  return [
    measurement("S2: share ratio at 13 kB over that at 30 kB", [short / middle], 1, ordered),
    measurement("S2: share ratio at 30 kB over that at 60 kB", [middle / long], 1, ordered),
  ];
};

/** Two of a kind at 1 BDP, and the least Jain index. quiche's own CUBIC takes most of its reductions back, so that two of it need not meet. */
const kinds = [
  ["tcp:reno", 0.95],
  ["tcp:cubic", 0.95],
  ["quic:reno", 0.95],
  ["quic:cubic", null],
  ["quic:cubic-n1", 0.95],
  ["quic:cubic-n2", 0.95],
] as const;

const whole: Span = { from_ms: 0, to_ms: for_s * 1000 };

/** Goodputs over all of the run of two flows that begin at almost the same time, for each seed. */
async function ratesOfTwo(
  site: Site,
  first: string,
  second: [string, Parameters<typeof flow>[1]?],
  runs: number,
  queue = "1bdp",
): Promise<[number, number][]> {
  const found = await Promise.all(
    seeds(runs).map((seed) =>
      recordsOf(site, {
        link: `10mbit/50ms,queue=${queue},seed=${seed}`,
        flows: [flow(first), flow(second[0], { ...second[1], start_ms: seed * 10 })],
      }),
    ),
  );
  return found.map((run) => [goodput_bps(run, 0, whole), goodput_bps(run, 1, whole)]);
}

const alike: Part = async (site) =>
  await measuredRows(
    site,
    await site.possible(kinds),
    ([words]) => `two of ${words}`,
    async ([words, bar]) => {
      const indices = (await ratesOfTwo(site, words, [words], site.runs)).map(jain);
      site.say(`two of ${words}: Jain's index ${median(indices).toFixed(4)}`);
      const name = `Jain's index over ${for_s} s, two of ${words}, queue of 1 BDP`;
      return [measurement(name, indices, bar, { unit: "ratio", bar_is: "at least" })];
    },
  );

/** One BDP of 10 Mbit/s and 50 ms in packets of 1500 bytes. */
const bdp_packets = 42;

/** CUBIC of RFC 9438 in QUIC beside Linux' own. */
const cubics: Part = async (site) =>
  await measuredRows(
    site,
    await site.possible([
      ["quic:cubic-n1", true],
      ["quic:cubic-n1", false],
    ]),
    ([own, paced]) => `${own} beside tcp:cubic${paced ? ",paced" : ""}`,
    async ([own, paced]) => {
      const queue = paced ? `${bdp_packets}p` : "1bdp";
      const rates = await ratesOfTwo(
        site,
        own,
        ["tcp:cubic", paced ? { paced: true } : {}],
        Math.max(10, site.runs),
        queue,
      );
      const found = rates.map(([quic, tcp]) => quic / (quic + tcp));
      const name = `share of ${own} beside tcp:cubic${paced ? ",paced" : ""}, queue of ${queue}`;
      site.say(
        `${name}: ${median(found).toFixed(3)} (${Math.min(...found).toFixed(3)} to ${Math.max(...found).toFixed(3)})`,
      );
      return [measurement(`${name}: off one half`, [Math.abs(median(found) - 0.5)], 0.05, { unit: "ratio" })];
    },
  );

const oracles: Part = async (site) => {
  demandAioquic();
  const link = "10mbit/50ms,queue=1bdp";
  const [seconds, skipped_s] = [30, 5];
  const span: Span = { from_ms: skipped_s * 1000, to_ms: seconds * 1000 };
  const ours = async (words: string): Promise<number> => {
    const { records } = await site.lab({ link, flows: [flow(words)], for_s: seconds });
    if (!records) throw new Error("a lab without records");
    return goodput_bps(records, 0, span);
  };
  const pairs = async (
    name: string,
    bar: number,
    words: string,
    other: () => Promise<number>,
  ): Promise<Measurement> => {
    const off: number[] = [];
    for (let run = 0; run < site.runs; run++) {
      const [own, theirs] = await Promise.all([ours(words), other()]);
      site.say(`${words}: ${(own / 1e6).toFixed(4)} Mbit/s by trilane-flows, ${(theirs / 1e6).toFixed(4)} by ${name}`);
      off.push(percentOff(own, theirs));
    }
    return measurement(`goodput of ${words} off that by ${name}`, off, bar, { unit: "%" });
  };
  const spans = { seconds, skipped_s };
  return [
    await pairs("iperf3", 0.5, "tcp:cubic", () => iperf3Goodput_bps(link, "cubic", spans)),
    await pairs("iperf3", 0.5, "tcp:reno", () => iperf3Goodput_bps(link, "reno", spans)),
    await pairs("aioquic", 2, "quic:cubic", () => aioquicGoodput_bps(site.folder(), link, "quic:cubic", spans)),
  ];
};

/** What the link takes for a packet's own bytes, which the shaper counts as delay at it. */
const packet_ms = (1378 * 8) / 5000;

/** Of 100 ms, 30 are the path's and some 2 a packet's own time. */
const arrivals: Part = async (site) => {
  const rows = await site.possible([["quic:sprout-ewma"]]);
  const measured = await Promise.all(
    rows.map(async ([words]) => {
      const link = "5mbit/30ms,queue=unlimited";
      // Up to the last whole round trip.
      const span: Span = { from_ms: 5000, to_ms: 19_500 };
      const runs = await Promise.all(
        seeds(site.runs).map(async (seed) => {
          const { records } = await site.lab({ link: `${link},seed=${seed}`, flows: [flow(words)], for_s: 20 });
          if (!records) throw new Error("a lab without records");
          return records;
        }),
      );
      const used = runs.map((records) => utilization(records, 5e6, span));
      const queues_ms = runs.map((records) => meanQueue_ms(records, 0, span) - packet_ms);
      site.say(
        `${words}: utilization ${median(used).toFixed(4)}, queue ${median(queues_ms).toFixed(2)} ms, expected 66 to 69`,
      );
      const offs = queues_ms.map((queue_ms) => Math.abs(queue_ms - 67.5));
      return [
        measurement(`utilization, ${words} over ${link}`, used, 0.99, { unit: "ratio", bar_is: "at least" }),
        measurement(`queue of ${words} over ${link}: off 67.5 ms`, offs, 1.5, { unit: "ms" }),
      ];
    }),
  );
  return measured.flat();
};

const parts: Readonly<Record<string, Part>> = { buffer, loss, fec, shares, alike, cubics, arrivals, oracles };

/** Runs at most so many at a time; the others wait. */
function limited(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

export const bench: Bench = async (say, only, { runs }) => {
  const names = only ? [only] : Object.keys(parts);
  const folder = tempFolder("trilane-bench-");
  const turn = limited(labsPerCore * availableParallelism());
  let labs = 0;
  const newFolder = (): string => join(folder, String(labs++));
  const site: Site = {
    runs: runs ?? usualRuns,
    say,
    folder: newFolder,
    possible: async (rows) => {
      const has = await Promise.all(rows.map(([words]) => hasController(newFolder(), words)));
      const absent = rows.filter((_, row) => !has[row]).map(([words]) => words);
      for (const words of new Set(absent)) say(`${words} is not in this build: left out`);
      return rows.filter((_, row) => has[row]);
    },
    lab: async (lab) =>
      await turn(async () => {
        for (let left = tries; ; left--) {
          const run = await runFlowLab(newFolder(), lab);
          const held = overdueShare(run.shaper);
          if (held <= mostOverdue) return run;
          say(
            `the machine held ${lab.link} up for ${(held * 100).toFixed(1)} % of its time${left > 1 ? ": again" : ""}`,
          );
          if (left === 1) throw new HeldUp("the machine is too busy for it: let nothing else run beside");
        }
      }),
  };
  const found: Measurement[] = [];
  for (const name of names) {
    const part = parts[name];
    if (!part) throw new Error(`no part ${name}: use ${Object.keys(parts).join(", ")}`);
    say(`${name}, ${site.runs} runs of each`);
    found.push(...((await conclusive(site, name, () => part(site))) ?? []));
  }
  return found;
};
