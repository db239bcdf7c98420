// What differs between two recordings, in all that a replay serves by. Exchanges are paired by method and URL; those of one
// URL in recorded order. Pure.
import type { DiffChange, DiffSide } from "../../../schemas/generated/recording_differed.ts";
import type { ArchivedExchange } from "../archive/archive.ts";
import { urlOf } from "../export/recording_source.ts";

interface RecordingDiff {
  readonly same: number;
  readonly changes: DiffChange[];
  /** Whether those that both have are in the same order. */
  readonly same_order: boolean;
}

const keyOf = (exchange: ArchivedExchange): string => `${exchange.method} ${urlOf(exchange)}`;

const sideOf = ({ seq, status, address, body_size }: ArchivedExchange): DiffSide => ({
  seq,
  status,
  address,
  body_size,
});

function aspectsOf(a: ArchivedExchange, b: ArchivedExchange): DiffChange["aspects"] {
  const aspects: DiffChange["aspects"] = [];
  if (a.status !== b.status) aspects.push("status");
  if (a.address !== b.address) aspects.push("address");
  if (JSON.stringify(a.response_headers) !== JSON.stringify(b.response_headers)) aspects.push("headers");
  if (a.body_sha256 !== b.body_sha256) aspects.push("body");
  if (a.request_body_sha256 !== b.request_body_sha256) aspects.push("request body");
  return aspects;
}

export function diffExchanges(a: readonly ArchivedExchange[], b: readonly ArchivedExchange[]): RecordingDiff {
  const left = Map.groupBy(b, keyOf);
  const changes: DiffChange[] = [];
  const pairs: { a: number; b: number }[] = [];
  let same = 0;
  for (const exchange of a) {
    const { method } = exchange;
    const url = urlOf(exchange);
    const other = left.get(keyOf(exchange))?.shift();
    if (!other) {
      changes.push({ method, url, a: sideOf(exchange), b: null, aspects: [] });
      continue;
    }
    pairs.push({ a: exchange.seq, b: other.seq });
    const aspects = aspectsOf(exchange, other);
    if (aspects.length === 0) same++;
    else changes.push({ method, url, a: sideOf(exchange), b: sideOf(other), aspects });
  }
  const added = [...left.values()].flat().toSorted((x, y) => x.seq - y.seq);
  for (const exchange of added)
    changes.push({ method: exchange.method, url: urlOf(exchange), a: null, b: sideOf(exchange), aspects: [] });
  const same_order = pairs.every((pair, index) => pair.b > (pairs[index - 1]?.b ?? -1));
  return { same, changes, same_order };
}
