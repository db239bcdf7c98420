// The chunked coding taken off, whatever the pieces in which it comes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ChunkError, dechunked, looksChunked, type Trailers } from "../../../../cli/recording/import/http_message.ts";

async function* inPieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function decode(
  text: string,
  size = text.length || 1,
): Promise<{ body: string; trailers: Trailers["trailers"] }> {
  const trailers: Trailers = { trailers: [] };
  const parts: Buffer[] = [];
  for await (const part of dechunked(inPieces(text, size), trailers)) parts.push(Buffer.from(part));
  return { body: Buffer.concat(parts).toString("latin1"), trailers: trailers.trailers };
}

test("bodies, extensions and trailers, in pieces of every size", async () => {
  const framed = '5\r\nhello\r\n1;name="x"\r\n \r\n00A \r\n0123456789\r\n0\r\nX-Sum: 1\r\nX-Other:2\r\n\r\nbehind';
  for (let size = 1; size <= framed.length; size++) {
    assert.deepEqual(await decode(framed, size), {
      body: "hello 0123456789",
      trailers: [
        { name: "X-Sum", value: "1" },
        { name: "X-Other", value: "2" },
      ],
    });
  }
  assert.equal((await decode("0\r\n\r\n")).body, "");
  assert.equal((await decode("3\r\nabc\r\n0\r\n")).body, "abc"); // the last empty line left out
});

test("what is malformed or cut off is told with its place", async () => {
  for (const [framed, what] of [
    ["", /cut off/],
    ["5\r\nhel", /cut off/],
    ["5\r\nhello\r\n", /cut off/],
    ["5\r\nhello!\r\n0\r\n\r\n", /longer than its size/],
    ["x\r\n", /no size/],
    ["-5\r\nhello\r\n0\r\n\r\n", /no size/],
    ["fffffffffffffff\r\n", /no size/],
    [`1${" ".repeat(20_000)}\r\n`, /without an end/],
    ["0\r\n: x\r\n\r\n", /without a name/],
  ] as const)
    await assert.rejects(decode(framed, 7), (error) => error instanceof ChunkError && what.test(error.message), framed);
  assert.ok(looksChunked(Buffer.from("1f;a\r\n")));
  assert.ok(!looksChunked(Buffer.from("<html>\r\n")) && !looksChunked(Buffer.from("1f")));
});
