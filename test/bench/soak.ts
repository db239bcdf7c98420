// Loads, flows and fetches for hours, as three commands side by side over slow links, each with a home of its own: does what they hold grow?
// Memory of each program and of the whole tree, descriptors, processes, disk, the link's lateness: of each attempt one value, over all of them
// a slope and its noise (slope.ts). `--hours H`, default 1: about five loads, five runs of flows and five fetches in two minutes.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../../cli/base/errors.ts";
import { median } from "../../cli/base/quantile.ts";
import { resultsPath } from "../../cli/results/store/database.ts";
import { openResults } from "../../cli/results/store/results.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { memoryOf, type ProgramMemory } from "./process_tree.ts";
import { type Point, type Slope, slopeOf, type Verdict, verdictsOf } from "./slope.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");
const look_ms = 2000;
const hour_ms = 3.6e6;
/** More than there is time for in 24 hours: as many as the commands take. */
const runs = 10_000;

const plan = { name: "soak", pages: [{ synth: "object-100kB" }], lanes: ["h1", "h2", "h3"], links: ["50kbit/100ms"] };
const commands: Readonly<Record<string, (home: string) => string[]>> = {
  loads: (home) => {
    const file = join(home, "plan.json");
    writeFileSync(file, JSON.stringify({ ...plan, repetitions: runs }));
    return ["sweep", file];
  },
  flows: () => [..."flows --link 1mbit/50ms --flow quic --flow tcp --for 20s --runs".split(" "), `${runs}`],
  fetches: () => [..."fetch --link 50kbit/50ms --page object-100kB --lanes h1,h2,h3 --runs".split(" "), `${runs}`],
};

/**
 * Has a runner collect its garbage between looks. Without, a heap fills for hours up to its collector's bound, and what waits with it outside
 * (prepared statements, buffers) too: 3000 fetches took 132 to 154 MB, and 134 after the collector had come. So would the room for young
 * objects, which grows in steps of megabytes: it is kept small.
 */
const collecting = `data:text/javascript,${encodeURIComponent(`
  import { setFlagsFromString } from "node:v8";
  import { runInNewContext } from "node:vm";
  setFlagsFromString("--expose-gc");
  setInterval(runInNewContext("gc"), 10_000).unref();
`)}`;

interface Quantity {
  readonly unit: Measurement["unit"];
  readonly points: Point[];
}

/** By the quantity's name. */
type Series = Map<string, Quantity>;

function add(series: Series, name: string, unit: Measurement["unit"], point: Point): void {
  const quantity = series.get(name) ?? { unit, points: [] };
  quantity.points.push(point);
  series.set(name, quantity);
}

/** Bytes of the files that are there. */
function diskBytes(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * 512, 0);
}

/** What one attempt of a command held, from looks at it meanwhile. */
class AttemptLooks {
  #most = new Map<string, number>();
  #least = new Map<string, number>();

  look({ programs, ...tree }: ProgramMemory, leftovers: number): void {
    const runner = programs[0];
    for (const [name, bytes] of Object.entries(Object.groupBy(programs.slice(1), ({ name }) => name)))
      this.#top(
        `${name}: resident, MB`,
        (bytes ?? []).reduce((sum, { resident_bytes }) => sum + resident_bytes, 0) / 1e6,
      );
    this.#top("all programs: proportional memory, MB", tree.proportional_bytes / 1e6);
    this.#top("all programs: descriptors", tree.descriptors);
    this.#top("all programs: processes", programs.length);
    if (!runner) return;
    this.#bottom("runner: resident, MB", runner.resident_bytes / 1e6);
    this.#bottom("runner: descriptors", runner.descriptors);
    this.#bottom("temporary files", leftovers);
  }

  #top(name: string, value: number): void {
    this.#most.set(name, Math.max(value, this.#most.get(name) ?? 0));
  }

  #bottom(name: string, value: number): void {
    this.#least.set(name, Math.min(value, this.#least.get(name) ?? Number.POSITIVE_INFINITY));
  }

  /** And begins anew. */
  end(tell: (name: string, value: number) => void): void {
    for (const values of [this.#most, this.#least]) {
      for (const [name, value] of values) tell(name, value);
      values.clear();
    }
  }
}

interface Soaked {
  readonly kind: string;
  readonly home: string;
  readonly child: ChildProcess;
  readonly look: () => void;
  /** Of attempts that ended. */
  readonly counts: { valid: number; other: number };
  /** Why attempts do not count, how often; numbers in them are one reason. */
  readonly reasons: Map<string, number>;
}

interface AttemptEvent {
  readonly event: string;
  readonly status?: string;
  readonly reasons?: readonly string[];
}

