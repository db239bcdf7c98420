// A tested link for tests of what becomes of it: as asked, or with a rate that is out.
import type { SelftestLink, SelftestRow } from "../../../../schemas/generated/selftest.ts";

export function testedLink(link: string, outcome: SelftestLink["outcome"] = "within"): SelftestLink {
  const rate: SelftestRow = {
    quantity: "rate",
    direction: "down",
    unit: "bit/s",
    asked: 3e6,
    measured: outcome === "within" ? 3e6 : 2.9e6,
    tolerance: 4300,
    n: 60,
    outcome,
    reason: null,
  };
  const queue: SelftestRow = {
    quantity: "queue",
    direction: "down",
    unit: "packets",
    asked: 1000,
    measured: null,
    tolerance: null,
    n: 0,
    outcome: "not-measured",
    reason: "filling it takes 4.0 s, more than 1.5 s",
  };
  return {
    link,
    outcome,
    measurements: outcome === "within" ? 1 : 3,
    scheduling: "fifo",
    wall_ms: 900,
    rows: [rate, queue],
  };
}
