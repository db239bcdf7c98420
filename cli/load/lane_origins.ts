// What a lane asks of the origins: trilane-replay's options, and under which URLs they are reached. Pure. How the origins serve beside that is
// the plan's matter.
//
// Origins recorded over http:// are served in clear on the lane h1, as they were; as https:// origins on the lanes that browsers speak over TLS
// only (native-host/replay/origins/clear_origins.h). On h1 too if the browser would not ask for the page in clear (hsts.ts), or would not ask
// in clear for what the page names, as the page is one of https://. And on h1-clear, where all are in clear at last: a redirect from http:// to
// https:// would there lead to itself.
import { type Lane, laneFacts } from "../base/lanes.ts";

/** `byBrowser`: the browser upgrades the page's URL, or what it names, by itself (hsts.ts). */
export function upgradesClearOrigins(lane: Lane, byBrowser = false): boolean {
  return lane !== "h1" || byBrowser;
}

export function laneOriginOptions(lane: Lane, byBrowser = false): string[] {
  const { clear, repeat, quic } = laneFacts[lane];
  return [
    // An HTTPS record would send the browser from http:// to https:// at once: none names a protocol.
    ...(clear ? ["--clear", "--https-alpn", ""] : []),
    ...(repeat ? ["--early-data"] : []),
    ...(quic === "dns" ? ["--https-alpn", "h3,h2"] : []),
    ...(quic === "alt-svc" ? ["--https-alpn", "h2", "--alt-svc", "on"] : []),
    ...(upgradesClearOrigins(lane, byBrowser) ? ["--http-origins", "upgraded"] : []),
  ];
}

/** The URL under which a lane asks for what was recorded as `url`: https:// with the same host, and port but for 80. */
export function urlOnLane(url: string, lane: Lane, byBrowser = false): string {
  if (!upgradesClearOrigins(lane, byBrowser) || !/^http:/i.test(url) || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.protocol = "https:";
  return parsed.href;
}
