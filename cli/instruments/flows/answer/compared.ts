// Flows as a comparison of sweeps takes them (cli/results/compare): a mix stands where pages have theirs, each `--flow` of it where they
// have a lane, and what a megabyte takes a flow, the inverse of its goodput, where they have the page load time: more is slower. Pure.
import type { ComparedNouns, Run } from "../../../results/compare/interleaved.ts";
import type { FlowCell, FlowRunRow } from "../store/flow_runs.ts";
import { flowGoodput } from "./contrasts.ts";

const nouns: ComparedNouns = {
  ...{ of: "flows", lane: "flow", loads: "runs", place: "mix, link and flow", metric: "time per MB" },
  heads: ["mix and link", "flow"],
};

const megabyte_bits = 8e6;

/** `parts`: of each `--flow` of a mix its words, in their order. */
export function comparedFlows(
  cells: readonly FlowCell[],
  runs: readonly FlowRunRow[],
  partsOf: (cell: FlowCell) => readonly string[],
): Run {
  // One of the mix's flows on its link is what a page's lane is: it has a number of its own.
  const places = cells.flatMap((cell) => {
    const parts = partsOf(cell);
    return parts.map((words, part) => ({
      ...{ cell, part, page: cell.lane === null ? cell.mix : `${cell.mix} amid a page over ${cell.lane}` },
      ...{ link: cell.link, lane: parts.indexOf(words) === part ? words : `${words} (${part + 1})` },
    }));
  });
  return {
    nouns,
    cells: places.map(({ cell, part: _, ...place }, id) => ({
      ...{ ...place, id, link_profile: cell.link_profile, recording_digest: "" },
    })),
    loads: runs.flatMap((run) =>
      places.flatMap(({ cell, part, ...place }, id) => {
        if (cell.id !== run.cell) return [];
        const goodput_bps = flowGoodput(run, part);
        const plt_ms = goodput_bps === null ? null : (megabyte_bits / goodput_bps) * 1000;
        return [{ ...place, id: run.id, cell: id, block: run.block, status: run.status, reasons: run.reasons, plt_ms }];
      }),
    ),
  };
}
