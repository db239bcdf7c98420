// How much farther away each recorded server was than the nearest one: what the link's RTT does not hold. For
// trilane-shaper's --extra-rtt.
import type { Exchange } from "../recording/archive/archive.ts";
import { withArchive } from "../recording/archive/client.ts";

/** The servers of hosts that no recording has (native-host/replay/origins/unrecorded_hosts.h). */
const unrecordedNetwork = "198.19.192.0/18";

/** Of several; the lower one of two in the middle. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

/**
 * By address, in ms, from the connections' round-trip times where the recording knows them. A server's is the least of
 * its connections': whatever is more was queueing. Servers as near as the nearest, and those of which nothing is known,
 * are left out. The network of hosts that are not recorded is as far as the median of those that are known.
 */
export function extraRtts(exchanges: readonly Pick<Exchange, "address" | "recorded">[]): Map<string, number> {
  const nearest = new Map<string, number>();
  for (const { address, recorded } of exchanges) {
    const { rtt_ms } = recorded;
    if (typeof rtt_ms !== "number" || !(rtt_ms >= 0)) continue;
    nearest.set(address, Math.min(rtt_ms, nearest.get(address) ?? Number.POSITIVE_INFINITY));
  }
  const least = Math.min(...nearest.values());
  const inMicroseconds = (extra_ms: number) => Math.round(extra_ms * 1000) / 1000;
  const extras = [...nearest].map(([address, rtt_ms]) => [address, inMicroseconds(rtt_ms - least)] as const);
  const ofUnrecorded = median(extras.map(([, extra_ms]) => extra_ms));
  return new Map([...extras, [unrecordedNetwork, ofUnrecorded] as const].filter(([, extra_ms]) => extra_ms > 0));
}

/** trilane-shaper's options; none where no server is farther than another. */
export function extraRttArguments(extras: ReadonlyMap<string, number>): string[] {
  if (extras.size === 0) return [];
  // Whole microseconds: a small number in ms could come out with an exponent.
  const items = [...extras].map(([address, extra_ms]) => `${address}=${Math.round(extra_ms * 1000)}us`);
  return ["--extra-rtt", items.join(",")];
}

const readings = new Map<string, Promise<string[]>>();

/** The options for a recording, read once for each digest. UserError where the recording is not there. */
export function extraRttArgumentsOf(home: string, recording: { name: string; digest: string }): Promise<string[]> {
  const key = JSON.stringify([home, recording.name, recording.digest]);
  const known = readings.get(key);
  if (known) return known;
  const reading = readArguments(home, recording.name);
  readings.set(key, reading);
  reading.catch(() => readings.delete(key));
  return reading;
}

function readArguments(home: string, name: string): Promise<string[]> {
  return withArchive(home, async (archive) => extraRttArguments(extraRtts((await archive.show(name)).exchanges)));
}
