// Recorded parts of one resource become one part if they meet, and only then.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewExchange } from "../../../../cli/recording/archive/archive.ts";
import { joinParts } from "../../../../cli/recording/import/joined_parts.ts";
import { exchange } from "../archive/example_recording.ts";

const whole = Buffer.from("abcdefghijklmnopqrst");

function part(first: number, last: number, { etag = '"1"', path = "/v", body = whole.subarray(first, last + 1) } = {}) {
  return {
    exchange: exchange(path, {
      status: 206,
      response_headers: [
        ["etag", etag],
        ["content-range", `bytes ${first}-${last}/${whole.length}`],
      ],
    }),
    body,
  } satisfies NewExchange as NewExchange;
}

const shown = (exchanges: readonly NewExchange[]): string[] =>
  exchanges.map(({ exchange, body }) => `${exchange.response_headers[1]?.[1]} ${Buffer.from(body ?? []).toString()}`);

test("parts that touch or overlap have all that meets them, each at its place", () => {
  assert.deepEqual(shown(joinParts([part(5, 9), part(0, 4), part(3, 6), part(15, 19)])), [
    "bytes 0-9/20 abcdefghij",
    "bytes 0-9/20 abcdefghij",
    "bytes 0-9/20 abcdefghij",
    "bytes 15-19/20 pqrst",
  ]);
});

test("other versions, other resources and parts with less than they say stay as they are", () => {
  const apart = [
    part(0, 4),
    part(5, 9, { etag: '"2"' }),
    part(5, 9, { path: "/w" }),
    part(5, 9, { body: whole.subarray(5, 8) }),
    { ...part(5, 9), exchange: { ...part(5, 9).exchange, status: 200 } },
    { ...part(5, 9), exchange: { ...part(5, 9).exchange, body_origin: "filled" as const } },
  ];
  assert.deepEqual(joinParts(apart), apart);
});
