// What profiling costs the page: the PLT of a page of 200 requests, profiled and with nobody looking, in turns in the same
// tab of the same browser. Both are reloads with the cache off over new connections, so what differs is the profile.
// `--only h2` measures one lane.
//
// The page has 2 MB, as pages of so many requests have, and lies behind a link of 10 Mbit/s and 50 ms. The bar is on that:
// what a profile costs is processor time, some 3 ms for a request and in other processes than the page's, most of it the
// browser's for passing eight to ten events on to a service worker. On few cores how much of that shows in the PLT depends
// on what they have to do otherwise. `--only small` takes the page that it shows on most, 200 requests of 2 kB, which keep
// both cores of a small machine busy to the end; no bar is on it.
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { withExtensionLab } from "./extension_lab.ts";
import { inWords, lanesAsked, loadPairs, percentLonger, pltMeasurements } from "./extension_pairs.ts";

const pairsPerLane = 8;
const bar_percent = 5;
const page = { requests: 200, hosts: 2, body_bytes: 10_000 };
const smallBody_bytes = 2000;

export const bench: Bench = async (say, only) => {
  const values: Measurement[] = [];
  const small = only === "small";
  const [judged, bar] = small ? [{ ...page, body_bytes: smallBody_bytes }, null] : [page, bar_percent];
  for (const lane of lanesAsked(small ? "" : only)) {
    const pairs = await withExtensionLab(lane, judged, (lab) =>
      loadPairs(pairsPerLane, () => lab.profiled("off"), lab.alone),
    );
    const differences = percentLonger(pairs);
    say(`${lane}: profiled takes longer by ${inWords(differences)}`);
    values.push(...pltMeasurements(lane, pairs, { one: "profiled", other: "alone" }));
    values.push(measurement(`${lane}: profiled longer than alone`, differences, bar, { unit: "%" }));
  }
  return values;
};
