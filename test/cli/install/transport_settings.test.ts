// The settings of TCP and QUIC in C: a member, a default, an option, help and a place in the report for each kind of value.
import assert from "node:assert/strict";
import { test } from "node:test";
import { transportSettings } from "../../../cli/install/transport_settings.ts";

const written = transportSettings((file) => {
  if (file !== "serving.schema.json")
    return {
      properties: {
        transport: {
          properties: { tcp: { properties: { room_bytes: { type: ["integer", "null"] } } }, quic: { properties: {} } },
        },
      },
    };
  const room_bytes = {
    oneOf: [{ type: "null" }, { type: "integer", minimum: 2, maximum: 9 }],
    setting: { stock: null, replay_help: ["N", 'how "much"'] },
  };
  const in_a_hurry = { type: "boolean", setting: { stock: true, replay_help: ["SWITCH", "off: slowly"] } };
  const way = { enum: ["there", "back"], setting: { stock: "back", option: "path" } };
  const name = { type: "string", setting: { stock: "plain" } };
  const tune = { enum: ["la"], setting: { stock: "la", replay_takes_any: true } };
  return {
    definitions: { tcp: { properties: { room_bytes, in_a_hurry, name } }, quic: { properties: { way, tune } } },
  };
});
const header = written.get("transport_settings.h") ?? "";
const tables = written.get("transport_settings.c") ?? "";

test("each setting has a member, an option and help", () => {
  for (const member of ["uint32_t room_bytes;", "bool in_a_hurry;", "uint32_t way;", "const char *tune;"])
    assert.ok(header.includes(`    ${member}\n`), member);
  for (const row of [
    '"tcp-room", OPTION_NUMBER, OPTION_IN(type, in.tcp.room_bytes), TCP_ROOM_RANGE',
    '"tcp-in-a-hurry", OPTION_EITHER, OPTION_IN(type, in.tcp.in_a_hurry), OPTION_WORDS("off", "on")',
    '"tcp-name", OPTION_TEXT, OPTION_IN(type, in.tcp.name)',
    '"quic-path", OPTION_CHOICE, OPTION_IN(type, in.quic.way), OPTION_WORDS("there", "back")',
    '"quic-tune", OPTION_TEXT, OPTION_IN(type, in.quic.tune)',
  ])
    assert.ok(header.includes(`{${row}},`), row);
  assert.ok(header.includes("#define TCP_ROOM_RANGE OPTION_RANGE(2, 9)\n"), header);
  assert.ok(header.includes(String.raw`"  --tcp-room N           how \"much\"\n"`), header);
  assert.ok(header.includes(String.raw`"  --tcp-in-a-hurry SWITCH\n"`), header);
});

test("each has its default, and its name in the report where that has it", () => {
  for (const stock of [".tcp.room_bytes = 0,", ".tcp.in_a_hurry = true,", ".quic.way = 1,", '.quic.tune = "la",'])
    assert.ok(tables.includes(`    ${stock}\n`), stock);
  assert.match(tables, /"tcp-room", .*\.reported = "room_bytes", \.zero_is_null = true\}/);
  assert.match(
    tables,
    /"tcp-in-a-hurry", .kind = TRANSPORT_SWITCH, .offset = offsetof\(struct transport, tcp.in_a_hurry\)\}/,
  );
  assert.match(tables, /"quic-path", .kind = TRANSPORT_CHOICE, .*\{"there", "back", NULL\}/);
  assert.match(tables, /"quic-tune", .kind = TRANSPORT_TEXT/);
});
