// A profile as a HAR file: HAR 1.2 with the fields that readers look for, still a profile by schemas/profile.schema.json.
// With bodies it is what a race is made of, and no profile any more. Credentials are crossed out unless they are asked for.

import type { HarEntry } from "../../schemas/generated/page_load.ts";
import type { Profile } from "../../schemas/generated/profile.ts";
import type { BodyText } from "../capture/bodies.ts";
import { urlWithoutCredentials } from "../capture/url_without_credentials.ts";
import { withReaderFields } from "./reader_fields.ts";
import { redactedEntry } from "./redact.ts";

export interface HarOptions {
  readonly keepCredentials: boolean;
}

/** Contents, by the entry's place in log.entries. */
export interface EntryBodies {
  readonly ofResponses: ReadonlyMap<number, BodyText>;
  readonly ofRequests: ReadonlyMap<number, string>;
}

const crossedOut = {
  about: "credentials",
  text: "The values of Authorization, Cookie and Set-Cookie headers are crossed out.",
} as const;

/** The profile as it is written to a file. */
export function harOf(profile: Profile, { keepCredentials }: HarOptions): Profile {
  const { log } = profile;
  const { notes } = log._trilane;
  const [page] = log.pages;
  const told = keepCredentials || notes.some(({ about }) => about === "credentials");
  const urlOf = keepCredentials ? (url: string) => url : urlWithoutCredentials;
  return {
    log: {
      ...log,
      pages: [{ ...page, title: urlOf(page.title) }],
      entries: log.entries.map((entry) => {
        const written = withReaderFields(entry, entry.pageref, entry._connectionId ?? entry.connection);
        return keepCredentials ? written : redactedEntry(written);
      }),
      _trilane: { ...log._trilane, url: urlOf(log._trilane.url), notes: told ? notes : [...notes, crossedOut] },
    },
  };
}

export function harText(profile: Profile, options: HarOptions): string {
  return `${JSON.stringify(harOf(profile, options))}\n`;
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
export function* harPiecesWithBodies(profile: Profile, bodies: EntryBodies, options: HarOptions): Generator<string> {
  const { entries, ...rest } = harOf(profile, options).log;
  yield `{"log":${JSON.stringify(rest).slice(0, -1)},"entries":[`;
  let comma = "";
  for (const [place, entry] of entries.entries()) {
    yield comma + JSON.stringify(withBodies(entry, place, bodies));
    comma = ",\n";
  }
  yield "]}}\n";
}
