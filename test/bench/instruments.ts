import { parseLink } from "../../cli/link/link.ts";
import { labCommand, spkiList } from "../../cli/load/lab.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { recordSite, type Site } from "../e2e/site.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { inWords } from "./extension_pairs.ts";
import { seenLoad } from "./seen_load.ts";

const rounds = 36;
const link = parseLink("10mbit/50ms,queue=1000p");
const lane = "h2";
/** A lane's difference that matters is larger. */
const bar_percent = 1;

const ways = { alone: {}, watched: { longTasks: true }, filmed: { longTasks: true, filmed: true } } as const;
type Way = keyof typeof ways;
const names = Object.keys(ways) as Way[];

const taskPage = "https://tasks.test/";
const scripts = 8;
/** A long task has 50 ms or more. */
const task_ms = 60;

/** A page of nothing but long tasks, so that the observer has to do. */
function recordTasks(home: string): Promise<Site> {
  const urls = Array.from({ length: scripts }, (_, index) => `${taskPage}${index}.js`);
  const body = `{ const end = performance.now() + ${task_ms}; while (performance.now() < end); }`;
  const tags = urls.map((url) => `<script src="${url}"></script><p>text</p>`).join("\n");
  return recordSite(home, "tasks", [
    { url: taskPage, body: `<!doctype html><meta charset=utf-8><link rel=icon href="data:,">${tags}` },
    ...urls.map((url) => ({ url, type: "text/javascript", body })),
  ]);
}

const pages: Readonly<Record<string, (home: string) => Promise<Pick<Site, "name" | "url">>>> = {
  images: (home) => withArchive(home, (archive) => ensureSynth(archive, "carlucci-medium")),
  tasks: recordTasks,
};

async function onPage(home: string, page: string, say: (line: string) => void): Promise<Measurement[]> {
  const recording = await (pages[page] as (typeof pages)[string])(home);
  const { replay, shaper } = labCommand({ home, recording: recording.name, link, reports: null });
  const asked = { url: recording.url, lane, within: [...replay, ...shaper], spkiList: await spkiList(home) } as const;
  const plts_ms: Record<Way, number[]> = { alone: [], watched: [], filmed: [] };
  say(`${page}: ${rounds} rounds of ${names.join(", ")}`);
  for (let round = 0; round <= rounds; round++) {
    // None is always the one that comes after the same other.
    const shifted = names.map((_, index) => names[(index + round) % names.length] as Way);
    for (const way of round % 2 === 0 ? shifted : shifted.toReversed()) {
      const { plt_ms } = await seenLoad({ ...asked, ...ways[way] });
      // The first round finds everything cold.
      if (round > 0) plts_ms[way].push(plt_ms);
    }
  }
  const longer = (way: Way, than: Way): number[] =>
    plts_ms[way].map((plt_ms, round) => (plt_ms / (plts_ms[than][round] as number) - 1) * 100);
  const differences = { watched: longer("watched", "alone"), filmed: longer("filmed", "watched") };
  say(`${page}: watched takes longer than alone by ${inWords(differences.watched)}`);
  say(`${page}: filmed takes longer than watched by ${inWords(differences.filmed)}`);
  return [
    ...names.map((way) => measurement(`${page}: PLT, ${way}`, plts_ms[way], null)),
    measurement(`${page}: watched longer than alone`, differences.watched, bar_percent, { unit: "%" }),
    measurement(`${page}: filmed longer than watched`, differences.filmed, null, { unit: "%" }),
  ];
}

export const bench: Bench = async (say, only) => {
  const asked = Object.keys(pages).filter((page) => only === "" || page === only);
  if (asked.length === 0) throw new Error(`--only takes one of ${Object.keys(pages).join(", ")}`);
  const home = tempFolder("trilane-bench-");
  const measurements: Measurement[] = [];
  for (const page of asked) measurements.push(...(await onPage(home, page, say)));
  return measurements;
};
