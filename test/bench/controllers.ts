import { quantile } from "../../cli/base/quantile.ts";
import { parseLink } from "../../cli/link/link.ts";
import { measureLoad } from "../../cli/load/load.ts";
import { type Serving, settleServing } from "../../cli/load/serving/serving.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

type Controller = Serving["transport"]["quic"]["congestion_control"];

const reference: Controller = "cubic-n1";
const controllers: readonly Controller[] = [reference, "gcc", "inter-arrival-2013", "sprout-ewma-acks"];
const page = "carlucci-medium";
const defaultLink = "5mbit/30ms";
const defaultRuns = 12;
const attempts = 3;

interface Loads {
  readonly plts_ms: number[];
  readonly servers_ms: number[];
  readonly browsers_ms: number[];
  disturbed: number;
}

/** Of the middle half, over the median, in per cent: one disturbed load does not decide it. */
const spread = (values: readonly number[]): number =>
  ((quantile(values, 0.75) - quantile(values, 0.25)) / quantile(values, 0.5)) * 100;

async function loadOnce(
  home: string,
  recording: Awaited<ReturnType<typeof ensureSynth>>,
  link: ReturnType<typeof parseLink>,
  controller: Controller,
  say: (line: string) => void,
): Promise<readonly [number, number, number] | null> {
  // As Sprout-EWMA needs it, so for all.
  const serving = settleServing({ client_acks: "frequent", transport: { quic: { congestion_control: controller } } });
  const options = { home, recording, lane: "h3", link, serving, timeout_ms: 60_000 } as const;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { status, reasons, metrics, cpu } = (await measureLoad(options)).log._trilane;
    if (status !== "valid") say(`${controller}: ${status}: ${reasons[0]}`);
    else if (metrics.plt_ms !== null && cpu) return [metrics.plt_ms, cpu.load.server_ms, cpu.load.browser_ms];
  }
  return null;
}

function measured(controller: Controller, own: Loads, cubic: Loads): Measurement[] {
  const isReference = controller === reference;
  const ratio = (name: string, value: number, bar: number): Measurement =>
    measurement(`${controller}: ${name}`, [value], isReference ? null : bar, { unit: "ratio" });
  const cpu = (of: "servers_ms" | "browsers_ms"): number => quantile(own[of], 0.5) / quantile(cubic[of], 0.5);
  return [
    measurement(`${controller}: PLT`, own.plts_ms, null),
    measurement(`${controller}: middle half of PLTs over their median`, [spread(own.plts_ms)], null, { unit: "%" }),
    ratio(`that over ${reference}'s`, spread(own.plts_ms) / spread(cubic.plts_ms), 1),
    measurement(`${controller}: CPU of servers`, own.servers_ms, null),
    ratio(`that over ${reference}'s`, cpu("servers_ms"), 1.1),
    ratio(`CPU of the browser over ${reference}'s`, cpu("browsers_ms"), 1.1),
    measurement(`${controller}: blocks without a valid load`, [own.disturbed], null, { unit: "times" }),
  ];
}

export const bench: Bench = async (say, _only, { runs, link: form }) => {
  const home = tempFolder("trilane-bench-");
  const recording = await withArchive(home, (archive) => ensureSynth(archive, page));
  const link = parseLink(form ?? defaultLink);
  const blocks = runs ?? defaultRuns;
  const empty = (): Loads => ({ plts_ms: [], servers_ms: [], browsers_ms: [], disturbed: 0 });
  const loads = new Map(controllers.map((controller) => [controller, empty()]));
  say(`${blocks} loads of ${page} with each controller, in turn, on ${form ?? defaultLink}`);
  // The first block reads the browser from the disk.
  for (let block = 0; block <= blocks; block++)
    for (const [controller, own] of loads) {
      const times = await loadOnce(home, recording, link, controller, say);
      if (block === 0) continue;
      if (times === null) own.disturbed++;
      else [own.plts_ms, own.servers_ms, own.browsers_ms].forEach((all, index) => void all.push(times[index] ?? 0));
    }
  const least = Math.min(...[...loads.values()].map(({ plts_ms }) => plts_ms.length));
  if (least < blocks / 2)
    throw new Error(
      `inconclusive: only ${least} of ${blocks} loads of a controller were valid: run it on a calmer machine`,
    );
  const cubic = loads.get(reference) ?? empty();
  return [...loads].flatMap(([controller, own]) => measured(controller, own, cubic));
};
