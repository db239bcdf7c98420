// What a report says of QUIC's congestion control.
import assert from "node:assert/strict";
import { test } from "node:test";
import { congestionNotes } from "../../../cli/report/congestion_notes.ts";
import type { ShownFacts } from "../../../cli/report/data.ts";

const facts = (control: string | null) =>
  ({
    replay: control && {
      transport: { quic: { congestion_control: control, reductions_taken_back: control === "cubic" } },
    },
  }) as unknown as ShownFacts;
const noteOf = (...controls: readonly (string | null)[]): string => congestionNotes(controls.map(facts)).text;

test("quiche's CUBIC takes reductions back", () => {
  assert.match(noteOf("cubic", null), /quiche undoes a window reduction/);
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

interface Counted {
  readonly label: string;
  readonly control: string;
  readonly frequent: boolean;
  /** Packets and acknowledgements of each connection. */
  readonly acks: readonly (readonly [packets: number, acks: number])[];
}

function acksNoteOf(loads: readonly Counted[]): string {
  const shown = loads.map(({ label, control, frequent, acks }) => ({
    label,
    serving: { client_acks: frequent ? "frequent" : "usual" },
    replay: {
      transport: { quic: { congestion_control: control } },
      connections: [{ lane: "h2" }, ...acks.map((each) => ({ acks: { packets: each[0], acks: each[1] } }))],
    },
  }));
  return congestionNotes(shown as unknown as ShownFacts[]).text;
}

test("Sprout-EWMA: how often browsers acknowledged, on all that it is compared with", () => {
  const load = (label: string, control: string, ...acks: [number, number][]): Counted => ({
    ...{ label, control, acks },
    frequent: true,
  });
  const text = acksNoteOf([
    load("h3:sprout", "sprout-ewma-acks", [200, 100], [100, 50], [10, 10]),
    load("h3:sprout", "sprout-ewma-acks", [300, 100]),
    load("h3:cubic", "cubic", [400, 100]),
    load("h2", "cubic"),
  ]);
  assert.match(
    text,
    /^<p>sprout-ewma-acks: Sprout-EWMA \(Das 2014\).* On all lanes alike, browsers held .* for 1 ms at most;/,
  );
  // 300 by 150 and 300 by 100; the connection of 10 packets is not counted.
  assert.match(text, /on h3:sprout 2\.5 packets for each acknowledgement \(2\.0 to 3\.0 over 2 loads\)/);
  assert.match(text, /, on h3:cubic 4\.0 packets for each acknowledgement\.<\/p>$/);
});

test("ACKs are told of where they were asked for, or a controller lives on them, and nowhere else", () => {
  const load = { label: "h3", acks: [[100, 20]] as const };
  assert.equal(acksNoteOf([{ ...load, control: "reno", frequent: false }]), "");
  assert.match(
    acksNoteOf([{ ...load, control: "reno", frequent: true }]),
    /^<p>On all lanes alike.* on h3 5\.0 packets/,
  );
  const usual = acksNoteOf([{ ...load, control: "sprout-ewma", frequent: false }]);
  assert.match(usual, /Browsers acknowledged as they do; the servers counted on h3 5\.0/);
  assert.match(acksNoteOf([{ ...load, control: "sprout-ewma", frequent: false, acks: [] }]), /no server counted them/);
});
