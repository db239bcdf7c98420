// The CSE 534 project of 2017: its networks and pages. It shows bars without numbers, so there is nothing to set ours against.
import type { Study } from "./study.ts";

export const cse534: Study = {
  name: "cse534-2017",
  reference: "CSE 534 project, Stony Brook University, 2017: QUIC against HTTP/2",
  quick: "cse534-2017-quick",
  full: "cse534-2017",
  published: [],
  differs:
    "The project compared a tuned HTTP/2 server with a toy QUIC server, by its own account; here both are of one quality, and the report shows what each costs.",
};
