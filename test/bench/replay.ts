// How fast trilane-replay serves: HTTP/1.1 and HTTP/2 beside nginx, both asked by h2load in turns in the replay's own
// namespace, with the same bodies, key type and cipher, server and client each on a CPU of its own; HTTP/3 with our own
// client, beside HTTP/2. Also how long the server takes for a request on each lane.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../../cli/base/errors.ts";
import { checkout, programPath } from "../../cli/base/programs.ts";
import type { NewExchange } from "../../cli/recording/archive/archive.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import type { ReplayReport } from "../../schemas/generated/replay_report.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { nginxCommand, nginxPath } from "./nginx.ts";

const host = "bench.example";
const address = "192.0.2.1";
const nginxPort = 8443;
const serverCpu = "1";
const clientCpu = "0";
const rounds = 7;
const timeRounds = 9;
const timedRequests = 1000;

interface Body {
  readonly name: string;
  readonly path: string;
  readonly size_bytes: number;
}

const small: Body = { name: "1 kB", path: "/1kB", size_bytes: 1000 };
const large: Body = { name: "1 MB", path: "/1MB", size_bytes: 1_000_000 };

interface Load {
  readonly lane: "h1" | "h2" | "h3";
  readonly body: Body;
  readonly connections: number;
  /** Requests on their way at a time, on each connection. */
  readonly streams: number;
  readonly requests: number;
}

const loads: readonly Load[] = [
  { lane: "h1", body: small, connections: 16, streams: 1, requests: 90_000 },
  { lane: "h2", body: small, connections: 4, streams: 32, requests: 60_000 },
  { lane: "h3", body: small, connections: 4, streams: 32, requests: 40_000 },
  { lane: "h1", body: large, connections: 4, streams: 1, requests: 1500 },
  { lane: "h2", body: large, connections: 4, streams: 4, requests: 1500 },
  { lane: "h3", body: large, connections: 4, streams: 4, requests: 800 },
];

interface Served {
  readonly perSecond: number;
  /** Requests for each second that the server itself was on its CPU. */
  readonly perCpuSecond: number;
}

// As nginx serves a file, so that both send the same fields.
function exchangeOf(body: Body, bytes: Uint8Array): NewExchange {
  return {
    exchange: {
      method: "GET",
      scheme: "https",
      host,
      port: 443,
      path: body.path,
      request_headers: [["accept", "*/*"]],
      address,
      status: 200,
      response_headers: [
        ["server", "nginx/1.22.1"],
        ["date", "Sat, 21 Nov 2026 09:00:00 GMT"],
        ["content-type", "application/octet-stream"],
        ["last-modified", "Sat, 21 Nov 2026 08:00:00 GMT"],
        ["etag", '"6920203b-3e8"'],
        ["accept-ranges", "bytes"],
      ],
      body_origin: "recorded",
      recorded: {},
    },
    body: bytes,
  };
}

async function output(command: readonly string[]): Promise<string> {
  const [program = "", ...words] = command;
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  let said = "";
  child.stdout.on("data", (chunk) => {
    printed += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    said += String(chunk);
  });
  const [status] = await once(child, "close");
  if (status !== 0) throw new Error(`${command.join(" ")} ended with ${status}: ${said}${printed}`);
  return printed;
}

function number(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`no ${pattern} in: ${text}`);
  return Number(found);
}

/** trilane-replay and nginx in one namespace, and what is asked of them there. */
class Servers {
  readonly #replay: ChildProcess;
  readonly #inside: readonly string[];
  #nginx: ChildProcess | null = null;

  private constructor(replay: ChildProcess) {
    this.#replay = replay;
    this.#inside = ["nsenter", "--target", String(replay.pid), "--user", "--net", "--preserve-credentials"];
  }

