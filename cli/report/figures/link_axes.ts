// Where a link stands in a heat map: its row (bandwidth), its column (RTT, or loss where there is but one RTT) and its facet,
// which is all else that sets links apart. Draws nothing.
import { parse } from "node:path";
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import { furtherSettings, lossLabel, queueLabel } from "../../link/label.ts";

interface Place {
  readonly link: string;
  readonly row: string;
  readonly column: string;
  /** Empty where all links agree in everything but rows and columns. */
  readonly facet: string;
}

export interface LinkGrid {
  readonly rowTitle: string;
  readonly columnTitle: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly facets: readonly string[];
  readonly places: ReadonlyMap<string, Place>;
}

const trimmed = (value: number, digits = 6): string => String(Number(value.toPrecision(digits)));

/** `3`, or `30/15` where up and down differ; in Mbit/s, of steps the first and of a trace the mean. */
function ratesLabel(profile: LinkProfile): string {
  const rate = ({ rate_bps, trace }: LinkProfile["down"]): string =>
    rate_bps === null ? "∞" : trimmed(rate_bps / 1e6, trace ? 3 : undefined);
  const [down, up] = [rate(profile.down), rate(profile.up)];
  return down === up ? down : `${down}/${up}`;
}

/** The rates, of a trace with its file's name: traces of one mean rate are different links. */
function rowLabel(profile: LinkProfile): string {
  const file = (profile.down.trace ?? profile.up.trace)?.file;
  return file === undefined ? ratesLabel(profile) : `${parse(file).name} ${ratesLabel(profile)}`;
}

/** What rows and columns say already, unless it varies over time. */
function isInGrid(setting: string, { down, up }: LinkProfile): boolean {
  if (/^trace(_down|_up)?=/.test(setting)) return true;
  const varies = [down, up].some(({ rate_steps, delay_steps }) => rate_steps || delay_steps);
  return !varies && /^(down|up|rtt|delay_down|delay_up)=/.test(setting);
}

function otherLabel(profile: LinkProfile, withSeed: boolean): string {
  const { down, up } = profile;
  const [queueDown, queueUp] = [queueLabel(down.queue), queueLabel(up.queue)];
  const queue = queueDown === queueUp ? queueDown : `${queueDown} down, ${queueUp} up`;
  const delays = down.delay_ms === up.delay_ms ? "" : `, delays ${trimmed(down.delay_ms)}/${trimmed(up.delay_ms)} ms`;
  const further = furtherSettings(profile)
    .filter((setting) => !isInGrid(setting, profile))
    .map((setting) => `, ${setting}`);
  return `queue ${queue}${delays}${further.join("")}${withSeed ? `, seed ${profile.seed}` : ""}`;
}

function distinct<T>(values: Iterable<T>): T[] {
  return [...new Set(values)];
}

/** The grid that these links span: few rows and columns, in rising order. */
export function linkGrid(links: ReadonlyMap<string, LinkProfile>): LinkGrid {
  const profiles = [...links.values()];
  const rtts = distinct(profiles.map((profile) => profile.rtt_ms));
  const losses = distinct(profiles.map(lossLabel));
  const severalSeeds = new Set(profiles.map((profile) => profile.seed)).size > 1;
  const otherOf = (profile: LinkProfile): string => otherLabel(profile, severalSeeds);
  const others = distinct(profiles.map(otherOf));
  const lossColumns = rtts.length === 1 && losses.length > 1;
  const rowOrder = (profile: LinkProfile): number =>
    (profile.down.rate_bps ?? 1e15) + (profile.up.rate_bps ?? 1e15) / 1e9;
  const columnOrder = (profile: LinkProfile): number =>
    lossColumns ? profile.down.loss + profile.up.loss / 1e6 : profile.rtt_ms;
  const columnOf = (profile: LinkProfile): string => (lossColumns ? lossLabel(profile) : trimmed(profile.rtt_ms));
  const places = new Map<string, Place>();
  for (const [link, profile] of links) {
    const facet = [
      !lossColumns && losses.length > 1 ? `loss ${lossLabel(profile)}` : "",
      others.length > 1 ? otherOf(profile) : "",
    ];
    const place = { row: rowLabel(profile), column: columnOf(profile), facet: facet.filter(Boolean).join(", ") };
    places.set(link, { link, ...place });
  }
  // Links whose labels are the same in all of this stand apart by their own form: none covers another.
  const standing = Map.groupBy(places.values(), ({ row, column, facet }) => JSON.stringify([row, column, facet]));
  for (const same of standing.values())
    if (same.length > 1) for (const place of same) places.set(place.link, { ...place, facet: place.link });
  const labelsBy = (order: (profile: LinkProfile) => number, label: (profile: LinkProfile) => string): string[] =>
    distinct(profiles.toSorted((a, b) => order(a) - order(b)).map(label));
  const facetOrder = [...links].toSorted((a, b) => a[1].down.loss - b[1].down.loss || a[1].up.loss - b[1].up.loss);
  return {
    rowTitle: profiles.some((profile) => ratesLabel(profile).includes("/")) ? "Mbit/s down/up" : "Mbit/s",
    columnTitle: lossColumns ? "loss" : "RTT, ms",
    rows: labelsBy(rowOrder, rowLabel),
    columns: labelsBy(columnOrder, columnOf),
    facets: distinct(facetOrder.map(([link]) => places.get(link)?.facet ?? "")),
    places,
  };
}
