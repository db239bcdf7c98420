// What a report says of browsers that went back from QUIC to TCP: how many of how many valid loads, and after which time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fallbackSection, fallbackSentence, fallbacksOf } from "../../../cli/report/fallback_section.ts";
import type { LaneLabel } from "../../../schemas/generated/lane_label.ts";
import type { Fixture } from "./fixture.ts";
import { reportData } from "./written_report.ts";

const load = (lane: LaneLabel, fallback_ms: number | null, status: "valid" | "invalid" = "valid") => ({
  lane,
  status,
  fallback_ms,
});

test("valid loads of the lane are counted, and the median has its range", () => {
  const loads = [
    load("h3-discovered", 60),
    load("h3-discovered", 80),
    load("h3-discovered", 70),
    load("h3-discovered", null),
    load("h3-discovered", 900, "invalid"),
    load("h3-altsvc", 5),
    load("h2", null),
  ];
  assert.equal(
    fallbackSentence(fallbacksOf("h3-discovered", loads)),
    "h3-discovered fell back to HTTP/2 in 3 of 4 loads, after 70.0 ms (60.0 ms to 80.0 ms).",
  );
  assert.equal(
    fallbackSentence(fallbacksOf("h3-altsvc", loads)),
    "h3-altsvc fell back to HTTP/2 in 1 of 1 load, after 5.00 ms.",
  );
  assert.equal(fallbackSentence(fallbacksOf("h2", loads)), "h2 fell back to HTTP/2 in 0 of 1 load.");
});

function sectionOf(links: readonly string[]): string | null {
  const fixture: Fixture = {
    name: "refused",
    pages: ["a.example"],
    links,
    lanes: ["h2", "h3-discovered"],
    repetitions: 2,
    plt_ms: () => 500,
  };
  const { cells, stored } = reportData(fixture);
  return fallbackSection(cells, stored)?.text ?? null;
}

test("only links that treat UDP in their own way have a section, with a row for each lane that leaves a choice", () => {
  assert.equal(sectionOf(["20mbit/40ms"]), null);
  const text = sectionOf(["20mbit/40ms", "20mbit/40ms,udp=blocked", "20mbit/40ms,udp=late:50ms"]);
  assert.ok(text);
  assert.equal(text.match(/<tr><td>/g)?.length, 2);
  assert.match(text, /UDP blocked/);
  assert.match(text, /UDP 50 ms late each way/);
  assert.match(text, /0 of 2/);
});
