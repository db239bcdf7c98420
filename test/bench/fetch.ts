import { join } from "node:path";
import { quantile } from "../../cli/base/quantile.ts";
import type { FetchRecord } from "../../schemas/generated/fetch_record.ts";
import {
  curlWords,
  type FetchSite,
  fetchWords,
  inLab,
  type LabRows,
  labRows,
  slope,
  theory,
  timeOf,
  withFetchSite,
} from "../fetch/fetch_lab.ts";
import { besideNgtcp2, type Http3Times } from "../fetch/ngtcp2_client.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { commandIpv6, commandSlopes, commandThousand } from "./fetch_command.ts";

const defaultRuns = 5;
const slopeLink = (rtt_ms: number): string => `1000mbit/${rtt_ms}ms`;
const rtts_ms = [20, 60, 120, 240] as const;
const slopeBar_percent = 2;
/** curl makes its TLS context once it is connected, some 1.7 ms, where ours is made before: of longer round trips that is within 2 %. */
const curlLink = "100mbit/60ms";
const throughputBars_Gbps = { h1: 3, h2: 3, h3: 1 } as const;
/** Maximum segments of a packet of 1500 bytes, without options. */
const ipv6Share = 1440 / 1460;
const ipv6Bar = 0.003;

const median = (values: readonly number[]): number => quantile(values, 0.5);

async function slopes(runs: number): Promise<Measurement[]> {
  const points = new Map<string, [rtt_ms: number, value: number][]>();
  await withFetchSite("object-10kB", async (site) => {
    for (const rtt_ms of rtts_ms) {
      const commands = Array.from({ length: runs }, () => theory.map(({ words }) => fetchWords(site, words))).flat();
      const { records } = labRows(await inLab(site, slopeLink(rtt_ms), commands));
      for (const [at, { name }] of theory.entries()) {
        const mine = records.filter((_, place) => place % theory.length === at);
        const add = (what: string, value: (record: FetchRecord) => number): void => {
          const key = `${name}: ${what}`;
          points.set(key, [...(points.get(key) ?? []), [rtt_ms, median(mine.map(value))]]);
        };
        add("established", (record) => timeOf(record, "established_ms"));
        add("first byte", (record) => timeOf(record, "first_byte_ms"));
        if (name === "h2") add("name", (record) => timeOf(record, "dns_ms"));
      }
    }
  });
  const expected = (key: string): number => {
    const [name, what] = key.split(": ");
    const lane = theory.find((each) => each.name === name);
    return what === "name" || !lane ? 1 : what === "established" ? lane.established : lane.firstByte;
  };
  return [...points].map(([key, line]) => {
    const trips = expected(key);
    const found = slope(line);
    // Of no round trip there is no share.
    const off_percent = Math.abs(found - trips) * (100 / Math.max(trips, 1));
    return measurement(`${key}: ${found.toFixed(3)} round trips, off ${trips} by`, [off_percent], slopeBar_percent, {
      unit: "%",
    });
  });
}

/** How far apart the medians are, in what is allowed: 1 ms or 2 %. */
function apart(name: string, ours: readonly number[], theirs: readonly number[]): Measurement {
  const [own, other] = [median(ours), median(theirs)];
  const allowed_ms = Math.max(1, other * 0.02);
  const label = `${name}: ${own.toFixed(2)} ms, curl ${other.toFixed(2)} ms, apart in what is allowed`;
  return measurement(label, [Math.abs(own - other) / allowed_ms], 1, { unit: "ratio" });
}

const curlLanes = [
  { name: "h1", ours: ["--lane", "h1"], theirs: ["--http1.1", "--tlsv1.3"] },
  { name: "h1, TLS 1.2", ours: ["--lane", "h1", "--tls", "1.2"], theirs: ["--http1.1", "--tls-max", "1.2"] },
  { name: "h2", ours: ["--lane", "h2"], theirs: ["--http2", "--tlsv1.3"] },
] as const;

async function besideCurl(runs: number): Promise<Measurement[]> {
  const times = ["connect_ms", "established_ms", "first_byte_ms", "download_ms"] as const;
  return await withFetchSite("object-1MB", async (site) => {
    const rows: Measurement[] = [];
    for (const { name, ours, theirs } of curlLanes) {
      const commands = Array.from({ length: runs }, () => [fetchWords(site, ours), curlWords(site, theirs)]).flat();
      const { records, curls }: LabRows = labRows(await inLab(site, curlLink, commands));
      for (const time of times)
        rows.push(
          apart(
            `${name}: ${time.replace("_ms", "").replace("_", " ")}`,
            records.map((record) => timeOf(record, time)),
            curls.map((curl) => curl[time]),
          ),
        );
    }
    return rows;
  });
}

