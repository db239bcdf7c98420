// Flows as a comparison of sweeps takes them (cli/results/compare): a mix stands where pages have theirs, each `--flow` of it where they
// have a lane, and what a megabyte takes a flow, the inverse of its goodput, where they have the page load time: more is slower. Pure.
import type { ComparedNouns, ComparedSweep } from "../../../results/compare/interleaved.ts";
import type { FlowCell, FlowRunRow } from "../store/flow_runs.ts";
import type { FlowSweep } from "../store/stored_plan.ts";
import { flowGoodput, partsByMix } from "./contrasts.ts";

const nouns: ComparedNouns = {
  ...{ of: "flows", lane: "flow", load: "run", loads: "runs", place: "mix, link and flow", metric: "time per MB" },
  heads: ["mix and link", "flow"],
  budget: { names: ["page", "lane"], words: "a page (for a mix), a link and a lane (for a flow)" },
};

const megabyte_bits = 8e6;

export function comparedFlows(
  { plan }: Pick<FlowSweep, "plan">,
  cells: readonly FlowCell[],
  runs: readonly FlowRunRow[],
  recording_digest: string | null = null,
): ComparedSweep {
  const words = partsByMix(plan);
  // A short run has more of slow start, and another page takes more of the link.
  const far = JSON.stringify([plan.page, plan.page_start_s, plan.for_s]);
  // One of the mix's flows on its link is what a page's lane is: it has a number of its own.
  const places = cells.flatMap((cell) => {
    const parts = words.get(cell.mix) ?? [];
    return parts.map((words, part) => ({
      ...{ cell, part, page: cell.lane === null ? cell.mix : `${cell.mix} beside a page over ${cell.lane}` },
      ...{ link: cell.link, lane: parts.indexOf(words) === part ? words : `${words} (${part + 1})` },
    }));
  });
  return {
    nouns,
    cells: places.map(({ cell, part: _, ...place }, id) => ({
      ...{ ...place, id, link_profile: cell.link_profile, recording_digest, far },
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
