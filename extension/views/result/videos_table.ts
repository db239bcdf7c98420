// What a viewer had of each video, as a table. Videos in, columns out.
import { middleCut } from "../../../cli/base/middle_cut.ts";
import { count, formatTime } from "../../../cli/base/numbers.ts";
import type { PageVideos, Video } from "../../../schemas/generated/page_load.ts";
import { html } from "../../figures/markup.ts";
import { shortUrl } from "../../figures/request.ts";
import type { Column, SortableTable } from "./sortable.ts";

const why =
  (name: keyof Video) =>
  ({ unavailable }: Video): string =>
    unavailable[name] ?? "not known";

function nameOf({ source, frame, frame_url }: Video): string {
  const { host, file } = shortUrl(frame_url);
  const where = frame === "main" ? "" : `, in ${host || "a frame"}`;
  if (source === "") return `no source${where}`;
  if (source.startsWith("blob:")) return `media source of ${file === "/" ? host : file}${where}`;
  return `${middleCut(source.startsWith("data:") ? "data:" : shortUrl(source).file, 40)}${where}`;
}

function sizes({ resolutions }: Video): string {
  return (resolutions ?? []).map(({ width, height }) => `${width}×${height}`).join(", ");
}

const switches = ({ resolutions }: Video): number | null =>
  resolutions === null ? null : Math.max(0, resolutions.length - 1);

const state = (video: Video): string =>
  `${video.error ? `failed: ${video.error}` : video.state.replace("-", " ")}${video.live ? ", live" : ""}${video.removed ? ", removed" : ""}`;

/** `name`: the member that says why there is none. */
const number = (
  name: keyof Video,
  title: string,
  meaning: string | undefined,
  of: Pick<Column<Video>, "value" | "cell">,
): Column<Video> => ({ title, ...(meaning === undefined ? {} : { meaning }), isNumber: true, ...of, why: why(name) });

const columns: readonly Column<Video>[] = [
  { title: "video", value: nameOf, cell: (video) => html`<span title="${video.source}">${nameOf(video)}</span>` },
  { title: "state", meaning: "when it was read", value: state, cell: state },
  number(
    "startup_ms",
    "startup",
    "from the call to play, or with autoplay from the load's beginning, until it played",
    {
      value: ({ startup_ms }) => startup_ms,
      cell: ({ startup_ms }) => formatTime(startup_ms ?? 0),
    },
  ),
  number("stalls", "stalls", "waiting for data after it had begun to play, seeks apart", {
    value: ({ stalls }) => stalls?.length ?? null,
    cell: ({ stalls }) => String(stalls?.length),
  }),
  number("stalled_ms", "stalled", "all stalls together", {
    value: ({ stalled_ms }) => stalled_ms,
    cell: ({ stalled_ms }) => formatTime(stalled_ms ?? 0),
  }),
  number("stall_ratio", "stall ratio", "time stalled over time stalled and played", {
    value: ({ stall_ratio }) => stall_ratio,
    cell: ({ stall_ratio }) => `${((stall_ratio ?? 0) * 100).toFixed(1)} %`,
  }),
  number("played_ms", "played", undefined, {
    value: ({ played_ms }) => played_ms,
    cell: ({ played_ms }) => formatTime(played_ms ?? 0),
  }),
  number("frames_dropped", "dropped frames", undefined, {
    value: ({ frames_dropped }) => frames_dropped,
    cell: ({ frames, frames_dropped }) => `${frames_dropped} of ${frames}`,
  }),
  number("resolutions", "switches", "of the rendition, as far as they change the picture's size", {
    value: switches,
    cell: (video) => String(switches(video)),
  }),
  {
    title: "picture",
    meaning: "width and height in pixels, one after the other",
    value: ({ width, height }) => (width === null || height === null ? null : width * height),
    cell: (video) => sizes(video) || `${video.width}×${video.height}`,
    why: why("width"),
  },
];

export function videosTable({ list, missed }: PageVideos): SortableTable<Video> {
  const stalled = list.filter(({ stalls }) => stalls !== null && stalls.length > 0).length;
  return {
    name: "videos",
    label: "Startup, stalls and frames by video",
    caption: html`Until the page was read${list.some(({ state: now }) => now === "playing" || now === "stalled") && ", while some were still playing"}. ${stalled > 0 && html`<b>${count(stalled, "video")} stalled.</b> `}A switch of the rendition that keeps the picture's size is not seen, nor are videos in closed shadow trees and in frames that were removed.${missed.map((each) => ` ${each}`)}`,
    columns,
    rows: list,
    shown: 20,
  };
}
