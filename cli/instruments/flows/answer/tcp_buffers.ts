// Links that TCP flows cannot fill, because the kernel's buffers hold less than what is under way there: their usual limit bounds each flow,
// whatever its congestion control. Pure.
import type { Flow } from "../../../../schemas/generated/flow.ts";
import { count } from "../../../base/numbers.ts";
import type { LinkProfile } from "../../../link/link.ts";
import { formatRate } from "../../../registry/units.ts";

/** The greatest that each lab sets at its far end (native-host/base/namespace.c): down flows send from there, up flows end there. */
export const farBuffers = {
  down: { end: "sender", name: "tcp_wmem", size_bytes: 4_194_304, ofData: 3 / 4 },
  up: { end: "receiver", name: "tcp_rmem", size_bytes: 6_291_456, ofData: 1 / 2 },
} as const;
/** Of the link's rate: the rest is headers, and what congestion control leaves. */
const filled = 0.93;

export interface WindowedCell {
  readonly link: string;
  readonly link_profile: LinkProfile;
  readonly flows: readonly Flow[];
}

/** A sentence for each link and direction whose flows are all TCP's and too few. */
export function tcpBufferNotes(cells: readonly WindowedCell[]): string[] {
  const notes = cells.flatMap(({ link, link_profile, flows }) =>
    (["down", "up"] as const).flatMap((side) => {
      const { rate_bps, rate_steps, trace } = link_profile[side];
      const sending = flows.filter(({ direction }) => direction === side);
      if (rate_bps === null || rate_steps || trace || link_profile.rtt_ms <= 0 || sending.length === 0) return [];
      if (sending.some(({ transport }) => transport === "quic")) return [];
      const { end, name, size_bytes, ofData } = farBuffers[side];
      const data_bytes = size_bytes * ofData;
      const flow_bps = (data_bytes * 8) / (link_profile.rtt_ms / 1000);
      const all = sending.reduce((sum, flow) => sum + flow.count, 0);
      const needed = Math.ceil((filled * rate_bps) / flow_bps);
      if (all >= needed) return [];
      return [
        `${count(all, "TCP flow")} cannot fill ${link}: the ${end}'s buffer (${name}, about ${(data_bytes / 1e6).toFixed(1)} MB of data) lets each carry some ${formatRate(flow_bps)} over ${link_profile.rtt_ms} ms. It takes ${needed} flows, as --flow ${needed}*tcp${side === "up" ? ",up" : ""}.`,
      ];
    }),
  );
  return [...new Set(notes)];
}
