// What the report tells of a link: what was asked, in words, and what only some links do, where it happened.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseLink } from "../../../../cli/link/link.ts";
import { linkFacts, type ShapedLoad } from "../../../../cli/report/figures/link_facts.ts";
import type { LoadFacts } from "../../../../schemas/generated/page_load.ts";

const examples = join(import.meta.dirname, "..", "..", "..", "..", "schemas", "examples", "shaper-report");
const loadWith = (report: string): ShapedLoad => {
  const shaper: unknown = JSON.parse(readFileSync(join(examples, report), "utf8"));
  return { id: 7, lane: "h3", facts: { shaper } as unknown as LoadFacts };
};
const textOf = (link: string, report: string) => String(linkFacts(parseLink(link), [loadWith(report)]));

test("a known link is called by its name", () => {
  assert.match(
    textOf("cse534-lb-hl", "traffic.json"),
    /Link:<\/b> cse534-lb-hl: 0.75 Mbit\/s down, 0.25 Mbit\/s up, RTT 100 ms/,
  );
  assert.match(
    textOf("3mbit/50ms,aqm=pie", "traffic.json"),
    /Link:<\/b> 3 Mbit\/s each way, .* PIE queue of 1000 packets/,
  );
});

test("what only some links do is told where it happened, and not where it did not", () => {
  const shaper = JSON.parse(readFileSync(join(examples, "impaired.json"), "utf8"));
  const { drops, copied_packets, fec } = shaper.down;
  assert.ok(drops.off > 0 && copied_packets > 0 && fec.repaired_packets > 0, "the example is of such a link");
  const text = textOf("3mbit/50ms,onoff=10s:1s,duplicate=1%,fec=2", "impaired.json");
  const down = /h3 down: ([^;]*)/.exec(text)?.[1]?.split(", ") ?? [];
  const all = [`${drops.off} lost while the link was off`, `${copied_packets} duplicated`];
  for (const told of [...all, `${fec.repaired_packets} lost and repaired`]) assert.ok(down.includes(told), told);
  assert.doesNotMatch(textOf("3mbit/50ms", "traffic.json"), /Besides, in packets/);
});
