// Two engines on every lane that both have: 8 pages on 5 links over 5 lanes, a load of each cell in Chromium and one in Firefox. How many
// of an engine's loads are valid, whether three words agree on the protocol of each request (the replay's, the one that the browser tells
// whoever drives it, and the page's own nextHopProtocol), whether the engines agree which lane is faster in a cell, and what a load costs
// beyond its page load time. `npm run bench -- engines FOLDER` keeps its data in FOLDER: the same command goes on where it stopped.
// `--only try` loads 8 of the cells.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { isDisturbed } from "../../cli/load/disturbance.ts";
import { isOnWire } from "../../cli/load/served_requests.ts";
import { openResults } from "../../cli/results/store/results.ts";
import type { HarEntry, PageLoad } from "../../schemas/generated/page_load.ts";
import type { SweepEvent } from "../../schemas/generated/sweep_event.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");
const engines = ["chromium", "firefox"] as const;
type EngineKey = (typeof engines)[number];

const whole = {
  pages: [
    ...["carlucci-small", "carlucci-small-hosts-4", "carlucci-medium", "cse534-mixed"],
    ...["cse534-many-small", "cse534-few-large", "cse534-type-js", "object-100kB"],
  ],
  links: ["100mbit/10ms", "20mbit/30ms", "10mbit/50ms", "10mbit/50ms,loss=1%", "3mbit/100ms"],
  lanes: ["h1", "h2", "h3", "h3-discovered", "h3-altsvc"],
};
const little = { pages: whole.pages.slice(0, 2), links: whole.links.slice(1, 3), lanes: ["h2", "h3"] };

const planOf = ({ pages, links, lanes }: typeof whole, name: string) => ({
  name,
  pages: pages.map((synth) => ({ synth })),
  ...{ links, lanes },
  repetitions: 1,
  // A load that is not valid is what this counts.
  ...{ retries: 0, retry_for_s: 0 },
  browsers: Object.fromEntries(engines.map((engine) => [engine, engine])),
});

async function runSweep(home: string, plan: ReturnType<typeof planOf>, say: (line: string) => void): Promise<void> {
  const file = join(home, "plan.json");
  writeFileSync(file, JSON.stringify(plan));
  const words = ["sweep", file, "--once", "--json", "--home", home];
  const child = spawn(trilane, words, { stdio: ["ignore", "pipe", "inherit"] });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const event = JSON.parse(line) as SweepEvent;
    if (event.event !== "load-finished") return;
    const { done, loads, left_s, page, lane, link, status, reasons } = event;
    const isTold = status !== "valid" || done % 10 === 0;
    if (isTold)
      say(
        `${done} of ${loads}, ${Math.round(left_s)} s left: ${page} ${link} ${lane} ${[status, ...reasons].join("; ")}`,
      );
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`trilane ${words.join(" ")}: exit status ${code}`);
}

/** Of HTTP/1 both versions are one. */
const family = (protocol: string): string => (protocol.startsWith("http/1.") ? "http/1" : protocol);

interface Words {
  /** Requests of which all three say a protocol. */
  readonly told: number;
  readonly agreed: number;
  /** Of these the page's timeline says nothing; the other two agree. */
  readonly untold: number;
  readonly differ: readonly string[];
}

export function wordsOf(entries: readonly HarEntry[]): Words {
  const onWire = entries.filter((entry) => isOnWire(entry) && entry._protocol !== undefined && entry._trilane.served);
  const words = onWire.map(({ _protocol, request, _trilane: { served, next_hop } }) => ({
    url: request.url,
    said: [_protocol, served?.protocol, next_hop].flatMap((word) => (word === undefined ? [] : [family(word)])),
  }));
  const isAgreed = ({ said }: { said: readonly string[] }): boolean => new Set(said).size === 1;
  const told = words.filter(({ said }) => said.length === 3);
  return {
    told: told.length,
    agreed: told.filter(isAgreed).length,
    untold: words.filter((each) => each.said.length === 2 && isAgreed(each)).length,
    differ: words.filter((each) => !isAgreed(each)).map(({ url, said }) => `${url}: ${said.join(", ")}`),
  };
}

interface Seen {
  readonly engine: EngineKey;
  readonly page: string;
  readonly link: string;
  readonly lane: string;
  readonly status: string;
  readonly reasons: readonly string[];
  /** The machine held up its link. */
  readonly isHeldUp: boolean;
  readonly plt_ms: number | null;
  readonly beyond_ms: number | null;
  readonly start_ms: number | null;
  readonly words: Words;
}

type Row = ReturnType<ReturnType<typeof openResults>["loadsOf"]>[number];

function seenOf(row: Row, { log }: PageLoad): Seen {
  const [lane = "", engine] = row.lane.split("@");
  const { navigation_start_ns, started_ns, wall_ms, metrics } = log._trilane;
  const { plt_ms } = metrics;
  return {
    engine: engine === "firefox" ? "firefox" : "chromium",
    ...{ page: row.page, link: row.link, lane, status: row.status, reasons: row.reasons, plt_ms },
    isHeldUp: row.reasons.some(isDisturbed),
    beyond_ms: plt_ms === null ? null : wall_ms - plt_ms,
    start_ms: navigation_start_ns === null ? null : (navigation_start_ns - started_ns) / 1e6,
    words: wordsOf(log.entries),
  };
}

