// The recorded events of test/fixtures/capture, and captures made of them. How they were recorded: record.ts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { entriesOf, navigationRequest } from "../../extension/capture/entries.ts";
import type { CaptureEvent } from "../../extension/capture/events.ts";
import { type Capture, newCapture, take } from "../../extension/capture/requests.ts";
import type { HarEntry } from "../../schemas/generated/page_load.ts";

export const lanes = ["h1", "h2", "h3"] as const;
export type Lane = (typeof lanes)[number];

interface Fixture {
  readonly mainFrame: string;
  readonly events: CaptureEvent[];
}

export function fixture(lane: Lane): Fixture {
  const path = join(import.meta.dirname, "..", "fixtures", "capture", `${lane}.json`);
  return JSON.parse(readFileSync(path, "utf8")) as Fixture;
}

export function captureOf({ mainFrame, events }: Fixture): Capture {
  const capture = newCapture(mainFrame);
  for (const event of events) take(capture, event);
  return capture;
}

export function entriesFrom(capture: Capture): HarEntry[] {
  const first = navigationRequest(capture);
  return entriesOf(capture, { pageref: "page_1", navigationStart_s: first?.sent.timestamp ?? 0 });
}
