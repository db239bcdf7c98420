// A profile as a HAR file: HAR 1.2 with the fields that readers look for, still a profile by schemas/profile.schema.json.
// With bodies it is what a race is made of, and no profile any more. Credentials are crossed out unless they are wanted.

import type { HarEntry } from "../../schemas/generated/page_load.ts";
import type { Profile } from "../../schemas/generated/profile.ts";
import type { BodyText } from "../capture/bodies.ts";
import { urlWithoutCredentials } from "../capture/url_without_credentials.ts";
import { withReaderFields } from "./reader_fields.ts";
import { harForReaders, redactedEntry } from "./redact.ts";
import { credentialsInWords, secretNamesInWords } from "./secrets.ts";

export interface HarOptions {
  readonly keepCredentials: boolean;
}

/** Contents, by the entry's place in log.entries. */
export interface EntryBodies {
  readonly ofResponses: ReadonlyMap<number, BodyText>;
  readonly ofRequests: ReadonlyMap<number, string>;
}

type Facts = Profile["log"]["_trilane"];

function withNote({ notes }: Facts, text: string): Facts["notes"] {
  return notes.some(({ about }) => about === "credentials") ? notes : [...notes, { about: "credentials", text }];
}

/** The profile as it is exported, in whatever form: without cookies' values and what is secret by its name. */
export function profileForReaders(profile: Profile): Profile {
  const { log } = harForReaders(profile);
  const notes = withNote(
    log._trilane,
    `Masked: the values of Cookie, Set-Cookie and Authorization, and of fields named ${secretNamesInWords}.`,
  );
  return { log: { ...log, _trilane: { ...log._trilane, notes } } };
}

/** The profile as it is replayed: URLs and bodies are what its requests are found by. */
function profileForReplay({ log }: Profile): Profile {
  const [page] = log.pages;
  const notes = withNote(log._trilane, `The values of ${credentialsInWords} are masked.`);
  return {
    log: {
      ...log,
      pages: [{ ...page, title: urlWithoutCredentials(page.title) }],
      entries: log.entries.map(redactedEntry),
      _trilane: { ...log._trilane, url: urlWithoutCredentials(log._trilane.url), notes },
    },
  };
}

function withReadersFields({ log }: Profile): Profile {
  const entries = log.entries.map((entry) =>
    withReaderFields(entry, entry.pageref, entry._connectionId ?? entry.connection),
  );
  return { log: { ...log, entries } };
}

export function harText(profile: Profile, { keepCredentials }: HarOptions): string {
  return `${JSON.stringify(withReadersFields(keepCredentials ? profile : profileForReaders(profile)))}\n`;
}

function withBodies(entry: HarEntry, place: number, { ofResponses, ofRequests }: EntryBodies): object {
  const body = ofResponses.get(place);
  const sent = ofRequests.get(place);
  return {
    ...entry,
    request: {
      ...entry.request,
      ...(sent === undefined ? {} : { postData: { mimeType: entry.request.postData?.mimeType ?? "", text: sent } }),
    },
    response: { ...entry.response, content: { ...entry.response.content, ...body } },
  };
}

/** The file's text in pieces of some 100 kB or one entry, whichever is more, so that no second copy of all is made. */
export function* harPiecesWithBodies(
  profile: Profile,
  bodies: EntryBodies,
  { keepCredentials }: HarOptions,
): Generator<string> {
  const { entries, ...rest } = withReadersFields(keepCredentials ? profile : profileForReplay(profile)).log;
  yield `{"log":${JSON.stringify(rest).slice(0, -1)},"entries":[`;
  let comma = "";
  for (const [place, entry] of entries.entries()) {
    yield comma + JSON.stringify(withBodies(entry, place, bodies));
    comma = ",\n";
  }
  yield "]}}\n";
}
