// Sweeps of flows as `trilane flows` would leave them in a home's results, for the tests of their report: made-up runs, stored through
// cli/results/store as real ones are.

import { flowResult } from "../../../../../cli/instruments/flows/metrics/flow_result.ts";
import { packRecords, thinnedRecords } from "../../../../../cli/instruments/flows/records/stored_records.ts";
import { addedFlows, flowCellsOf, recordFlowRun } from "../../../../../cli/instruments/flows/store/flow_runs.ts";
import { parseFlow } from "../../../../../cli/link/flows/flow_words.ts";
import { parseLink } from "../../../../../cli/link/link.ts";
import { openResults } from "../../../../../cli/results/store/results.ts";
import { type MadeFlow, type MadeRun, madeRecords } from "./records.ts";

export interface StoredMix {
  readonly name: string;
  readonly flows: readonly string[];
  /** Of each flow of the run, in its order: what it did on a link in a block. */
  readonly made: (of: { flow: number; link: string; block: number }) => MadeFlow;
}

export interface StoredFlows {
  readonly name?: string;
  readonly description?: string;
  readonly links: readonly string[];
  readonly mixes: readonly StoredMix[];
  readonly repetitions: number;
  readonly for_ms?: number;
  readonly run?: Partial<MadeRun>;
  /** Reasons of a run that does not count. */
  readonly invalid?: (of: { mix: string; link: string; block: number }) => string[];
  readonly finished?: boolean;
}

/** Its number. */
export function storeFlows(home: string, stored: StoredFlows): number {
  const { name = "some flows", links, mixes, repetitions, for_ms = 10_000, invalid = () => [] } = stored;
  using results = openResults(home);
  const mixesOfPlan = mixes.map((mix) => ({ name: mix.name, flows: mix.flows as [string, ...string[]] }));
  const { sweep } = results.begin(
    addedFlows({
      name,
      plan: {
        ...{ name, for_s: for_ms / 1000, repetitions, seed: 7, retries: 2, sample_ms: 5, ping_ms: null },
        ...{ links: links as [string, ...string[]], mixes: mixesOfPlan as [(typeof mixesOfPlan)[number]] },
        ...(stored.description === undefined ? {} : { description: stored.description }),
      },
      ...{ plan_digest: "0123456789abcdef".repeat(4), seed: 7, command: ["trilane", "flows", "plan.json"] },
      environment: { cpu: "Example CPU", cpus: 2, kernel: "6.18.5", quiche: "0.30.0" },
      flowCells: links.flatMap((link) =>
        mixes.map((mix) => ({ mix: mix.name, link, link_profile: parseLink(link), lane: null })),
      ),
    }),
    true,
  );
  let position = 0;
  for (const cell of flowCellsOf(results, sweep.id)) {
    const mix = mixes.find((each) => each.name === cell.mix);
    if (!mix) continue;
    const asked = mix.flows.map((words) => parseFlow(words, null));
    const groupOf = asked.flatMap(({ count }, group) => Array<number>(count).fill(group));
    for (let block = 0; block < repetitions; block++) {
      const flows = groupOf.map((group, flow): MadeFlow => {
        const { transport = "tcp", congestion = "cubic", direction = "down", start_s = 0 } = asked[group] ?? {};
        const base = { transport, congestion, direction, start_ms: start_s * 1000 };
        return { ...base, ...mix.made({ flow, link: cell.link, block }) };
      });
      const records = madeRecords({ link: cell.link, for_ms, flows, ...stored.run });
      const reasons = invalid({ mix: mix.name, link: cell.link, block });
      recordFlowRun(results, {
        ...{ cell: cell.id, block, attempt: 0, position: position++, reasons },
        status: reasons.length === 0 ? "valid" : "invalid",
        ...{ started_at: "2026-11-23T10:00:00.000Z", wall_ms: for_ms + 300 },
        result: flowResult(records, groupOf),
        series: packRecords(thinnedRecords(records)),
        pageLoad: null,
      });
    }
  }
  if (stored.finished !== false) results.finishSweep(sweep.id);
  results.release(sweep.id);
  return sweep.id;
}
