// Which stored fetches are timed, and which have their system calls counted. What the fetches over one lane, version of TLS and of IP say
// together, on one link or on the network as it is: each metric's median and 95 % interval. Of five objects or more an object is the unit, with
// the median of its fetches: fetches of one object share its server and its way. Of fewer each fetch is, and the interval is of these objects
// only. Pure.
import type { FetchRecord } from "../../../../schemas/generated/fetch_record.ts";
import type { FetchMetricSummary, FetchSummary } from "../../../../schemas/generated/sweep_event.ts";
import { minimumUnits } from "../../../base/interval.ts";
import { median } from "../../../base/quantile.ts";
import type { FetchMetric } from "../../../registry/metrics.ts";
import { medianInterval } from "../../../results/stats/median_interval.ts";
import { countStatuses } from "../../../results/store/attempt_rows.ts";
import { fetchMetricNames, metricOf, missingReason } from "../metrics/fetch_metrics.ts";
import type { Fetched } from "../metrics/fetched.ts";
import type { FetchVariant, StoredFetch } from "../store/fetch_runs.ts";

/** Over what fetches are summed up. */
export interface FetchPlace extends FetchVariant {
  readonly link: string | null;
}

export const placeKey = ({ lane, tls, ip, link }: FetchPlace): string => JSON.stringify([link, lane, tls, ip]);

/** The metric's value of each unit. */
function unitValues(fetches: readonly StoredFetch[], value: (record: FetchRecord) => number | null) {
  const values = fetches.flatMap(({ status, object, record }) => {
    const its = status === "valid" && record !== null ? value(record) : null;
    return its === null ? [] : [{ object, value: its }];
  });
  const byObject = [...Map.groupBy(values, ({ object }) => object).values()];
  const unit = byObject.length >= minimumUnits ? "objects" : "fetches";
  const all =
    unit === "objects" ? byObject.map((of) => median(of.map((each) => each.value))) : values.map((each) => each.value);
  return { unit, values: all } as const;
}

/** The commonest reason. */
function reasonOf(fetches: readonly StoredFetch[], name: FetchMetric): string {
  const valid = fetches.flatMap(({ status, record }) => (status === "valid" && record !== null ? record : []));
  const [first] = valid;
  return first ? missingReason(first, name) : "no object came";
}

function metricSummary(fetches: readonly StoredFetch[], name: FetchMetric): FetchMetricSummary {
  const { unit, values } = unitValues(fetches, (record) => metricOf(record, name));
  if (values.length === 0) return { n: 0, unit, median: null, low: null, high: null, reason: reasonOf(fetches, name) };
  const interval = medianInterval(values);
  const { low, high } = interval ?? { low: null, high: null };
  return { n: values.length, unit, median: median(values), low, high, reason: null };
}

function summaryOf(place: FetchPlace, fetches: readonly StoredFetch[]): FetchSummary {
  const { link, lane, tls, ip } = place;
  const { valid, failed, invalid } = countStatuses(fetches);
  const came = fetches.filter(({ status }) => status === "valid");
  return {
    ...{ link, lane, tls, ip },
    objects: new Set(came.map(({ object }) => object)).size,
    ...{ valid, failed, invalid },
    metrics: Object.fromEntries(fetchMetricNames.map((name) => [name, metricSummary(fetches, name)])),
  };
}

/** Each once: cells of several objects share their places. */
export function distinctPlaces(cells: readonly FetchPlace[]): FetchPlace[] {
  return [...new Map(cells.map((cell) => [placeKey(cell), cell])).values()];
}

/** In the order of the cells' places. */
export function summarizeFetches(cells: readonly FetchPlace[], fetches: readonly StoredFetch[]): FetchSummary[] {
  const byPlace = Map.groupBy(fetches, placeKey);
  return distinctPlaces(cells).map((place) => summaryOf(place, byPlace.get(placeKey(place)) ?? []));
}

export interface FetchesByPurpose {
  readonly timed: readonly Fetched[];
  readonly counted: readonly Fetched[];
}

/** Whether a repetition is for counting system calls, which slows what it counts. */
export const isCounted = ({ block }: Pick<StoredFetch, "block">, repetitions: number): boolean => block >= repetitions;

/** In the order of the plan's cells, not in the random one in which they were fetched: links stand alike in all tables and sentences. */
export function fetchesByPurpose(fetches: readonly StoredFetch[], repetitions: number): FetchesByPurpose {
  const inPlanOrder = fetches.toSorted((a, b) => a.cell - b.cell);
  const known = inPlanOrder.flatMap(({ object, link, lane, tls, ip, block, status, record, cost }): Fetched[] =>
    status === "invalid" || record === null ? [] : [{ object, link, lane, tls, ip, block, record, cost }],
  );
  return {
    timed: known.filter((each) => !isCounted(each, repetitions)),
    counted: known.filter((each) => isCounted(each, repetitions)),
  };
}

/** Of all attempts those that times are of, also those that do not count. */
export function timedAttempts<Attempt extends Pick<StoredFetch, "block">>(
  fetches: readonly Attempt[],
  repetitions: number,
): Attempt[] {
  return fetches.filter((fetch) => !isCounted(fetch, repetitions));
}
