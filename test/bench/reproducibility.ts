import { plainLanes } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import { measureLoad } from "../../cli/load/load.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const links = [
  { form: "10mbit/50ms", loads: 30 },
  { form: "10mbit/50ms,queue=1000p", loads: 12 },
];
const page = "carlucci-medium";

/** Standard deviation in per cent of the mean. */
function variation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return (Math.sqrt(variance) / mean) * 100;
}

async function onLink(
  home: string,
  recording: Awaited<ReturnType<typeof ensureSynth>>,
  { form, loads: count }: (typeof links)[number],
  say: (line: string) => void,
): Promise<Measurement[]> {
  const link = parseLink(form);
  const plts_ms = new Map(plainLanes.map((lane) => [lane, [] as number[]]));
  const drops = new Map(plainLanes.map((lane) => [lane, [] as number[]]));
  say(`${count} loads of ${page} over each lane, in turn, on ${form}`);
  for (let block = 0; block <= count; block++)
    for (const lane of plainLanes) {
      const { status, reasons, metrics, shaper } = (
        await measureLoad({ home, recording, lane, link, timeout_ms: 60_000 })
      ).log._trilane;
      if (status !== "valid") say(`${status} load over ${lane}: ${reasons[0]}`);
      // The first block reads the browser from the disk.
      if (block === 0 || status !== "valid" || metrics.plt_ms === null) continue;
      plts_ms.get(lane)?.push(metrics.plt_ms);
      if (shaper) drops.get(lane)?.push(shaper.down.drops.queue);
    }
  return [...plts_ms].flatMap(([lane, values]) => [
    measurement(`${form}, ${lane}: PLT`, values, null),
    measurement(`${form}, ${lane}: its standard deviation over its mean`, [variation(values)], 1.5, { unit: "%" }),
    measurement(`${form}, ${lane}: packets dropped by the queue`, drops.get(lane) ?? [], null, { unit: "packets" }),
  ]);
}

export const bench: Bench = async (say) => {
  const home = tempFolder("trilane-bench-");
  const recording = await withArchive(home, (archive) => ensureSynth(archive, page));
  const measurements: Measurement[] = [];
  for (const link of links) measurements.push(...(await onLink(home, recording, link, say)));
  return measurements;
};