/** Where the servers are known to be without a resolver. */
async function serverAddress(site: FetchSite): Promise<string> {
  const { records } = labRows(await inLab(site, "1000mbit/1ms", [fetchWords(site, ["--lane", "h1"])]));
  return records[0]?.address ?? "";
}

async function throughput(runs: number): Promise<Measurement[]> {
  return await withFetchSite("object-100MB", async (site) => {
    const address = await serverAddress(site);
    const rows: Measurement[] = [];
    for (const [lane, bar] of Object.entries(throughputBars_Gbps)) {
      const command = fetchWords(site, ["--lane", lane, "--connect", address]);
      const { records } = labRows(await inLab(site, null, Array<string[]>(runs).fill(command)));
      const rates = records.map((record) => ((record.body_bytes ?? 0) * 8) / timeOf(record, "download_ms") / 1e6);
      rows.push(measurement(`${lane}: 100 MB from trilane-replay`, rates, bar, { unit: "Gbit/s", bar_is: "at least" }));
    }
    return rows;
  });
}

const thousand = 1000;

async function oneThousand(): Promise<Measurement[]> {
  return await withFetchSite("object-10kB", async (site) => {
    const address = await serverAddress(site);
    const rows: Measurement[] = [];
    for (const { name, words } of theory) {
      const command = [
        ...fetchWords(site, [...words, "--connect", address]),
        ...Array<string>(thousand - 1).fill(site.url),
      ];
      const { records } = labRows(await inLab(site, null, [command]));
      const good = records.filter(({ status, body_bytes }) => status === 200 && body_bytes === 10_000).length;
      rows.push(
        measurement(`${name}: rows of ${thousand} objects`, [good], thousand, { unit: "times", bar_is: "at least" }),
      );
    }
    return rows;
  });
}

async function ipv6(runs: number): Promise<Measurement[]> {
  return await withFetchSite("object-20MB", async (site) => {
    const pair = ["4", "6"].map((version) => fetchWords(site, ["--lane", "h1", "--ip", version]));
    const { records } = labRows(await inLab(site, "50mbit/10ms", Array.from({ length: runs }, () => pair).flat()));
    const rate = (record: FetchRecord): number =>
      (record.body_bytes ?? 0) / (timeOf(record, "download_ms") - timeOf(record, "first_byte_ms"));
    const ratios = Array.from({ length: runs }, (_, run) => {
      const [four, six] = [records[2 * run], records[2 * run + 1]];
      if (!(four && six)) throw new Error("a row is missing");
      return rate(six) / rate(four);
    });
    const found = median(ratios);
    const label = `IPv6 over IPv4, goodput of TCP: ${found.toFixed(4)}, off ${ipv6Share.toFixed(4)} by`;
    return [measurement(label, [Math.abs(found - ipv6Share)], ipv6Bar, { unit: "ratio" })];
  });
}

/** As of curl, but 2 ms or 3 %: the other client is of another TLS library, too. */
async function besideHttp3Client(runs: number): Promise<Measurement[]> {
  const folder = tempFolder("trilane-ngtcp2-");
  const size_bytes = 1_000_000;
  const { ours, theirs, sha256 } = await besideNgtcp2(join(folder, "lab"), curlLink, { size_bytes, runs });
  const steps = ["connect_ms", "first_byte_ms", "download_ms"] as const;
  const same = [...ours.sha256, ...theirs.sha256].filter((digest) => digest === sha256).length;
  return [
    ...steps.map((step) => {
      const of = (times: readonly Http3Times[]): number => median(times.map((each) => each[step]));
      const [own, other] = [of(ours.times), of(theirs.times)];
      const label = `h3: ${step.replace("_ms", "").replace("_", " ")}: ${own.toFixed(2)} ms, ngtcp2 ${other.toFixed(2)} ms, apart in what is allowed`;
      return measurement(label, [Math.abs(own - other) / Math.max(2, other * 0.03)], 1, { unit: "ratio" });
    }),
    measurement("h3: bodies of both as the server has them", [same], 2 * runs, { unit: "times", bar_is: "at least" }),
  ];
}

const parts: Readonly<Record<string, (runs: number) => Promise<Measurement[]>>> = {
  slopes,
  curl: besideCurl,
  throughput,
  thousand: oneThousand,
  ipv6,
  "h3-client": besideHttp3Client,
  "command-slopes": commandSlopes,
  "command-ipv6": commandIpv6,
  "command-thousand": commandThousand,
};

export const bench: Bench = async (say, only, options) => {
  const rows: Measurement[] = [];
  for (const [name, part] of Object.entries(parts)) {
    if (only !== "" && only !== name) continue;
    say(name);
    rows.push(...(await part(options.runs ?? defaultRuns)));
  }
  return rows;
};
