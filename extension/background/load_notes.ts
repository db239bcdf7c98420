// What a reader of a profile must know of how its load went, in sentences. Pure.

import type { ProfileFacts } from "../../schemas/generated/profile.ts";
import { type Capture, isUnderWay } from "../capture/requests.ts";
import type { Ended, MainDocument } from "./main_document.ts";

type Note = ProfileFacts["notes"][number];

const endings: Readonly<Record<string, string>> = {
  timeout:
    "The load event did not come in time; this shows the load until then. A page that never finishes loading has no page load time.",
  canceled: "Loading was stopped; this shows the load until then.",
  closed: "The tab was closed while it loaded; this shows the load until then.",
  navigated: "The tab went on to another page; this shows the load until then.",
  crashed: "The page crashed while it loaded; this shows the load until then. Profile it again.",
  detached:
    "The debugger was stopped from the browser's bar or taken by another program; this shows the load until then.",
  download: "The address was saved as a file; no page came.",
};

const several = (count: number, one: string, many: string): string => (count === 1 ? one : `${count} ${many}`);

/** Of how it ended, and of the documents that came. */
export function documentNotes(ended: Ended, document: Pick<MainDocument, "failure" | "shown" | "sentOn">): Note[] {
  const notes: Note[] = [];
  const add = (about: Note["about"], text: string) => notes.push({ about, text });
  const ending = endings[ended];
  if (ending) add("end", ending);
  if (document.failure !== null)
    add(
      "document",
      `The page did not come (${document.failure}): the browser shows an error page. Check the address and the network.`,
    );
  else if (document.shown === null && ended === "quiet")
    add("document", "The server's response has no page, so the browser stayed on the previous one.");
  if (document.sentOn > 0)
    add(
      "document",
      `${several(document.sentOn, "A document", "documents")} redirected the browser before loading. Times are for the last document, requests for all.`,
    );
  return notes;
}

export function openNote(open: number): Note[] {
  const text = `${several(open, "One request was", "requests were")} still under way at the end (streams, long polls). Times and sizes are until then.`;
  return open > 0 ? [{ about: "requests", text }] : [];
}

interface Watched {
  readonly capture: Capture;
  readonly ended: Ended;
  readonly document: MainDocument;
}

export function loadNotes({ capture, ended, document }: Watched): Note[] {
  const notes = documentNotes(ended, document);
  const add = (about: Note["about"], text: string) => notes.push({ about, text });
  if (document.dialogs > 0)
    add("dialog", "The page opened a dialog while it loaded. The times include how long it was open.");
  const wantsLogin = [...capture.extraInfos.values()].some(({ responses }) =>
    responses.some(({ statusCode }) => statusCode === 401 || statusCode === 407),
  );
  if (wantsLogin) add("auth", "A server wanted a name and password. The times include how long that took.");
  if (document.shown !== null && !capture.requests.some(({ sent }) => /^https?:/i.test(sent.request.url)))
    add("requests", "No HTTP request was made: the page came from this machine or the browser itself.");
  notes.push(...openNote(capture.requests.filter(isUnderWay).length));
  const first = capture.requests.find(({ sent }) => sent.type === "Document" && /^https?:/.test(sent.request.url));
  if (first?.response?.connectionReused)
    add(
      "detail",
      "The connection to the page's server was already open, so this load did not pay for it. For a cold start, close the site's other tabs and wait five minutes.",
    );
  if (capture.requests.length > 0 && capture.requests.every(({ response }) => response?.fromServiceWorker === true))
    add("requests", "The page's service worker answered every request: nothing went over the network.");
  return notes;
}
