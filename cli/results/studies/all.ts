// The studies that `trilane reproduce` knows.
import { carlucci2015 } from "./carlucci_2015.ts";
import { carlucci2015S1, carlucci2015S2 } from "./carlucci_2015_flows.ts";
import { cse534 } from "./cse534_2017.ts";
import { das2014, das2014Reproducibility } from "./das_2014.ts";
import { das2014Cellular, das2014CellularLanes } from "./das_2014_cellular.ts";
import { das2014Overhead } from "./das_2014_overhead.ts";
import type { FetchStudy } from "./fetch_study.ts";
import type { FlowStudy } from "./flow_study.ts";
import { panda2019 } from "./panda_2019.ts";
import { panda2019Cost } from "./panda_2019_cost.ts";
import { panda2019Delivery } from "./panda_2019_delivery.ts";
import { panda2019Video } from "./panda_2019_video.ts";
import type { Study } from "./study.ts";
import { wolsing2019 } from "./wolsing_2019.ts";
import { yuBenson2021 } from "./yu_benson_2021.ts";

export const studies: readonly Study[] = [
  das2014,
  das2014Reproducibility,
  das2014Cellular,
  das2014CellularLanes,
  carlucci2015,
  cse534,
  wolsing2019,
  yuBenson2021,
  panda2019Video,
];

export const flowStudies: readonly FlowStudy[] = [das2014Overhead, carlucci2015S1, carlucci2015S2, panda2019];

export const fetchStudies: readonly FetchStudy[] = [panda2019Delivery, panda2019Cost];

/** Of the study of fetches that a plan belongs to. */
export function fetchStudyOfPlan(plan: string): FetchStudy | null {
  return fetchStudies.find(({ quick, full }) => plan === quick || plan === full) ?? null;
}

/** Of the study of flows that a plan belongs to. */
export function flowStudyOfPlan(plan: string): FlowStudy | null {
  return flowStudies.find(({ quick, full }) => plan === quick || plan === full) ?? null;
}

/** Of the study that a plan belongs to. */
export function studyOfPlan(plan: string): Study | null {
  return studies.find(({ quick, full }) => plan === quick || plan === full) ?? null;
}
