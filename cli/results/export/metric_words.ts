// Which numbers of a load, and of a film, the report's table and the exports have, with their words. Computes none.
import { type Metric, metrics, type Rows } from "../../registry/metrics.ts";
import type { FilmedLoad, Load } from "../store/results.ts";

export const loadMetrics = {
  ...metrics.page,
  ...metrics.computed,
  ...metrics.video,
  ...metrics.counts,
} satisfies Partial<Record<keyof Load, Metric>>;

export type LoadMetric = keyof typeof loadMetrics;

export const filmMetrics: Rows<FilmMetric> = metrics.film;

export type FilmMetric = keyof typeof metrics.film & keyof FilmedLoad;
