// What the recordings that are loaded have, read once for each: a load asks for it before its lab is made, and from the second
// load on it costs nothing.
import { withArchive } from "../recording/archive/client.ts";
import { type RecordedRequests, recordedRequests } from "../recording/archive/recorded_requests.ts";

interface RecordingName {
  readonly name: string;
  readonly digest: string;
}

const known = new Map<string, Promise<RecordedRequests | null>>();

async function read(home: string, { name, digest }: RecordingName): Promise<RecordedRequests | null> {
  const { recording, exchanges } = await withArchive(home, (archive) => archive.show(name));
  // Another one took its place meanwhile: what is served says so.
  return recording.digest === digest ? recordedRequests(recording, exchanges) : null;
}

const keyOf = (home: string, { name, digest }: RecordingName): string => JSON.stringify([home, name, digest]);

/** For who has changed its notes: it is read once more. */
export function forgetRecorded(home: string, changed: RecordingName): void {
  known.delete(keyOf(home, changed));
}

/** Null where the archive's recording of that name is another one. */
export function recordedRequestsOf(home: string, recording: RecordingName): Promise<RecordedRequests | null> {
  const key = keyOf(home, recording);
  const before = known.get(key);
  if (before) return before;
  const reading = read(home, recording);
  known.set(key, reading);
  // A failure may pass, so it is not remembered.
  reading.then(
    (found) => found === null && known.delete(key),
    () => known.delete(key),
  );
  return reading;
}
