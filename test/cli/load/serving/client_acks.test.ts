// How often browsers acknowledge in a plan: alike on all lanes, and often enough for Sprout-EWMA.
import assert from "node:assert/strict";
import { test } from "node:test";
import { laneServing, servingWithAcks, stockServing } from "../../../../cli/load/serving/serving.ts";
import { planDigest, planOf } from "../../../../cli/sweep/plan/plan.ts";

const sprout = { quic: { congestion_control: "sprout-ewma-acks" } } as const;
const plan = {
  name: "acks",
  pages: ["carlucci-small"],
  links: ["5mbit/30ms"],
  lanes: ["h3:cubic", "h3:sprout"],
  repetitions: 1,
  settings: { cubic: { quic: { congestion_control: "cubic" } }, sprout },
};

test("one lane with Sprout-EWMA makes ACKs frequent on all", () => {
  const read = planOf(plan, "test");
  assert.equal(read.serving.client_acks, "frequent");
  for (const lane of ["h3:cubic", "h3:sprout"] as const) assert.equal(laneServing(read, lane).client_acks, "frequent");
  assert.equal(laneServing(read, "h3:cubic").transport.quic.congestion_control, "cubic");
});

test("so does a serving with it, also one that another choice was made over", () => {
  assert.equal(servingWithAcks({ serving: { transport: sprout } }).client_acks, "frequent");
  assert.equal(servingWithAcks({ serving: { ...stockServing, transport: sprout } }).client_acks, "frequent");
});

test("else they are as asked", () => {
  assert.deepEqual(servingWithAcks({}), stockServing);
  assert.equal(stockServing.client_acks, "usual");
  assert.equal(servingWithAcks({ serving: { client_acks: "frequent" } }).client_acks, "frequent");
});

test("plans that never heard of it keep their digest", () => {
  const { settings, ...others } = plan;
  const digest = (serving: object): string => planDigest(planOf({ ...others, lanes: ["h3"], serving }, "test"));
  assert.ok(settings);
  // As it was before there was a choice.
  assert.equal(digest({ think: { ms: 20 } }), "6f241ce3401a31eb9a97c32f78468172a8169a57f7793e8eaa579cde0292d484");
  assert.notEqual(digest({ client_acks: "frequent" }), digest({}));
  assert.equal(digest({ client_acks: "usual" }), digest({}));
  assert.notEqual(digest({ priorities: "none" }), digest({}));
  assert.equal(digest({ priorities: "rfc9218" }), digest({}));
  assert.notEqual(digest({ early_hints: "none" }), digest({}));
  assert.equal(digest({ early_hints: "recorded" }), digest({}));
});
