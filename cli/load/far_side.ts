// What is at the other end of a load's link: trilane-replay with the recording, with a server of others in front of it, or the live servers that
// the page came from. Composes the words for it, and reads what it left behind. Starts nothing.
import type { ServerFacts } from "../../schemas/generated/page_load.ts";
import type { PlanLive } from "../../schemas/generated/sweep_plan.ts";
import type { Lane } from "../base/lanes.ts";
import type { HostAddress } from "../link/live/reach.ts";
import type { Evidence } from "./evidence.ts";
import { type LabOptions, spkiList } from "./lab.ts";
import { laneOriginOptions } from "./lane_origins.ts";
import type { ReplayReport } from "./reports.ts";
import { prepareServer, readServer } from "./server_run.ts";
import type { LoadServer } from "./servers/servers.ts";
import { servingArguments } from "./serving/arguments.ts";
import type { Serving } from "./serving/serving.ts";

interface FarSideOptions {
  readonly home: string;
  readonly recording: { readonly name: string; readonly digest: string };
  readonly lane: Lane;
  /** The browser makes https:// of http:// by itself (lane_origins.ts). */
  readonly byBrowser: boolean;
  readonly serving: Serving;
  readonly server: LoadServer | undefined;
  readonly evidence: Evidence | null;
  readonly scratch: string;
}

interface FarSide {
  readonly lab: Pick<LabOptions, "recording" | "far" | "replayOptions" | "server">;
  /** The program that the lab's command line starts, or becomes by exec. */
  readonly outermost: string;
  /** Keys that the browser is to trust, comma-joined. */
  readonly spkiList: string;
  /** Hosts that the browser finds at another address than their names lead to. */
  readonly addresses: readonly HostAddress[];
  /** What the words have of this machine, and the names to write in its place. */
  readonly places: readonly { readonly path: string; readonly name: string }[];
  /** Once the lab has gone. `replay`: what trilane-replay left. */
  readonly read: (replay: ReplayReport | null) => Promise<FarOutcome>;
}

export interface FarOutcome {
  /** null: trilane-replay served. */
  readonly facts: ServerFacts | null;
  /** Why the load does not count; empty: it does as far as the server goes. */
  readonly reasons: readonly string[];
  readonly replay: ReplayReport | null;
}

export async function farSide(options: FarSideOptions): Promise<FarSide> {
  const { home, recording, server, scratch, evidence } = options;
  if (server?.definition.live) return liveSide(server, server.definition.live);
  const run = server && (await prepareServer(server, { home, recording, scratch }));
  return {
    lab: {
      recording: recording.name,
      replayOptions: [
        ...servingArguments(options.serving),
        ...laneOriginOptions(options.lane, options.byBrowser),
        ...(evidence?.replayOptions ?? []),
        ...(run?.replayOptions ?? []),
      ],
      server: run?.words ?? [],
    },
    outermost: "trilane-replay",
    spkiList: await spkiList(home),
    addresses: [],
    places: [],
    read: async (replay) => (run ? await readServer(run, replay) : { facts: null, reasons: [], replay }),
  };
}

/** Nothing is known of live servers but what the browser says. */
function liveSide({ name, live }: LoadServer, { addresses = [], trusted_keys = [] }: PlanLive): FarSide {
  if (!live) throw new RangeError(`server ${name}: nothing leads to it`);
  const unknown = { program: null, version: null, build: null, configuration: null, cpu_ms: null };
  return {
    lab: { recording: null, far: live.far },
    // live_lab.sh and trilane-guard become it.
    outermost: "trilane-shaper",
    spkiList: trusted_keys.join(","),
    addresses,
    places: live.own === null ? [] : [{ path: live.own, name: "$NETWORKS" }],
    read: async () => ({ facts: { name, ...unknown, command: "", logged: 0, live: true }, reasons: [], replay: null }),
  };
}
