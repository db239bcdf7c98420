// trilane-fetch and curl before a recording of one synthetic object, in a lab: behind a link, or at the servers without one. Judges
// nothing.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { programPath } from "../../cli/base/programs.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import type { FetchRecord } from "../../schemas/generated/fetch_record.ts";
import { output } from "../flows/flow_lab.ts";
import { tempFolder } from "../temp_folder.ts";

export interface FetchSite {
  readonly home: string;
  readonly recording: string;
  readonly url: string;
}

/** Gives a recording of one object, `object-1MB`, in a home that is gone afterwards. */
export async function withFetchSite<T>(recording: string, use: (site: FetchSite) => Promise<T>): Promise<T> {
  const home = tempFolder("trilane-fetch-");
  await withArchive(home, (archive) => ensureSynth(archive, recording));
  return await use({ home, recording, url: `https://${recording.toLowerCase()}.synth.test/` });
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Runs commands one after another in one lab, and gives what they print. Without a link they are beside the servers. `through`: words
 * that start the lab.
 */
export async function inLab(
  { home, recording }: FetchSite,
  link: string | null,
  commands: readonly (readonly string[])[],
  through: readonly string[] = [],
): Promise<string> {
  const script = join(home, "script");
  await writeFile(script, commands.map((words) => `${words.map(quoted).join(" ")}\n`).join(""));
  return await output([
    ...through,
    programPath("trilane-replay"),
    ...["--home", home, "--recording", recording, "--early-data", "--ipv6-twins", "--"],
    ...(link === null ? [] : [programPath("trilane-shaper"), "--link", link, "--"]),
    ...["bash", "-e", script],
  ]);
}

/** The words of one fetch; `words` are its options. */
export const fetchWords = ({ home, url }: FetchSite, words: readonly string[]): string[] => [
  programPath("trilane-fetch"),
  ...["--ca", join(home, "ca", "ca.pem"), "--no-https-record"],
  ...words,
  url,
];

export interface CurlTimes {
  readonly curl: true;
  readonly namelookup_ms: number;
  readonly connect_ms: number;
  readonly established_ms: number;
  readonly first_byte_ms: number;
  readonly download_ms: number;
}

const curlFormat = `{"curl":true,"namelookup":%{time_namelookup},"connect":%{time_connect},"appconnect":%{time_appconnect},"starttransfer":%{time_starttransfer},"total":%{time_total}}\n`;

export const curlWords = ({ home, url }: FetchSite, words: readonly string[]): string[] => [
  ...["curl", "--silent", "--show-error", "--output", "/dev/null", "--write-out", curlFormat],
  ...["--cacert", join(home, "ca", "ca.pem")],
  ...words,
  url,
];

/** From the start of the connection, as our records have it. */
function curlTimes(row: Readonly<Record<string, number>>): CurlTimes {
  const { namelookup = 0, connect = 0, appconnect = 0, starttransfer = 0, total = 0 } = row;
  const since = (time_s: number): number => (time_s - namelookup) * 1000;
  return {
    curl: true,
    namelookup_ms: namelookup * 1000,
    connect_ms: since(connect),
    established_ms: since(appconnect),
    first_byte_ms: since(starttransfer),
    download_ms: since(total),
  };
}

export interface LabRows {
  readonly records: readonly FetchRecord[];
  readonly curls: readonly CurlTimes[];
}

/** Error where an object failed. */
export function labRows(printed: string): LabRows {
  const rows = printed
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as FetchRecord | Record<string, number>);
  const records = rows.filter((row): row is FetchRecord => "schema" in row);
  const curls = rows.filter((row): row is Record<string, number> => "curl" in row).map(curlTimes);
  for (const { url, lane, error } of records)
    if (error) throw new Error(`${url} over ${lane}: ${error.stage}: ${error.reason}`);
  return { records, curls };
}

/** A time that must be there. */
export function timeOf(
  record: FetchRecord,
  name: "dns_ms" | "connect_ms" | "established_ms" | "first_byte_ms" | "download_ms",
): number {
  const value = record[name];
  if (value === null) throw new Error(`${record.lane}: no ${name}: ${record.unavailable[name]}`);
  return value;
}

/** The steps of a connection in round trips, as theory has them: QUIC 1, TCP and TLS 1.3 2, TLS 1.2 3; the first byte one more. */
export const theory = [
  { name: "h1, TLS 1.2", words: ["--lane", "h1", "--tls", "1.2"], established: 3, firstByte: 4 },
  { name: "h1", words: ["--lane", "h1"], established: 2, firstByte: 3 },
  { name: "h2", words: ["--lane", "h2"], established: 2, firstByte: 3 },
  { name: "h2-0rtt", words: ["--lane", "h2-0rtt"], established: 1, firstByte: 2 },
  { name: "h3", words: ["--lane", "h3"], established: 1, firstByte: 2 },
  { name: "h3-0rtt", words: ["--lane", "h3-0rtt"], established: 0, firstByte: 1 },
] as const;

/** The slope of a line through the points, by least squares. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x0, y0] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const over = points.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0);
  return over / points.reduce((sum, [x]) => sum + (x - x0) ** 2, 0);
}
