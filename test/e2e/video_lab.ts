// A video page played in a lab, and what it recorded of itself: for tests of the page, without what `trilane video` makes of it.
import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Lane } from "../../cli/base/lanes.ts";
import { chromiumPath } from "../../cli/base/programs.ts";
import { startBrowser } from "../../cli/browser/browser.ts";
import { userAgentOf } from "../../cli/browser/browser_binary.ts";
import { chromiumArguments, chromiumEnvironment } from "../../cli/browser/chromium.ts";
import { type WatchedPage, watchPage } from "../../cli/browser/page.ts";
import { makeScratchFolder } from "../../cli/browser/scratch.ts";
import { parseLink } from "../../cli/link/link.ts";
import { labCommand, spkiList } from "../../cli/load/lab.ts";
import { laneOriginOptions } from "../../cli/load/lane_origins.ts";
import { videoUrl } from "../../cli/recording/synth/video/video_page.ts";
import type { VideoEvents } from "../../schemas/generated/video_events.ts";

export interface Playing {
  readonly home: string;
  readonly recording: string;
  readonly lane: Lane;
  readonly link: string;
  /** Further arguments of the browser. Default: sound needs no person's gesture. */
  readonly browserArguments?: readonly string[];
}

const poll_ms = 250;
const patience_ms = 120_000;

/** Asks the page in the middle of playback; the record closes by itself. */
export async function play<Asked>(
  { home, recording, lane, link, browserArguments }: Playing,
  ask: (page: WatchedPage) => Promise<Asked>,
): Promise<{ readonly record: VideoEvents; readonly asked: Asked }> {
  const scratch = await makeScratchFolder();
  try {
    await mkdir(scratch.profile);
    const chromium = chromiumPath();
    const { profile, folder, reports } = scratch;
    const options = { lane, profile, spkiList: await spkiList(home), userAgent: await userAgentOf(chromium) };
    const replayOptions = laneOriginOptions(lane, false);
    const lab = labCommand({ home, recording, link: parseLink(link), reports, replayOptions });
    const further = browserArguments ?? ["--autoplay-policy=no-user-gesture-required"];
    const browser = await startBrowser({
      commandLine: [...lab.replay, ...lab.shaper, chromium, ...further, ...chromiumArguments(options)],
      environment: chromiumEnvironment(profile, folder, process.env),
      timeout_ms: 40_000,
    });
    try {
      const page = await watchPage(browser.connection);
      await page.load(videoUrl);
      const asked = await ask(page);
      return { record: await closedRecord(page), asked };
    } finally {
      await browser.stop();
    }
  } finally {
    await scratch.remove();
  }
}

async function closedRecord(page: WatchedPage): Promise<VideoEvents> {
  const until_ms = performance.now() + patience_ms;
  for (;;) {
    const text = await page.evaluate(`document.getElementById("trilane-video").textContent`);
    if (typeof text === "string" && text !== "") return JSON.parse(text) as VideoEvents;
    if (performance.now() > until_ms) throw new Error("the video did not come to its end");
    await delay(poll_ms);
  }
}
