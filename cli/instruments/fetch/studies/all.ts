// The published studies of fetched objects that `trilane reproduce` knows.
import type { FetchStudy } from "./fetch_study.ts";
import { panda2019Cost } from "./panda_2019_cost.ts";
import { panda2019Delivery } from "./panda_2019_delivery.ts";

export const fetchStudies: readonly FetchStudy[] = [panda2019Delivery, panda2019Cost];
