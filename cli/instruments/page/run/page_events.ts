// What progress shows of a sweep's page loads: loads and films as they begin and end, the answer so far, another browser.
import type { BrowserChanged, FilmFinished } from "../../../../schemas/generated/sweep_event.ts";
import { type EventWords, troubleOf } from "../../../sweep/progress/event_words.ts";
import { Tracks } from "./filling_tracks.ts";

const placeOf = ({ page, link, lane }: Pick<FilmFinished, "page" | "link" | "lane">): string =>
  `${page} ${link} ${lane}`;

function browserLine({ before, now }: BrowserChanged): string {
  return `the browser changed from ${before} to ${now}: this sweep has loads of both; --new begins again with one`;
}

export const pageEvents: EventWords = {
  nouns: ["run", "runs"],
  tracks: () => new Tracks(),
  shown: (event) => {
    switch (event.event) {
      case "load-started":
        return { began: "" };
      case "load-finished":
        return { ended: { ...event, all: event.loads, place: placeOf(event) } };
      case "film-started":
        return { began: `, filming ${placeOf(event)}` };
      case "film-finished":
        return { said: troubleOf(`no film of ${placeOf(event)}: ${event.status}`, event), left_s: event.left_s };
      case "answer-so-far":
        return { said: { line: `so far: ${event.sentence}`, weight: "answer" } };
      case "browser-changed":
        return { said: { line: browserLine(event), weight: "warning" } };
      default:
        return null;
    }
  },
};
