// What a report says of origins recorded over http://.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lane } from "../../../cli/base/lanes.ts";
import { clearOriginsNote } from "../../../cli/report/method.ts";
import type { LoadFacts } from "../../../schemas/generated/page_load.ts";

interface Origins {
  readonly http?: string;
  readonly http_exchanges?: number;
  readonly redirects_left_out?: number;
}

const facts = (lane: Lane, origins: Origins | null, page = "shop") =>
  ({ lane, page, replay: origins && { transport: {}, origins } }) as unknown as LoadFacts;
const noteOf = (...loads: readonly LoadFacts[]): string => String(clearOriginsNote(loads) ?? "");

test("where all is https nothing is said", () => {
  assert.equal(noteOf(), "");
  assert.equal(noteOf(facts("h1", null), facts("h2", { http: "clear", http_exchanges: 0 })), "");
});

test("what was recorded over http:// is told with what each lane made of it", () => {
  const clear = facts("h1", { http: "clear", http_exchanges: 3, redirects_left_out: 0 });
  const upgraded = { http: "upgraded", http_exchanges: 3, redirects_left_out: 1 };
  const note = noteOf(facts("h3", upgraded), clear, facts("h2", upgraded), facts("h2", { http_exchanges: 0 }, "other"));
  assert.match(note, /over http:\/\/: shop \(3 exchanges\)\./);
  assert.match(note, /On h1 these origins stay in clear/);
  assert.match(note, /On h2, h3 they are upgraded to https:\/\//);
  assert.match(note, /1 redirect from http:\/\/ to https:\/\/ of one page is left out/);
  assert.match(note, /these lanes differ by more than the protocol/);
  assert.doesNotMatch(noteOf(clear), /upgraded|differ/);
});
