// The lanes of a page on a link as tracks that fill as runs end, each with its median so far. From a sweep's events; text out.
import type { SweepEvent } from "../../../../schemas/generated/sweep_event.ts";
import { labelParts, laneFacts } from "../../../base/lanes.ts";
import { formatTime } from "../../../base/numbers.ts";
import { median } from "../../../base/quantile.ts";
import type { ShownLine } from "../../../base/terminal_text.ts";
import { sortLanes } from "../../../results/verdict/sample.ts";

interface Track {
  readonly plts_ms: number[];
  runs: number;
  invalid: number;
}

const trackWidth = 24;
/** The lanes' own colours, of 256: h1 orange, h2 blue, h3 green. */
const colours = { h1: "38;5;214", h2: "38;5;32", h3: "38;5;36" } as const;

export function laneColour(label: string): string | undefined {
  const lane = labelParts(label)?.lane;
  return lane === undefined ? undefined : colours[laneFacts[lane].family];
}

export class Tracks {
  #lanes: readonly string[] = [];
  #runs = 0;
  readonly #places = new Map<string, Map<string, Track>>();
  #place = "";
  #current: string | null = null;

  after(event: SweepEvent): void {
    switch (event.event) {
      case "sweep-started":
        this.#lanes = sortLanes(event.lanes ?? []);
        this.#runs = event.runs ?? 0;
        for (const { page, link, lane, plt_ms } of event.before ?? []) this.#add(`${page} ${link}`, lane, plt_ms);
        break;
      case "load-started":
        this.#place = `${event.page} ${event.link}`;
        this.#current = event.lane;
        break;
      case "load-finished":
        this.#place = `${event.page} ${event.link}`;
        if (event.status === "valid") this.#add(this.#place, event.lane, event.plt_ms);
        else this.#track(this.#place, event.lane).invalid++;
        break;
      case "film-started":
        this.#place = "";
        break;
      default:
    }
  }

  /** Empty before the first load, and between loads of pages: films, other kinds of runs. */
  lines(): ShownLine[] {
    if (this.#place === "" || this.#lanes.length === 0) return [];
    const width = Math.max(...this.#lanes.map((lane) => lane.length));
    return [{ text: this.#place }, ...this.#lanes.map((lane) => this.#line(lane, width))];
  }

  #line(lane: string, width: number): ShownLine {
    const { runs, invalid, plts_ms } = this.#track(this.#place, lane);
    const full = Math.min(trackWidth, Math.floor((runs / Math.max(1, this.#runs)) * trackWidth));
    const head = lane === this.#current && full < trackWidth ? "▸" : "";
    const track = `${"━".repeat(full)}${head}${"·".repeat(trackWidth - full - head.length)}`;
    const drawn = `  ${lane.padEnd(width)}  ${track}`;
    const middle = plts_ms.length === 0 ? "" : `  ${formatTime(median(plts_ms)).padStart(7)}`;
    const trouble = invalid === 0 ? "" : `  ${invalid} not valid`;
    const colour = laneColour(lane);
    const text = `${drawn}  ${String(runs).padStart(String(this.#runs).length)}/${this.#runs}${middle}${trouble}`;
    return colour === undefined ? { text } : { text, colour, coloured: drawn.length };
  }

  #track(place: string, lane: string): Track {
    const tracks = this.#places.get(place) ?? new Map<string, Track>();
    this.#places.set(place, tracks);
    const track = tracks.get(lane) ?? { plts_ms: [], runs: 0, invalid: 0 };
    tracks.set(lane, track);
    return track;
  }

  #add(place: string, lane: string, plt_ms: number | null): void {
    const track = this.#track(place, lane);
    track.runs++;
    if (plt_ms !== null) track.plts_ms.push(plt_ms);
  }
}
