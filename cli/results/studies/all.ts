// The published studies of page loads that `trilane reproduce` knows.
import { carlucci2015 } from "./carlucci_2015.ts";
import { cse534 } from "./cse534_2017.ts";
import { das2014, das2014Reproducibility } from "./das_2014.ts";
import { das2014Cellular, das2014CellularLanes } from "./das_2014_cellular.ts";
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
