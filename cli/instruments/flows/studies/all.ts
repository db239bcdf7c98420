// The published studies of flows that `trilane reproduce` knows.
import { carlucci2015S1, carlucci2015S2 } from "./carlucci_2015_flows.ts";
import { das2014Overhead } from "./das_2014_overhead.ts";
import type { FlowStudy } from "./flow_study.ts";
import { panda2019 } from "./panda_2019.ts";

export const flowStudies: readonly FlowStudy[] = [das2014Overhead, carlucci2015S1, carlucci2015S2, panda2019];
