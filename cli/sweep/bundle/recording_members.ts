// Recordings on their way into a bundle: each as a document, and the bodies of all, once. Refuses a recording that is not the one
// that was loaded.
import type { BundledRecordingFacts } from "../../../schemas/generated/bundle.ts";
import type { BundledRecording } from "../../../schemas/generated/bundled_recording.ts";
import { UserError } from "../../base/errors.ts";
import type { Archive } from "../../recording/archive/archive.ts";
import { withArchive } from "../../recording/archive/client.ts";
import { copyRecording } from "../../recording/archive/copy_recording.ts";
import { openRecording, type RecordingSource } from "../../recording/export/recording_source.ts";
import { bodyMember, recordingMember } from "./layout.ts";
import { type Member, textMember } from "./members.ts";

export interface RecordingMembers {
  readonly facts: readonly BundledRecordingFacts[];
  readonly members: readonly Member[];
}

interface RecordingChoice {
  /** By the page's name, the digest of the recording that was loaded. */
  readonly loaded: ReadonlyMap<string, string>;
  readonly keepCredentials: boolean;
  /** An empty folder, for archives of recordings that are changed. */
  readonly scratch: (name: string) => string;
}

const leaveOut = "or leave all recordings out with --results-only";

async function opened(archive: Archive, name: string, digest: string, keep: boolean): Promise<RecordingSource> {
  const there = (await archive.list()).find((recording) => recording.name === name);
  if (!there) throw new UserError(`recording ${name}: is not in the archive any more: bring it back, ${leaveOut}`);
  if (there.digest !== digest)
    throw new UserError(
      `recording ${name}: has changed since it was loaded (${digest.slice(0, 12)}, now ${there.digest.slice(0, 12)}): bring the earlier one back, ${leaveOut}`,
    );
  return await openRecording(archive, name, keep);
}

/** Only the archive computes a digest, so what is changed goes through one. */
async function digestOf(source: RecordingSource, archive: Archive, scratch: string): Promise<string> {
  const copied = await withArchive(scratch, (target) =>
    copyRecording(source, (sha256) => archive.body(sha256), target),
  );
  return copied.digest;
}

/** The archive is read until the members have been. UserError for a recording that is missing, changed or damaged. */
export async function recordingMembers(
  archive: Archive,
  { loaded, keepCredentials, scratch }: RecordingChoice,
): Promise<RecordingMembers> {
  const facts: BundledRecordingFacts[] = [];
  const documents: Member[] = [];
  const bodies = new Map<string, Member>();
  const addBody = (sha256: string | null, bytes: number): void => {
    if (sha256 === null || bodies.has(sha256)) return;
    bodies.set(sha256, { name: bodyMember(sha256), bytes, sha256, content: () => archive.body(sha256) });
  };
  for (const [name, loaded_digest] of loaded) {
    const source = await opened(archive, name, loaded_digest, keepCredentials);
    const { recording, exchanges } = source;
    const stored = await archive.show(name);
    const isMasked = JSON.stringify(stored.exchanges) !== JSON.stringify(exchanges);
    const digest = isMasked ? await digestOf(source, archive, scratch(name)) : loaded_digest;
    facts.push({ name, digest, loaded_digest, included: true });
    const document: BundledRecording = {
      schema: "trilane/bundled-recording/1",
      name,
      url: recording.url,
      source: recording.source,
      recorded_at: recording.recorded_at,
      digest,
      notes: recording.notes,
      exchanges: exchanges as unknown as BundledRecording["exchanges"],
    };
    documents.push(textMember(recordingMember(name), `${JSON.stringify(document, null, 1)}\n`));
    for (const exchange of exchanges) {
      addBody(exchange.body_sha256, exchange.body_size);
      if (exchange.request_body_sha256 !== null)
        addBody(exchange.request_body_sha256, await source.requestBody_bytes(exchange));
    }
  }
  return { facts, members: [...documents, ...bodies.values()] };
}
