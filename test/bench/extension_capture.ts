// Whether the extension sees what the command line sees: the same page over each lane, profiled and
// captured in turns. Fails where requests, protocols or connections differ; the bar is on the page load times, 30 pairs a
// lane. `--only h2` measures one lane (each takes two minutes).
//
// That the times are alike is shown here and in no test: with the few pairs that a test has time for, on a machine that does
// other things, it would fail by chance. That requests, protocols and connections are the same stands in
// test/e2e/extension.test.ts too.
import { quantile } from "../../cli/base/quantile.ts";
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { withExtensionLab } from "./extension_lab.ts";
import { inWords, lanesAsked, loadPairs, percentLonger, pltMeasurements } from "./extension_pairs.ts";

const pairsPerLane = 30;
const bar_percent = 2;
const page = { requests: 60, hosts: 2, body_bytes: 4000 };

function facts(entries: readonly HarEntry[]): string {
  const own = entries.filter(({ request }) => !request.url.endsWith("/favicon.ico"));
  const hosts = Map.groupBy(own, ({ request }) => new URL(request.url).host);
  const connections = [...hosts].map(([host, each]) => `${host} ${new Set(each.map((e) => e._connectionId)).size}`);
  const requests = own.map(({ request, response }) => `${request.url} ${response.status} ${response.httpVersion}`);
  return [...connections.sort(), ...requests.sort()].join("\n");
}

export const bench: Bench = async (say, only) => {
  const values: Measurement[] = [];
  for (const lane of lanesAsked(only)) {
    const pairs = await withExtensionLab(lane, page, (lab) =>
      // As the command line loads it, which has an empty cache and asks as one has.
      loadPairs(pairsPerLane, () => lab.profiled("on"), lab.captured),
    );
    for (const { one, other } of pairs)
      if (facts(one.entries) !== facts(other.entries))
        throw new Error(`${lane}: not the same requests, protocols and connections`);
    const differences = percentLonger(pairs);
    say(`${lane}: the same requests, protocols and connections each time`);
    say(`${lane}: profiled takes longer by ${inWords(differences)}`);
    values.push(
      ...pltMeasurements(lane, pairs, { one: "profiled by the extension", other: "captured by the command line" }),
    );
    const apart = Math.abs(quantile(differences, 0.5));
    values.push(measurement(`${lane}: difference`, [apart], bar_percent, { unit: "%" }));
  }
  return values;
};
