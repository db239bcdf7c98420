// A page load as cli/load makes them, for tests of what stores and counts loads. Not a measurement.

import type { Lane } from "../../../cli/base/lanes.ts";
import { version } from "../../../cli/base/version.ts";
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";

export interface PageLoadParts {
  readonly page: string;
  readonly recording_digest: string;
  readonly lane: Lane;
  readonly link: LinkProfile;
  readonly status?: "valid" | "invalid" | "failed";
  readonly reasons?: string[];
  readonly plt_ms?: number | null;
  readonly wall_ms?: number;
  readonly disturbance?: PageLoad["log"]["_trilane"]["disturbance"];
}

export function pageLoad(parts: PageLoadParts): PageLoad {
  const plt_ms = parts.plt_ms === undefined ? 700 : parts.plt_ms;
  return {
    log: {
      version: "1.2",
      creator: { name: "trilane", version },
      browser: { name: "Chromium", version: "156" },
      pages: [
        {
          startedDateTime: "2026-01-01T00:00:00.000Z",
          id: "page_1",
          title: parts.page,
          pageTimings: { onContentLoad: 500, onLoad: plt_ms ?? -1 },
        },
      ],
      entries: [],
      _trilane: {
        schema: "trilane/page-load/1",
        lane: parts.lane,
        link: parts.link,
        page: parts.page,
        recording_digest: parts.recording_digest,
        status: parts.status ?? "valid",
        reasons: parts.reasons ?? [],
        metrics: {
          plt_ms,
          ttfb_ms: 120,
          dcl_ms: 500,
          fcp_ms: 400,
          lcp_ms: null,
          unavailable: { lcp_ms: "no candidate was reported" },
        },
        counts: {
          requests: 22,
          bytes: 310_000,
          connections: 6,
          matched: 22,
          fuzzy: 0,
          missed: 0,
          failed: 0,
          off_lane: 0,
        },
        background: [],
        dns: [],
        replay: null,
        shaper: null,
        environment: {
          versions: { trilane: version },
          kernel: "6.18",
          architecture: "x64",
          cpu: "unknown",
          cpus: 2,
          memory_bytes: 1,
          congestion_control: { tcp: "cubic", quic: "cubic" },
          command_lines: { replay: [], shaper: [], browser: [] },
        },
        started_ns: 1,
        navigation_start_ns: 2,
        wall_ms: parts.wall_ms ?? 1500,
        ...(parts.disturbance ? { disturbance: parts.disturbance } : {}),
      },
    },
  };
}
