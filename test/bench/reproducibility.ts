// How much a page's load time varies from load to load on the same link: what a comparison has to see through.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withArchive } from "../../cli/archive/client.ts";
import { plainLanes } from "../../cli/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import { measureLoad } from "../../cli/measure/load.ts";
import { ensureSynth } from "../../cli/synth/ensure.ts";
import { type Bench, measurement } from "./bench.ts";

const loads = 30;
const link = parseLink("10mbit/50ms");
const page = "carlucci-medium";

/** Standard deviation in per cent of the mean. */
function variation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return (Math.sqrt(variance) / mean) * 100;
}

export const bench: Bench = async (say) => {
  const home = await mkdtemp(join(tmpdir(), "trilane-bench-"));
  try {
    const recording = await withArchive(home, (archive) => ensureSynth(archive, page));
    const plts_ms = new Map(plainLanes.map((lane) => [lane, [] as number[]]));
    say(`${loads} loads of ${page} over each lane, in turn`);
    for (let block = 0; block <= loads; block++)
      for (const lane of plainLanes) {
        const { status, reasons, metrics } = (await measureLoad({ home, recording, lane, link, timeout_ms: 60_000 }))
          .log._trilane;
        if (status !== "valid") say(`${status} load over ${lane}: ${reasons[0]}`);
        // The first block reads the browser from the disk.
        if (block > 0 && status === "valid" && metrics.plt_ms !== null) plts_ms.get(lane)?.push(metrics.plt_ms);
      }
    return [...plts_ms].flatMap(([lane, values]) => [
      measurement(`PLT, ${lane}`, values, null),
      measurement(`standard deviation of the PLT over its mean, ${lane}`, [variation(values)], 1.5, { unit: "%" }),
    ]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};
