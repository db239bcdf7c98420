// What a report says of QUIC's congestion control.
import assert from "node:assert/strict";
import { test } from "node:test";
import { congestionNotes } from "../../../cli/report/congestion_notes.ts";
import type { LoadFacts } from "../../../schemas/generated/page_load.ts";

const facts = (control: string | null) =>
  ({
    replay: control && {
      transport: { quic: { congestion_control: control, reductions_taken_back: control === "cubic" } },
    },
  }) as unknown as LoadFacts;
const noteOf = (...controls: readonly (string | null)[]): string => congestionNotes(controls.map(facts)).text;

test("quiche's CUBIC takes reductions back", () => {
  assert.match(noteOf("cubic", null), /quiche's takes a reduction of its window back/);
  assert.equal(noteOf("reno", "bbr2", null), "");
});

test("ours: as how many flows, what is kept of the window, and that cubic-n1 is TCP's", () => {
  const two = noteOf("cubic-n2", "cubic-n2");
  assert.match(two, /^<p>After a loss cubic-n2 is CUBIC as 2 flows, and keeps 0\.85 of its window\. No reduction/);
  assert.doesNotMatch(two, /RFC 9438|quiche/);
  assert.match(noteOf("cubic-n1"), /as 1 flow, and keeps 0\.7 of its window\. .* cubic-n1 is RFC 9438\S+ CUBIC/);
  assert.match(noteOf("cubic-n1", "cubic-n3"), /keeps 0\.7 of its window; cubic-n3 .* keeps 0\.9 of its window\./);
});

test("gcc, inter-arrival-2013: what sets the rate", () => {
  assert.match(noteOf("gcc", "cubic-n1"), /No reduction.*gcc is Google Congestion Control .* at most 8 % a second/s);
  assert.doesNotMatch(noteOf("cubic-n1", null), /gcc|Inter-Arrival/);
  assert.match(
    noteOf("inter-arrival-2013"),
    /^<p>inter-arrival-2013 is WebRTC Inter-Arrival .* plain acknowledgements\.<\/p>$/,
  );
});
