// What is wanted of one load. cli/instruments/page/run/request.ts makes it of a plan's cell, and load.ts measures it.
import type { Lane } from "../base/lanes.ts";
import type { Device } from "../browser/device.ts";
import type { ScreencastFrame } from "../browser/screencast.ts";
import type { LinkProfile } from "../link/link.ts";
import type { CrossTraffic } from "./cross_traffic.ts";
import type { Tolerance } from "./disturbance.ts";
import type { LoadServer } from "./servers/servers.ts";
import type { Serving } from "./serving/serving.ts";

export interface LoadRequest {
  readonly home: string;
  readonly recording: {
    readonly name: string;
    readonly digest: string;
    readonly url: string;
    /** Requests that failed when it was recorded: they are to fail again. */
    readonly failedUrls?: readonly string[];
    /** Length of the video that its page plays: the load ends with it. Absent: it plays none. */
    readonly video_s?: number;
  };
  readonly lane: Lane;
  readonly link: LinkProfile;
  /** The browser's program. Default: chromiumPath. */
  readonly browser?: string;
  /** From navigation to load event; of a video to its end, beyond its length. */
  readonly timeout_ms: number;
  /** How long the page is watched after its load event at least; in any case until it is quiet (quiet_page.ts). Default 0. */
  readonly settle_ms?: number;
  /** Whether a repeat visit finds the first one's cache, cookies and storage. Default: only what resumes connections. */
  readonly keepCache?: boolean;
  /** Whether the recording must have an answer to each request before the load event. Default: only to most (metrics/coverage.ts). */
  readonly strict?: boolean;
  /** To which moment the page's clock is set, its random numbers seeded. Default: as `serving` says, to the recording's. */
  readonly pinned_ms?: number | null;
  /** How the origins serve, and whether the page's time and chance are pinned. Default: as stock. */
  readonly serving?: Serving;
  /** What serves in front of trilane-replay, or in its place. Default: nothing. */
  readonly server?: LoadServer;
  /** The only CPUs that the lab may run on. Default: all. */
  readonly cpus?: readonly number[] | undefined;
  /** Whether it is watched how much a server sends on a connection at first. Default: it is not, nor beside flows. */
  readonly watchesFlights?: boolean;
  /** A folder in which the load leaves captures, the transports' state and its reports; made, and emptied if it is there. */
  readonly evidence?: string | undefined;
  /** How long the machine may hold up its link. Default: usualTolerance. */
  readonly tolerance?: Tolerance;
  /** Flows that share the link with it, from before its navigation on. Default: none. Not on repeat visits. */
  readonly crossTraffic?: CrossTraffic;
  /** Default: the recording's. */
  readonly device?: Device;
  /** Given what the page showed, until a moment after its load event. Such a load may be slower: it is for no average. */
  readonly filmed?: (frames: readonly ScreencastFrame[]) => void;
  readonly signal?: AbortSignal;
}