  static async start(home: string, recording: string, report: string): Promise<Servers> {
    const words = ["--home", home, "--recording", recording, "--report", report];
    const replay = spawn("taskset", ["-c", serverCpu, programPath("trilane-replay"), ...words], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const first = await Promise.race([once(replay.stdout, "data"), once(replay, "close")]);
    if (!String(first[0]).startsWith("serving")) throw new Error(`trilane-replay ended with ${first[0]}`);
    return new Servers(replay);
  }

  async startNginx(command: readonly string[]): Promise<void> {
    const [program = "", ...words] = [...this.#inside, "taskset", "-c", serverCpu, ...command];
    this.#nginx = spawn(program, words, { stdio: ["ignore", "ignore", "inherit"] });
    await delay(500);
    if (this.#nginx.exitCode !== null) throw new Error(`nginx ended with ${this.#nginx.exitCode}`);
  }

  async stop(): Promise<void> {
    for (const [child, signal] of [
      [this.#nginx, "SIGTERM"],
      [this.#replay, "SIGINT"],
    ] as const) {
      if (!child || child.exitCode !== null) continue;
      child.kill(signal);
      await once(child, "close");
    }
  }

  /** Nanoseconds on a CPU so far. */
  async #cpu_ns(who: "replay" | "nginx"): Promise<number> {
    const pid = who === "replay" ? this.#replay.pid : this.#nginx?.pid;
    const [ran_ns] = (await readFile(`/proc/${pid}/schedstat`, "utf8")).split(" ");
    return Number(ran_ns);
  }

  async ask(load: Load, who: "replay" | "nginx"): Promise<Served> {
    const port = who === "replay" ? 443 : nginxPort;
    const before_ns = await this.#cpu_ns(who);
    const counts = [load.connections, load.streams, load.requests].map(String);
    const [connections = "", streams = "", requests = ""] = counts;
    const client =
      load.lane === "h3"
        ? [join(checkout, "build/native/test/h3_load"), address, String(port), host, load.body.path, ...counts]
        : [
            ...["h2load", "--connect-to", `${address}:${port}`, "--tls13-ciphers", "TLS_AES_128_GCM_SHA256"],
            ...(load.lane === "h1" ? ["--h1"] : []),
            ...["-t", "1", "-c", connections, "-m", streams, "-n", requests, `https://${host}${load.body.path}`],
          ];
    const printed = await output([...this.#inside, "taskset", "-c", clientCpu, ...client]);
    const cpu_s = ((await this.#cpu_ns(who)) - before_ns) / 1e9;
    const answered = load.lane === "h3" ? load.requests : number(printed, /, (\d+) succeeded,/);
    if (answered !== load.requests) throw new Error(`${answered} of ${load.requests} requests succeeded: ${printed}`);
    const perSecond =
      load.lane === "h3" ? load.requests / JSON.parse(printed).seconds : number(printed, /, ([\d.]+) req\/s/);
    return { perSecond, perCpuSecond: load.requests / cpu_s };
  }
}

const nameOf = ({ lane, body }: Load): string => `${lane}, ${body.name}`;
const what = ({ body }: Load): string => (body === small ? "requests" : "bytes");

/** Requests or megabytes in a second, as is usual for the body's size. */
function amounts({ body }: Load, perSecond: readonly number[]): { values: number[]; unit: "requests/s" | "MB/s" } {
  if (body === small) return { values: [...perSecond], unit: "requests/s" };
  return { values: perSecond.map((rate) => (rate * body.size_bytes) / 1e6), unit: "MB/s" };
}

function besideNginx(load: Load, ours: readonly Served[], theirs: readonly Served[]): Measurement[] {
  const bar = load.body === small ? 1 : 0.9;
  const ratio = (key: keyof Served): number[] => ours.map((one, index) => one[key] / (theirs[index]?.[key] ?? NaN));
  const kind = { unit: "ratio", bar_is: "at least" } as const;
  return [
    measurement(`${nameOf(load)}: ${what(load)} a second over nginx's`, ratio("perSecond"), bar, kind),
    measurement(`${nameOf(load)}: the same for a second of the server's CPU`, ratio("perCpuSecond"), null, kind),
  ];
}

async function measureLoads(servers: Servers, say: (line: string) => void): Promise<Measurement[]> {
  const found: Measurement[] = [];
  const perCpu = new Map<string, number[]>();
  for (const load of loads) {
    say(`${nameOf(load)}: ${rounds} rounds of ${load.requests} requests`);
    const ours: Served[] = [];
    const theirs: Served[] = [];
    for (let round = 0; round <= rounds; round++) {
      for (const who of round % 2 === 0 ? (["replay", "nginx"] as const) : (["nginx", "replay"] as const)) {
        if (who === "nginx" && load.lane === "h3") continue;
        const served = await servers.ask(load, who);
        // The first round fills caches.
        if (round > 0) (who === "replay" ? ours : theirs).push(served);
      }
    }
    if (load.lane !== "h3") found.push(...besideNginx(load, ours, theirs));
    const rates = {
      wall: amounts(
        load,
        ours.map((one) => one.perSecond),
      ),
      cpu: amounts(
        load,
        ours.map((one) => one.perCpuSecond),
      ),
    };
    found.push(
      measurement(`${nameOf(load)}: ${what(load)} a second`, rates.wall.values, null, {
        unit: rates.wall.unit,
        bar_is: "at least",
      }),
    );
    found.push(
      measurement(`${nameOf(load)}: ${what(load)} for a second of CPU`, rates.cpu.values, null, {
        unit: rates.cpu.unit,
        bar_is: "at least",
      }),
    );
    perCpu.set(
      nameOf(load),
      ours.map((one) => one.perCpuSecond),
    );
  }
  for (const body of [small, large]) {
    const h2 = perCpu.get(`h2, ${body.name}`) ?? [];
    const h3 = perCpu.get(`h3, ${body.name}`) ?? [];
    const ratio = h3.map((rate, index) => rate / (h2[index] ?? NaN));
    found.push(
      measurement(`h3 over h2, ${body.name}, for a second of CPU`, ratio, null, { unit: "ratio", bar_is: "at least" }),
    );
  }
  return found;
}

/** One request after the other on each lane: what the server says of its own time. */
async function measureServerTime(home: string, say: (line: string) => void): Promise<Measurement[]> {
  const lanes = ["h1", "h2", "h3"] as const;
  const medians_us = new Map(lanes.map((lane) => [lane, [] as number[]]));
  const apart_ms: number[] = [];
  const file = join(home, "times.json");
  say(`the server's own time: ${timeRounds} rounds of ${timedRequests} requests on each lane`);
  for (let round = 0; round < timeRounds; round++) {
    const servers = await Servers.start(home, "replay", file);
    try {
      for (const lane of lanes)
        await servers.ask({ lane, body: small, connections: 1, streams: 1, requests: timedRequests }, "replay");
    } finally {
      await servers.stop();
    }
    const report: ReplayReport = JSON.parse(await readFile(file, "utf8"));
    const found = lanes.map((lane) => {
      const time = report.server_time?.[lane];
      if (!time || time.requests < timedRequests / 2) throw new Error(`the report tells no server time of ${lane}`);
      medians_us.get(lane)?.push(time.median_ns / 1000);
      return time.median_ns / 1e6;
    });
    apart_ms.push(Math.max(...found) - Math.min(...found));
  }
  return [
    ...lanes.map((lane) =>
      measurement(`${lane}: the server's own time, median of a round`, medians_us.get(lane) ?? [], null, {
        unit: "us",
      }),
    ),
    measurement("the lanes' medians apart", apart_ms, 0.05),
  ];
}

export const bench: Bench = async (say) => {
  for (const program of [nginxPath, "/usr/bin/h2load"])
    await access(program).catch(() => {
      throw new UserError(`${program} is missing: install Debian's nginx-light and nghttp2-client`);
    });
  const folder = tempFolder("trilane-bench-");
  const root = join(folder, "root");
  await mkdir(root);
  const exchanges: NewExchange[] = [];
  for (const body of [small, large]) {
    const bytes = randomBytes(body.size_bytes);
    await writeFile(join(root, body.path), bytes);
    exchanges.push(exchangeOf(body, bytes));
  }
  await chmod(folder, 0o755);
  const about = { name: "replay", url: `https://${host}${small.path}`, source: "bench", notes: {}, replace: false };
  await withArchive(folder, (archive) =>
    archive.write(about, async (writer) => {
      for (const exchange of exchanges) await writer.add(exchange);
    }),
  );
  const measurements: Measurement[] = [];
  const servers = await Servers.start(folder, "replay", join(folder, "report.json"));
  try {
    await servers.startNginx(await nginxCommand(folder, root, host, nginxPort));
    measurements.push(...(await measureLoads(servers, say)));
  } finally {
    await servers.stop();
  }
  return [...measurements, ...(await measureServerTime(folder, say))];
};
