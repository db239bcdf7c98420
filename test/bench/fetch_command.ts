// The same of `trilane fetch`, through its labs: round trips of each step by the rows that it stores, IPv6 beside IPv4, and a thousand
// objects from a server on loopback over every lane that it speaks. Part of `npm run bench -- fetch`.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { quantile } from "../../cli/base/quantile.ts";
import type { FetchFinished } from "../../schemas/generated/sweep_event.ts";
import { type FetchRun, runFetch } from "../fetch/command.ts";
import { slope, theory, timeOf } from "../fetch/fetch_lab.ts";
import { startServers } from "../fetch/local_servers.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Measurement, measurement } from "./bench.ts";

const median = (values: readonly number[]): number => quantile(values, 0.5);

async function withHome<T>(use: (home: string) => Promise<T>): Promise<T> {
  const home = tempFolder("trilane-fetch-bench-");
  return await use(home);
}

async function fetched(home: string, words: readonly string[]): Promise<FetchRun> {
  const run = await runFetch(home, words);
  if (run.status !== 0) throw new Error(`trilane fetch ended with ${run.status}: ${run.said}`);
  return run;
}

const counted = ({ fetches }: FetchRun): FetchFinished[] => fetches.filter(({ status }) => status === "valid");

const rtts_ms = [20, 60, 120, 240] as const;

/** As `theory` names them. */
const nameOf = ({ lane, tls }: FetchFinished): string => (tls === "1.2" ? `${lane}, TLS 1.2` : lane);

const steps = [
  { what: "established", time: "established_ms", trips: "established" },
  { what: "first byte", time: "first_byte_ms", trips: "firstByte" },
] as const;

export async function commandSlopes(runs: number): Promise<Measurement[]> {
  return await withHome(async (home) => {
    const links = rtts_ms.flatMap((rtt_ms) => ["--link", `1000mbit/${rtt_ms}ms`]);
    const words = ["--page", "object-10kB", ...links, "--lanes", "all", "--tls", "1.2,1.3"];
    const rows = counted(await fetched(home, [...words, "--runs", String(runs)]));
    const h2: FetchFinished["lane"] = "h2";
    const rttOf = ({ link }: FetchFinished): number => Number(/\/(\d+)ms/.exec(link ?? "")?.[1]);
    const off = (name: string, found: number, trips: number): Measurement =>
      // Of no round trip there is no share.
      measurement(
        `command, ${name}: ${found.toFixed(3)} round trips, off ${trips} by`,
        [Math.abs(found - trips) * (100 / Math.max(trips, 1))],
        2,
        { unit: "%" },
      );
    const slopeOf = (of: readonly FetchFinished[], time: "dns_ms" | (typeof steps)[number]["time"]): number =>
      slope(
        rtts_ms.map((rtt_ms) => {
          const at = of.filter((row) => rttOf(row) === rtt_ms);
          return [rtt_ms, median(at.flatMap(({ record }) => (record ? timeOf(record, time) : [])))] as const;
        }),
      );
    const lanes = theory.flatMap((lane) => {
      const own = rows.filter((row) => nameOf(row) === lane.name);
      return steps.map(({ what, time, trips }) => off(`${lane.name}: ${what}`, slopeOf(own, time), lane[trips]));
    });
    return [
      ...lanes,
      off(
        "name",
        slopeOf(
          rows.filter(({ lane, tls }) => lane === h2 && tls === "1.3"),
          "dns_ms",
        ),
        1,
      ),
    ];
  });
}

/** Maximum segments of a packet of 1500 bytes, without options. */
const ipv6Share = 1440 / 1460;

export async function commandIpv6(runs: number): Promise<Measurement[]> {
  return await withHome(async (home) => {
    const words = ["--page", "object-20MB", "--link", "50mbit/10ms", "--lanes", "h1", "--ip", "4,6"];
    const rows = counted(await fetched(home, [...words, "--runs", String(runs)]));
    const rate = ({ record }: FetchFinished): number => {
      if (!record) throw new Error("a row without a record");
      return (record.body_bytes ?? 0) / (timeOf(record, "download_ms") - timeOf(record, "first_byte_ms"));
    };
    const ratios = rows
      .filter(({ ip }) => ip === 6)
      .flatMap((six) => {
        const four = rows.find(({ ip, block }) => ip === 4 && block === six.block);
        return four ? [rate(six) / rate(four)] : [];
      });
    const found = median(ratios);
    const label = `command, IPv6 over IPv4, goodput of TCP: ${found.toFixed(4)} (n = ${ratios.length}), off ${ipv6Share.toFixed(4)} by`;
    return [measurement(label, [Math.abs(found - ipv6Share)], 0.003, { unit: "ratio" })];
  });
}

const thousand = 1000;

/** Over a lane that the server speaks and one that it does not: rows, all of them. */
export async function commandThousand(): Promise<Measurement[]> {
  const servers = await startServers((path) => `this is ${path}`);
  try {
    return await withHome(async (home) => {
      const urls = join(home, "urls.txt");
      await writeFile(
        urls,
        Array.from({ length: thousand }, (_, number) => `${servers.url.good}/${number}\n`).join(""),
      );
      const words = [urls, "--lanes", "h1,h3", "--runs", "1", "--pause", "0", "--ca", servers.ca];
      const { fetches } = await fetched(home, words);
      const rows = (status: string): number => fetches.filter((each) => each.status === status).length;
      return [
        measurement("command: rows of 1000 objects that came over h1", [rows("valid")], thousand, {
          unit: "times",
          bar_is: "at least",
        }),
        measurement("command: rows of 1000 objects of a server without h3", [rows("failed")], thousand, {
          unit: "times",
          bar_is: "at least",
        }),
      ];
    });
  } finally {
    await servers.close();
  }
}
