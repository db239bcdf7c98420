// Round trips of the small packets beside the flows: what an interactive application would feel (as flent's rrul). Pure.
import type { FlowPing } from "../../../../schemas/generated/flow_report.ts";
import { quantile } from "../../../base/quantile.ts";
import type { PingMetric } from "../../../registry/metrics.ts";
import { known, type Measured, missing } from "./measured.ts";

export function measurePing({ sent, received, replies }: FlowPing): Record<PingMetric, Measured> {
  const rtts_ms = replies.map(({ rtt_ns }) => rtt_ns / 1e6);
  const at = (probability: number): Measured =>
    rtts_ms.length * (1 - probability) < 1
      ? missing(`${rtts_ms.length} replies are too few for it`)
      : quantile(rtts_ms, probability);
  return {
    ping_p50_ms: at(0.5),
    ping_p95_ms: at(0.95),
    ping_p99_ms: at(0.99),
    ping_lost: known(sent > 0 ? 1 - received / sent : null, "none was sent"),
  };
}
