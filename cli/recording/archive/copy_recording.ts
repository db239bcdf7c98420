// A recording out of one archive into another, or into its own with other notes. What is changed on the way is its caller's choice.
import type { Archive, ArchivedExchange, JsonObject, Recording, RecordingDetail } from "./archive.ts";

export interface CopiedRecording {
  readonly recording: Pick<Recording, "name" | "url" | "source" | "recorded_at" | "notes">;
  readonly exchanges: readonly ArchivedExchange[];
}

/** Its bodies are read by their names from `bodyOf`. The copy, whose digest says whether it is the same. */
export async function copyRecording(
  { recording, exchanges }: CopiedRecording | RecordingDetail,
  bodyOf: (sha256: string) => AsyncIterable<Uint8Array>,
  target: Archive,
): Promise<Recording> {
  const body = (sha256: string | null) => (sha256 === null ? undefined : bodyOf(sha256));
  const { name, url, source, recorded_at, notes } = recording;
  return await target.write({ name, url, source, recorded_at, notes, replace: false }, async (writer) => {
    for (const exchange of exchanges)
      await writer.add({ exchange, body: body(exchange.body_sha256), requestBody: body(exchange.request_body_sha256) });
  });
}

/** The recording with these among its notes: its exchanges, and so its digest, stay. */
export async function noteInRecording(archive: Archive, name: string, added: JsonObject): Promise<Recording> {
  const { recording, exchanges } = await archive.show(name);
  const stored = (sha256: string | null) => (sha256 === null ? undefined : { sha256 });
  const { url, source, recorded_at, notes } = recording;
  const changed = { name, url, source, recorded_at, notes: { ...notes, ...added }, replace: true };
  return await archive.write(changed, async (writer) => {
    for (const exchange of exchanges)
      await writer.add({
        exchange,
        body: stored(exchange.body_sha256),
        requestBody: stored(exchange.request_body_sha256),
      });
  });
}
