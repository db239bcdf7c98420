// Hands a profile with its contents to trilane-host, in pieces that it takes. Nothing of it stays there when it fails.

import type { Profile } from "../../schemas/generated/profile.ts";
import { type EntryBodies, harPiecesWithBodies } from "../har/har.ts";
import { FailureError } from "./failure.ts";
import { askHost } from "./native_port.ts";

// The host takes any text of up to 1048576 characters a message.
const piece_chars = 1_000_000;
// The next pieces are written while the host reads the ones before.
const underWay = 4;
const name_chars = 200;

/** Text in pieces of at most piece_chars, none of which ends within a surrogate pair. */
export function* inPieces(texts: Iterable<string>): Generator<string> {
  let held = "";
  for (const text of texts) {
    held += text;
    while (held.length > piece_chars) {
      const last = held.charCodeAt(piece_chars - 1);
      const end = last >= 0xd800 && last <= 0xdbff ? piece_chars - 1 : piece_chars;
      yield held.slice(0, end);
      held = held.slice(end);
    }
  }
  if (held !== "") yield held;
}

/** `canceled` is called between pieces. Returns what the host calls the profile. */
export async function handOver(
  profile: Profile,
  bodies: EntryBodies,
  keepCredentials: boolean,
  canceled: () => boolean,
): Promise<string> {
  const { title, url } = profile.log._trilane;
  const name = (title.trim() || url).toWellFormed().slice(0, name_chars).toWellFormed();
  const { upload } = await askHost("profile.begin", { name });
  try {
    const sent: Promise<unknown>[] = [];
    for (const text of inPieces(harPiecesWithBodies(profile, bodies, { keepCredentials }))) {
      if (canceled()) throw new FailureError("canceled", "The race was canceled.", "Start it again.");
      const answer = askHost("profile.data", { upload, text: text.toWellFormed() });
      answer.catch(() => {});
      sent.push(answer);
      if (sent.length >= underWay) await sent.shift();
    }
    await Promise.all(sent);
    const answer = await askHost("profile.commit", { upload });
    if (typeof answer.profile !== "string")
      throw new FailureError("host-garbage", "Trilane's helper did not name the profile.", "Try again.");
    return answer.profile;
  } catch (error) {
    await askHost("profile.abort", { upload }, { timeout_ms: 5000 }).catch(() => {});
    throw error;
  }
}
