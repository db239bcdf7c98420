// What profiling costs the page: page load times of a page of 200 requests, profiled and with nobody looking, in turns.
import { plainLanes } from "../../cli/lanes.ts";
import { quantile } from "../../cli/stats/quantile.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { withExtensionLab } from "./extension_lab.ts";

const runsPerLane = 10;
const bar_percent = 5;
// 2 MB, as pages of so many requests have. What it costs is some 0.3 ms a request, whatever the request takes.
const page = { requests: 200, hosts: 2, body_bytes: 10_000 };

export const bench: Bench = async (say) => {
  const values: Measurement[] = [];
  const overheads: number[] = [];
  for (const lane of plainLanes) {
    const [profiled, alone]: [number[], number[]] = [[], []];
    await withExtensionLab(lane, page, async (lab) => {
      for (let run = 0; run < runsPerLane; run++) {
        if (run % 2 === 0) profiled.push((await lab.profiled()).plt_ms);
        alone.push((await lab.alone()).plt_ms);
        if (run % 2 === 1) profiled.push((await lab.profiled()).plt_ms);
      }
    });
    say(`${lane}: ${runsPerLane} loads of each`);
    values.push(measurement(`${lane}: PLT, profiled`, profiled, null));
    values.push(measurement(`${lane}: PLT, alone`, alone, null));
    overheads.push((quantile(profiled, 0.5) / quantile(alone, 0.5) - 1) * 100);
  }
  values.push(measurement("PLT more than alone, lanes", overheads, bar_percent, { unit: "%" }));
  return values;
};