/** Which of two lanes is faster in a cell: 1 if the second is, -1 if the first is, 0 within 1 %. */
function signsOf(seen: readonly Seen[], [first, second]: readonly [string, string]): string[] {
  const valid = seen.filter(({ status, plt_ms }) => status === "valid" && plt_ms !== null);
  const of = (engine: EngineKey, page: string, link: string): string => {
    const at = (lane: string) =>
      valid.find((each) => each.engine === engine && each.page === page && each.link === link && each.lane === lane);
    const [a, b] = [at(first)?.plt_ms, at(second)?.plt_ms];
    if (typeof a !== "number" || typeof b !== "number") return "?";
    return Math.abs(a - b) <= 0.01 * a ? "0" : b < a ? "+" : "-";
  };
  const cells = new Map(seen.map(({ page, link }) => [`${page} ${link}`, [page, link] as const]));
  return [...cells].map(
    ([cell, [page, link]]) => `${cell}: ${engines.map((engine) => of(engine, page, link)).join(" ")}`,
  );
}

function measured(seen: readonly Seen[], say: (line: string) => void): Measurement[] {
  const ofEngine = (engine: EngineKey) => seen.filter((each) => each.engine === engine);
  const numbers = (of: readonly Seen[], key: "beyond_ms" | "start_ms"): number[] =>
    of.flatMap((each) => (typeof each[key] === "number" ? [each[key]] : []));
  const share = (part: number, all: number): number => (all === 0 ? 0 : (100 * part) / all);
  const rows = engines.flatMap((engine) => {
    const all = ofEngine(engine);
    for (const { page, link, lane, status, reasons } of all.filter((each) => each.status !== "valid"))
      say(`${engine} ${page} ${link} ${lane}: ${status}: ${reasons.join("; ")}`);
    const isFirefox = engine === "firefox";
    const valid = all.filter(({ status }) => status === "valid").length;
    const left = all.filter(({ isHeldUp }) => !isHeldUp).length;
    return [
      measurement(`${engine}: valid loads of ${all.length}`, [share(valid, all.length)], isFirefox ? 95 : null, {
        unit: "%",
        bar_is: "at least",
      }),
      measurement(`${engine}: the same of the ${left} whose link was not held up`, [share(valid, left)], null, {
        unit: "%",
      }),
      measurement(`${engine}: wall time beyond PLT`, numbers(all, "beyond_ms"), isFirefox ? 3000 : null),
      measurement(`${engine}: start to navigation`, numbers(all, "start_ms"), isFirefox ? 1500 : null),
    ];
  });
  const agreement = engines.map((engine) => {
    const words = ofEngine(engine).map((each) => each.words);
    const sum = (key: "told" | "agreed" | "untold") => words.reduce((all, each) => all + each[key], 0);
    const differ = words.flatMap((each) => each.differ);
    for (const each of differ.slice(0, 20)) say(`${engine}: three words differ: ${each}`);
    say(
      `${engine}: server, browser and nextHopProtocol agree on ${sum("agreed")} of ${sum("told")} requests; of ${sum("untold")} more ` +
        `the page says nothing and the other two agree; ${differ.length} differ`,
    );
    return measurement(`${engine}: requests whose three words differ`, [differ.length], 0, { unit: "times" });
  });
  const pairs = [
    ["h1", "h2"],
    ["h2", "h3"],
  ] as const;
  const signs = pairs.flatMap((pair) => {
    const all = signsOf(seen, pair).filter((line) => !line.includes("?"));
    for (const line of all) say(`${pair[1]} faster than ${pair[0]} (${engines.join(", ")})? ${line}`);
    const same = all.filter((line) => line.at(-1) === line.at(-3)).length;
    const opposed = all.filter((line) => /[+-] [+-]$/.test(line) && line.at(-1) !== line.at(-3)).length;
    return all.length === 0
      ? []
      : [
          measurement(`${pair[1]} against ${pair[0]}: cells of ${all.length} with one sign`, [same], null, {
            unit: "times",
          }),
          measurement(`${pair[1]} against ${pair[0]}: with opposite signs`, [opposed], null, { unit: "times" }),
        ];
  });
  return [...rows, ...agreement, ...signs];
}

export const bench: Bench = async (say, only, { paths: [folder] }) => {
  const home = folder === undefined ? tempFolder("trilane-engines-") : resolve(folder);
  mkdirSync(home, { recursive: true });
  try {
    const isTry = only === "try";
    const name = isTry ? "two-engines-try" : "two-engines";
    await runSweep(home, planOf(isTry ? little : whole, name), say);
    using results = openResults(home);
    const sweep = results.listSweeps().find((each) => each.name === name);
    const seen = results.loadsOf(sweep?.id ?? 0).map((row) => seenOf(row, results.harOf(row.id)));
    return { measurements: measured(seen, say), details: seen };
  } finally {
    if (folder === undefined) rmSync(home, { recursive: true, force: true });
  }
};
