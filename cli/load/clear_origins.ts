// What each lane makes of origins recorded over http://: in clear on the lane h1, as they were; as https:// origins on the
// lanes that browsers speak over TLS only (native-host/replay/origins/clear_origins.h). On h1 too where the browser would not ask for
// the page in clear (hsts.ts), or would not ask in clear for what the page names, as the page is one of https://. And on h1-clear, where all are in clear at last: a redirect from http:// to https:// would there
// lead to itself. Pure.
import type { Lane } from "../base/lanes.ts";

/** `byBrowser`: the browser upgrades the page's URL, or what it names, by itself. */
export function upgradesClearOrigins(lane: Lane, byBrowser = false): boolean {
  return lane !== "h1" || byBrowser;
}

/** trilane-replay's options. */
export function clearOriginsArguments(lane: Lane, byBrowser = false): string[] {
  return upgradesClearOrigins(lane, byBrowser) ? ["--http-origins", "upgraded"] : [];
}

/** The URL under which a lane asks for what was recorded as `url`: https:// with the same host, and port but for 80. */
export function urlOnLane(url: string, lane: Lane, byBrowser = false): string {
  if (!upgradesClearOrigins(lane, byBrowser) || !/^http:/i.test(url) || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.protocol = "https:";
  return parsed.href;
}
