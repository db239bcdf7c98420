// What the browser says of itself and its network. Nothing that names the user.
import type { ProfileFacts } from "../../schemas/generated/profile.ts";

/** Chromium's own, which TypeScript's library does not have. */
interface ChromiumNavigator {
  readonly userAgentData?: { readonly platform: string };
  readonly connection?: { readonly effectiveType?: string; readonly rtt?: number; readonly downlink?: number };
}

export function browserFacts(): ProfileFacts["browser"] {
  const { userAgentData, connection } = navigator as ChromiumNavigator;
  return {
    user_agent: navigator.userAgent,
    platform: userAgentData?.platform ?? "",
    connection:
      connection?.effectiveType === undefined
        ? null
        : {
            effective_type: connection.effectiveType,
            rtt_ms: connection.rtt ?? 0,
            downlink_mbps: connection.downlink ?? 0,
          },
  };
}
