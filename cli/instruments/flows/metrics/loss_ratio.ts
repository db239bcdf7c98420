// Loss ratio at the bottleneck (NetShaper's l; RFC 5166, 2.1.3): IP bytes lost there, in the queue or on the wire, over those sent.
import { type Measured, missing } from "./measured.ts";

export interface SentAndLost {
  readonly sent_bytes: number;
  readonly lost_bytes: number;
}

export function lossRatio(counts: SentAndLost | null): Measured {
  if (counts === null || counts.sent_bytes === 0) return missing("nothing was sent");
  return counts.lost_bytes / counts.sent_bytes;
}
