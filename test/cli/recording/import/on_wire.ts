// A HAR as one who watched the network has it: with what went over the wire for the entry at each place.
import { type HarFile, readHarFile } from "../../../../cli/recording/import/har.ts";
import type { WireFacts } from "../../../../cli/recording/import/wire_exchange.ts";

export function onWire(json: unknown, wireOf: (index: number) => WireFacts | null): HarFile {
  const har = readHarFile(json);
  return { ...har, entries: har.entries.map((entry) => ({ ...entry, wire: wireOf(entry.index) })) };
}
