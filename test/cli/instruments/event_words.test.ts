// What progress shows of each instrument's events: how a sweep begins, what runs, and an attempt that is not valid.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commandEvents } from "../../../cli/instruments/command/run/runner.ts";
import { fetchEvents } from "../../../cli/instruments/fetch/run/runner.ts";
import { flowEvents } from "../../../cli/instruments/flows/run/runner.ts";
import { pageEvents } from "../../../cli/instruments/page/run/page_events.ts";
import { AttemptCount } from "../../../cli/sweep/progress/attempt_count.ts";
import type { EventWords } from "../../../cli/sweep/progress/event_words.ts";
import { progressLine } from "../../../cli/sweep/progress/progress_lines.ts";
import type { SweepEvent } from "../../../schemas/generated/sweep_event.ts";

const place = { position: 0, block: 0, attempt: 1, link: "3g" } as const;
const failed = { status: "failed" as const, reasons: ["it broke"], wall_ms: 9, done: 2, left_s: 60 };
const load = { ...place, page: "shop", lane: "h3" } as const;
const flow = { ...place, mix: "both", lane: null } as const;
const object = { ...place, object: "https://a.example/", lane: "h2", tls: "1.2", ip: 6 } as const;
const command = { ...place, command: "curl", link: null } as const;

interface Case {
  readonly words: EventWords;
  readonly began: SweepEvent;
  readonly ended: SweepEvent;
  readonly says: { readonly runs: string; readonly began: string; readonly trouble: string; readonly place: string };
}

const cases: Readonly<Record<string, Case>> = {
  pages: {
    words: pageEvents,
    began: { event: "load-started", ...load },
    ended: { event: "load-finished", ...load, ...failed, load: 1, plt_ms: null, loads: 4 },
    says: { runs: "4 runs", began: "", trouble: "failed: shop 3g h3, attempt 2: it broke", place: "shop 3g h3" },
  },
  flows: {
    words: flowEvents,
    began: { event: "flow-run-started", ...flow },
    ended: { event: "flow-run-finished", ...flow, ...failed, run: 1, runs: 4 },
    says: { runs: "4 runs", began: ", both 3g", trouble: "failed: both 3g, attempt 2: it broke", place: "both 3g" },
  },
  fetches: {
    words: fetchEvents,
    began: { event: "fetch-started", ...object },
    ended: { event: "fetch-finished", ...object, ...failed, fetch: 1, fetches: 4, record: null },
    says: {
      runs: "4 fetches",
      began: ", h2 TLS 1.2 IPv6 https://a.example/ 3g",
      trouble: "failed: h2 TLS 1.2 IPv6 https://a.example/ 3g: it broke",
      place: "h2 TLS 1.2 IPv6 https://a.example/ 3g",
    },
  },
  commands: {
    words: commandEvents,
    began: { event: "command-started", ...command },
    ended: { event: "command-finished", ...command, ...failed, run: 1, runs: 4, record: null },
    says: { runs: "4 runs", began: ", curl", trouble: "failed: curl: it broke", place: "curl" },
  },
};

describe("progress of", () => {
  for (const [name, { words, began, ended, says }] of Object.entries(cases))
    test(name, () => {
      const facts = { sweep: 1, name: "test", cells: 2, loads: 4, done: 0, resumed: false, expected_s: 60 };
      const started = progressLine({ event: "sweep-started", ...facts }, words);
      assert.equal(started?.line, `test: sweep 1: ${says.runs}, 2 cells, about 1 min`);
      assert.deepEqual(words.shown(began), { began: says.began });
      const expected = { line: says.trouble, weight: "trouble", reason: "it broke" };
      assert.deepEqual(progressLine(ended, words), expected);
      assert.equal(progressLine({ ...ended, status: "valid", reasons: [] } as SweepEvent, words), null);
      const counted = new AttemptCount(words).after(ended);
      const { done, all, noun, place: where, trouble } = counted ?? assert.fail("it is an attempt");
      assert.deepEqual([done, `${all} ${noun}`, where], [2, says.runs, says.place]);
      assert.equal(trouble, ", 1 of 1 attempt not valid");
      const others = Object.values(cases).filter((other) => other.words !== words);
      for (const other of others) assert.equal(words.shown(other.ended), null, "another instrument's event");
    });
});
