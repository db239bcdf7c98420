// Links that TCP flows cannot fill, because their receive windows are shorter than what is under way: the kernel's usual limit bounds each flow,
// whatever its congestion control. Pure.

import type { Flow } from "../../../../schemas/generated/flow.ts";
import { count } from "../../../base/numbers.ts";
import type { LinkProfile } from "../../../link/link.ts";
import { formatRate } from "../../../registry/units.ts";

/** tcp_rmem's greatest, which each lab sets (native-host/base/stock_network.c). The kernel keeps half of it for other things than data. */
export const receiveBuffer_bytes = 6_291_456;
const window_bits = (receiveBuffer_bytes / 2) * 8;
/** Of the link's rate: the rest is headers, and what congestion control leaves. */
const filled = 0.93;

export interface WindowedCell {
  readonly link: string;
  readonly link_profile: LinkProfile;
  readonly flows: readonly Flow[];
}

/** A sentence for each link and direction whose flows are all TCP's and too few. */
export function receiveWindowNotes(cells: readonly WindowedCell[]): string[] {
  const notes = cells.flatMap(({ link, link_profile, flows }) =>
    (["down", "up"] as const).flatMap((side) => {
      const { rate_bps, rate_steps, trace } = link_profile[side];
      const sending = flows.filter(({ direction }) => direction === side);
      if (rate_bps === null || rate_steps || trace || link_profile.rtt_ms <= 0 || sending.length === 0) return [];
      if (sending.some(({ transport }) => transport === "quic")) return [];
      const flow_bps = window_bits / (link_profile.rtt_ms / 1000);
      const all = sending.reduce((sum, flow) => sum + flow.count, 0);
      const needed = Math.ceil((filled * rate_bps) / flow_bps);
      if (all >= needed) return [];
      return [
        `${count(all, "TCP flow")} cannot fill ${link}: the kernel's receive window (tcp_rmem, ${(window_bits / 8e6).toFixed(1)} MB of data) lets each carry at most ${formatRate(flow_bps)} over ${link_profile.rtt_ms} ms. It takes ${needed} flows, as --flow ${needed}*tcp.`,
      ];
    }),
  );
  return [...new Set(notes)];
}
