// Whether the extension sees what the command line sees: the same page over each lane, profiled and
// captured in turns. Fails where requests, protocols or connections differ; the bar is on the page load times.
import { plainLanes } from "../../cli/lanes.ts";
import { quantile } from "../../cli/stats/quantile.ts";
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { withExtensionLab } from "./extension_lab.ts";

const runsPerLane = 10;
const bar_percent = 2;
const page = { requests: 60, hosts: 2, body_bytes: 4000 };

function facts(entries: readonly HarEntry[]): string {
  const own = entries.filter(({ request }) => !request.url.endsWith("/favicon.ico"));
  const hosts = Map.groupBy(own, ({ request }) => new URL(request.url).host);
  const connections = [...hosts].map(([host, each]) => `${host} ${new Set(each.map((e) => e._connectionId)).size}`);
  const requests = own.map(({ request, response }) => `${request.url} ${response.status} ${response.httpVersion}`);
  return [...connections.sort(), ...requests.sort()].join("\n");
}

export const bench: Bench = async (say) => {
  const values: Measurement[] = [];
  const pairs: { profiled: number; captured: number }[] = [];
  for (const lane of plainLanes) {
    const [profiled, captured]: [number[], number[]] = [[], []];
    await withExtensionLab(lane, page, async (lab) => {
      for (let run = 0; run < runsPerLane; run++) {
        // Neither is always the one that comes second.
        const first = run % 2 === 0 ? await lab.profiled() : await lab.captured();
        const second = run % 2 === 0 ? await lab.captured() : await lab.profiled();
        const [mine, theirs] = run % 2 === 0 ? [first, second] : [second, first];
        if (facts(mine.entries) !== facts(theirs.entries))
          throw new Error(`${lane}: not the same requests, protocols and connections`);
        profiled.push(mine.plt_ms);
        captured.push(theirs.plt_ms);
      }
    });
    say(`${lane}: ${runsPerLane} loads of each, the same requests, protocols and connections each time`);
    values.push(measurement(`${lane}: PLT, profiled by the extension`, profiled, null));
    values.push(measurement(`${lane}: PLT, captured by the command line`, captured, null));
    pairs.push({ profiled: quantile(profiled, 0.5), captured: quantile(captured, 0.5) });
  }
  const differences = pairs.map((pair) => Math.abs(pair.profiled / pair.captured - 1) * 100);
  values.push(measurement("difference of the medians, lanes", differences, bar_percent, { unit: "%" }));
  return values;
};
