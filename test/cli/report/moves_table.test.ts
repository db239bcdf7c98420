// The table of what a moving link cost: only of loads whose link moved, with those that did not survive.
import assert from "node:assert/strict";
import { test } from "node:test";
import { movesTable } from "../../../cli/report/group_section.ts";
import type { Load } from "../../../cli/results/store/results.ts";
import { wordsOf } from "./markup_text.ts";

const load = (facts: Partial<Load>): Load =>
  ({
    status: "valid",
    reasons: [],
    plt_ms: 900,
    path_moves: 2,
    moved_first_byte_ms: 80,
    reconnections: 0,
    ...facts,
  }) as Load;

const lost = "the page was not whole within 60000 ms: 2 of 48 requests were lost when the link moved: https://a.test/";

const text = (loads: Readonly<Record<string, readonly Load[]>>): string =>
  wordsOf(movesTable(Object.entries(loads).map(([lane, of]) => ({ lane, loads: of }))));

test("each lane has the loads that survived, and the medians of all that moved", () => {
  const shown = text({
    h2: [
      load({ moved_first_byte_ms: 300, reconnections: 3 }),
      load({ status: "failed", reasons: [lost], moved_first_byte_ms: 400, reconnections: 1 }),
      load({ status: "invalid", reasons: ["the machine disturbed it"], moved_first_byte_ms: 9000 }),
    ],
    h3: [load({}), load({ moved_first_byte_ms: null }), load({ path_moves: null, moved_first_byte_ms: null })],
  });
  assert.match(shown, / h2 1 of 2 2 350 ms 2 h3 2 of 2 2 80\.?0? ms 0 /);
});

test("a link that did not move has none", () => {
  assert.equal(movesTable([{ lane: "h3", loads: [load({ path_moves: null })] }]), null);
});
