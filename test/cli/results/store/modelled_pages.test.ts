// What is said of a modelled page wherever it is named: where its order is known from, without what it is not known from.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Recording } from "../../../../cli/recording/archive/archive.ts";
import { modelledEnvironment, modelledPages } from "../../../../cli/results/store/modelled_pages.ts";

function sentence(known_by: Record<string, number>, compute: string): string | undefined {
  const model = { recording: "shop", known_by, compute };
  const recording = { name: "shop-model", source: "model: shop (har: test)", notes: { model } } as unknown as Recording;
  return modelledPages({ environment: modelledEnvironment([recording]) }).get("shop-model");
}

test("shares of nothing are left out, and computation is named as it was asked for", () => {
  const start = "shop-model is a modelled page in place of shop: the same hosts, requests and sizes";
  const known = sentence({ initiator: 97, referer: 0, timing: 3 }, "timer") ?? "";
  assert.ok(known.startsWith(start), known);
  assert.ok(
    known.includes(" What requests what comes from the recorded initiators (97 %), the requests' timing (3 %)."),
  );
  assert.ok(known.endsWith(" Its scripts spend their recorded computation by timers."));
  assert.match(sentence({ initiator: 1, referer: 0, timing: 0 }, "busy") ?? "", /initiators \(100 %\)\. .* by work\.$/);
  const nothing = sentence({ initiator: 0, referer: 0, timing: 0 }, "none") ?? "";
  assert.ok(nothing.endsWith("only request one another. Its scripts compute nothing."), nothing);
});
