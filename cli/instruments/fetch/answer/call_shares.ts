// System calls of fetches that were counted with strace: of each call its share of the time that all took in the kernel, and how many
// there are. Several counted fetches are added up; what failed is none of them. Pure.
import type { SystemCall } from "../../../../schemas/generated/fetch_cost.ts";
import { type Fetched, type Variant, variantKey, variantsOf } from "../metrics/fetched.ts";

export interface CallShare {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  readonly seconds: number;
  /** Of the time of all calls; 0 where strace found none. */
  readonly share: number;
}

export interface CountedCalls {
  readonly variant: Variant;
  readonly link: string | null;
  readonly end: "client" | "server";
  /** Fetches that were counted. */
  readonly fetches: number;
  /** Of their bodies together. */
  readonly body_bytes: number;
  /** That the server sent for each of its calls that send; null: not known, or of a client. */
  readonly packetsForCall: number | null;
  readonly seconds: number;
  /** The one with the most time first. */
  readonly calls: readonly CallShare[];
}

/** Shares of the calls of one fetch. */
export function callShares(calls: readonly SystemCall[]): CallShare[] {
  const byName = Map.groupBy(calls, ({ name }) => name);
  const total = calls.reduce((sum, { seconds }) => sum + seconds, 0);
  const added = [...byName].map(([name, of]) => {
    const seconds = of.reduce((sum, each) => sum + each.seconds, 0);
    return {
      name,
      calls: of.reduce((sum, each) => sum + each.calls, 0),
      errors: of.reduce((sum, each) => sum + each.errors, 0),
      seconds,
      share: total > 0 ? seconds / total : 0,
    };
  });
  return added.sort((a, b) => b.seconds - a.seconds || b.calls - a.calls || (a.name < b.name ? -1 : 1));
}

/** Calls that wait for events, send, or receive: different programs and lanes use different ones of them. */
const callKinds = {
  receive: ["recvmsg", "recvmmsg", "recvfrom", "read", "readv"],
  send: ["sendmsg", "sendmmsg", "sendto", "write", "writev", "sendfile", "splice"],
  wait: ["epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type CallKind = keyof typeof callKinds;

/** Calls that pass requests on, and that write logs, are a small share of those that send this much. */
const leastBody_bytes = 1_000_000;

function packetsForCall(fetched: readonly Fetched[]): number | null {
  const sending: readonly string[] = callKinds.send;
  const own = fetched.filter(
    ({ record, cost }) => (record.body_bytes ?? 0) >= leastBody_bytes && typeof cost?.packets_down === "number",
  );
  const packets = own.reduce((sum, { cost }) => sum + (cost?.packets_down ?? 0), 0);
  const sent = own.flatMap(({ cost }) => cost?.server_calls ?? []).filter(({ name }) => sending.includes(name));
  const calls = sent.reduce((sum, each) => sum + each.calls - each.errors, 0);
  return packets > 0 && calls > 0 ? packets / calls : null;
}

/** Null: strace found no time at all. */
export function kindShare(calls: readonly SystemCall[], kind: CallKind): number | null {
  const names: readonly string[] = callKinds[kind];
  const total = calls.reduce((sum, { seconds }) => sum + seconds, 0);
  const own = calls.reduce((sum, { name, seconds }) => sum + (names.includes(name) ? seconds : 0), 0);
  return total > 0 ? own / total : null;
}

/** Null: they were not counted, or the object did not come whole. */
export function callsOf({ record, cost }: Fetched, end: "client" | "server"): readonly SystemCall[] | null {
  if (record.error !== null || cost === null) return null;
  return end === "client" ? cost.client_calls : cost.server_calls;
}

/** Of each variant on each link what both its ends called; nothing of ends that were not counted. */
export function countedCalls(fetched: readonly Fetched[]): CountedCalls[] {
  const links = [...new Set(fetched.map(({ link }) => link))];
  return links.flatMap((link) =>
    variantsOf(fetched).flatMap((variant) =>
      (["client", "server"] as const).flatMap((end): CountedCalls[] => {
        const own = fetched.flatMap((each) => {
          const calls = callsOf(each, end);
          const isOwn = each.link === link && variantKey(each) === variantKey(variant);
          return isOwn && calls ? [{ each, calls, body_bytes: each.record.body_bytes ?? 0 }] : [];
        });
        if (own.length === 0) return [];
        const calls = callShares(own.flatMap((each) => each.calls));
        const seconds = calls.reduce((sum, each) => sum + each.seconds, 0);
        const body_bytes = own.reduce((sum, each) => sum + each.body_bytes, 0);
        const packets = end === "server" ? packetsForCall(own.map(({ each }) => each)) : null;
        return [{ variant, link, end, fetches: own.length, body_bytes, packetsForCall: packets, seconds, calls }];
      }),
    ),
  );
}
