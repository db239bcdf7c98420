// The table of messages' fields in C: what it takes from a schema, and that a rule it could not keep is refused. That it
// refuses what the schema refuses, the examples and mutations show (test/native/messaging/messages_test.c).
import assert from "node:assert/strict";
import { test } from "node:test";
import { messageRules } from "../../../cli/install/message_rules.ts";

function rulesOf(field: object, $comment?: string): string {
  const properties = { type: { const: "shelf.tidy" }, field };
  const shelf_tidy = { $comment, type: "object", required: ["type"], properties, additionalProperties: false };
  const schemas: Record<string, object> = {
    "message.schema.json": { oneOf: [{ $ref: "#/$defs/shelf_tidy" }], $defs: { shelf_tidy } },
    "lane.schema.json": { enum: ["h1", "h9"] },
  };
  return messageRules((file) => schemas[file]);
}

test("ranges, lists of another schema, patterns in POSIX's words, and the command that answers", () => {
  const number = rulesOf({ type: "integer", minimum: 2, maximum: 9 });
  assert.match(
    number,
    /rule_shelf_tidy_field = \{.kind = RULE_NUMBER, .expected = "a number from 2 to 9", .least = 2, .most = 9\}/,
  );
  assert.match(number, /\{"field", false, &rule_shelf_tidy_field\}/);
  assert.match(number, /\{"shelf\.tidy", NULL, fields_shelf_tidy\}/);
  const lanes = rulesOf({ type: "array", items: { $ref: "lane.schema.json" } }, "`trilane tidy --json`");
  assert.match(lanes, /rule_lane = .*\{"h1", "h9", NULL\}/);
  assert.match(lanes, /\{"shelf\.tidy", "tidy", fields_shelf_tidy\}/);
  const pattern = rulesOf({ type: "string", pattern: "^(?:a|\\*)[^\\u0000-\\u001f]$" });
  assert.ok(pattern.includes(String.raw`"^(a|\\*)[^\001-\037]$"`), pattern);
});

test("what C would not check is refused", () => {
  assert.throws(() => rulesOf({ type: "integer", multipleOf: 2 }), /multipleOf is not known/);
  assert.throws(() => rulesOf({ type: "string", pattern: "^(?!a)" }), /not for POSIX/);
  assert.throws(() => rulesOf({ type: "string", pattern: "^\\d$" }), /not for POSIX/);
  assert.throws(() => rulesOf({ type: "number" }), /a field of type number/);
});
