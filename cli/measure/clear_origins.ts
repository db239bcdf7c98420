// What each lane makes of origins recorded over http://: in clear on the lane h1, as they were; as https:// origins on the
// lanes that browsers speak over TLS only (native-host/replay/clear_origins.h). And on h1-clear, where all are in clear at
// last: a redirect from http:// to https:// would there lead to itself. Pure.
import type { Lane } from "../lanes.ts";

export function upgradesClearOrigins(lane: Lane): boolean {
  return lane !== "h1";
}

/** trilane-replay's options. */
export function clearOriginsArguments(lane: Lane): string[] {
  return upgradesClearOrigins(lane) ? ["--http-origins", "upgraded"] : [];
}

/** The URL under which a lane asks for what was recorded as `url`: https:// with the same host, and port but for 80. */
export function urlOnLane(url: string, lane: Lane): string {
  if (!upgradesClearOrigins(lane) || !/^http:/i.test(url) || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.protocol = "https:";
  return parsed.href;
}
