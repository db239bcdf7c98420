// What a lane asks of the origins: trilane-replay's options. Pure. How the origins serve beside that is the plan's matter.
import type { Lane } from "../base/lanes.ts";
import { clearOriginsArguments } from "./clear_origins.ts";

/** DNS tells no protocol: nothing is to be found there. */
const silentDns = ["--https-alpn", ""];

const origins: Record<Lane, readonly string[]> = {
  h1: [],
  // An HTTPS record would send the browser from http:// to https:// at once.
  "h1-clear": ["--clear", ...silentDns],
  h2: [],
  "h2-0rtt": ["--early-data"],
  h3: [],
  "h3-discovered": ["--https-alpn", "h3,h2"],
  "h3-altsvc": ["--https-alpn", "h2", "--alt-svc", "on"],
  "h3-0rtt": ["--early-data"],
};

/** `byBrowser`: the browser makes https:// of the page's http:// by itself (hsts.ts). */
export function laneOriginOptions(lane: Lane, byBrowser = false): readonly string[] {
  return [...origins[lane], ...clearOriginsArguments(lane, byBrowser)];
}