function begin(kind: string, home: string, series: Series, since_h: () => number): Soaked {
  const temporary = join(home, "tmp");
  mkdirSync(temporary, { recursive: true });
  const words = [...(commands[kind]?.(home) ?? []), "--json", "--home", home];
  const environment = {
    ...process.env,
    TMPDIR: temporary,
    NODE_OPTIONS: `--max-semi-space-size=2 --import=${collecting}`,
  };
  const child = spawn(trilane, words, { stdio: ["ignore", "pipe", "inherit"], env: environment, detached: true });
  const pid = child.pid ?? 0;
  const looks = new AttemptLooks();
  const counts = { valid: 0, other: 0 };
  const reasons = new Map<string, number>();
  const database = (): string[] => globSync(`${resultsPath(home)}*`);
  let stored_bytes: number | null = null;
  const leftovers = (): number =>
    readdirSync(temporary).length + readdirSync("/dev/shm").filter((name) => name.includes(`-${pid}-`)).length;
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    const { event, status, reasons: why = [] } = JSON.parse(line) as AttemptEvent;
    if (!/^(load|flow-run|fetch)-finished$/.test(event)) return;
    counts[status === "valid" ? "valid" : "other"]++;
    for (const reason of why.map((each) => each.replaceAll(/\d+(\.\d+)?/g, "N")))
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    const time_h = since_h();
    looks.end((name, value) => add(series, `${kind}: ${name}`, / MB$/.test(name) ? "MB" : "times", [time_h, value]));
    const all = globSync(`${home}/**/*`);
    const [others, stored] = [
      diskBytes(all.filter((path) => !path.startsWith(resultsPath(home)))),
      diskBytes(database()),
    ];
    add(series, `${kind}: disk beside the results, MB`, "MB", [time_h, others / 1e6]);
    if (stored_bytes !== null)
      add(series, `${kind}: stored by an attempt, MB`, "MB", [time_h, (stored - stored_bytes) / 1e6]);
    stored_bytes = stored;
  });
  return { kind, home, child, counts, reasons, look: () => looks.look(memoryOf(pid), leftovers()) };
}

/** The link's, of each load. */
function addLateness(series: Series, home: string, begin_ms: number): void {
  using results = openResults(home);
  for (const { id, started_at } of results.listSweeps().flatMap((sweep) => results.loadsOf(sweep.id))) {
    const late_ns = results.harOf(id).log._trilane.shaper?.down.late_ns;
    if (late_ns?.p99 == null) continue;
    const time_h = (Date.parse(started_at) - begin_ms) / hour_ms;
    add(series, "loads: link's lateness, 99th percentile", "ms", [time_h, late_ns.p99 / 1e6]);
  }
}

async function end({ child }: Soaked): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGINT");
  if ((await Promise.race([closed, delay(60_000, "late", { ref: false })])) === "late")
    process.kill(-(child.pid ?? 0), "SIGKILL");
  await closed;
}

function sentence(name: string, slope: Slope | null, verdict: Verdict): string {
  if (slope === null) return `${name}: ${verdict}`;
  const digits = (value: number): string => String(Number(value.toPrecision(2)));
  return `${name}: ${slope.per_hour < 0 ? "" : "+"}${digits(slope.per_hour)} ± ${digits(slope.noise_per_hour)} an hour: ${verdict}`;
}

export const bench: Bench = async (say, _only, { more }) => {
  const hours = Number(more.hours ?? 1);
  if (!(hours > 0 && hours <= 1000)) throw new UserError(`--hours ${more.hours}: name a number above 0`);
  const folder = tempFolder("trilane-soak-");
  const series: Series = new Map();
  const begin_ms = Date.now();
  const since_h = (): number => (Date.now() - begin_ms) / hour_ms;
  const soaked = Object.keys(commands).map((kind) => begin(kind, join(folder, kind), series, since_h));
  try {
    let told_h = 0;
    while (since_h() < hours) {
      await delay(look_ms);
      for (const { child, kind, look } of soaked) {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new UserError(`${kind} ended with ${child.exitCode ?? child.signalCode}`);
        look();
      }
      if (since_h() < told_h + hours / 12) continue;
      told_h = since_h();
      say(soaked.map(({ kind, counts }) => `${counts.valid} valid ${kind} and ${counts.other} others`).join(", "));
    }
    await Promise.all(soaked.map(end));
    for (const { kind, reasons } of soaked)
      for (const [reason, count] of reasons) say(`${kind}, ${count} times: ${reason}`);
    addLateness(series, join(folder, "loads"), begin_ms);
    const slopes = [...series.values()].map(({ points }) => slopeOf(points));
    const verdicts = verdictsOf(slopes);
    const quantities = [...series].map(([name, { unit, points }], at) => {
      const [slope, verdict] = [slopes[at] ?? null, verdicts[at] as Verdict];
      say(sentence(name, slope, verdict));
      return {
        name,
        unit,
        n: points.length,
        median: median(points.map(([, value]) => value)),
        ...slope,
        verdict,
        series: points,
      };
    });
    const times = (name: string, count: number, bar: number | null) =>
      measurement(name, [count], bar, { unit: "times" });
    return {
      measurements: [
        ...quantities.map(({ name, unit, series: points }) =>
          measurement(
            name,
            points.map(([, value]) => value),
            null,
            { unit },
          ),
        ),
        ...soaked.map(({ kind, counts }) => times(`valid ${kind}`, counts.valid, null)),
        ...soaked.map(({ kind, counts }) => times(`${kind} that are not valid`, counts.other, null)),
        times("quantities that grow", verdicts.filter((verdict) => verdict === "grows").length, 0),
      ],
      details: { hours, quantities },
    };
  } finally {
    await Promise.all(soaked.map(end));
  }
};
