// Which of the many fields says a body's size on the wire.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type HarEntry, readHarFile } from "../../../../cli/recording/import/har.ts";
import {
  bodySizeHasHeaders,
  decodedSize,
  type TransferSize,
  transferSize,
} from "../../../../cli/recording/import/transfer_size.ts";

type Json = Record<string, unknown>;

function entry(response: Json, extra: Json = {}, headers: [string, string][] = []): HarEntry {
  const request = { method: "GET", url: "https://a.example/", headers: [] };
  const list = headers.map(([name, value]) => ({ name, value }));
  const [read] = readHarFile({
    log: { entries: [{ request, response: { status: 200, headers: list, ...response }, ...extra }] },
  }).entries;
  assert.ok(read);
  return read;
}

function sizeOf(response: Json, extra: Json = {}, headers: [string, string][] = [], hasHeaders = false): TransferSize {
  return transferSize(entry(response, extra, headers), headers, hasHeaders);
}

const br: [string, string] = ["content-encoding", "br"];

test("the first field that says it, from the surest on", () => {
  for (const [response, extra, headers, body_bytes, source] of [
    [{ bodySize: 700 }, {}, [["content-length", "500"]], 500, "content-length"], // headers in the body's size
    [{ bodySize: 200 }, {}, [["content-length", "500"]], 200, "bodySize"], // broken off
    [{ bodySize: 60_000 }, {}, [["content-length", "500"]], 60_000, "bodySize"], // no headers are so long
    [{ bodySize: -1 }, {}, [["content-length", "0"]], 0, "content-length"],
    [{ bodySize: 321 }, {}, [br], 321, "bodySize"],
    [{ bodySize: -1, content: { size: 1000, compression: 700 } }, {}, [br], 300, "compression"],
    [{ content: { size: 1000 } }, { _objectSize: 400, _bytesIn: 900 }, [br], 400, "_objectSize"],
    [{ headersSize: 250 }, { _bytesIn: 900 }, [br], 650, "_bytesIn"],
    [{ headersSize: 250, _transferSize: 1250, content: { size: 9 } }, {}, [br], 1000, "_transferSize"],
    [{ bodySize: 900, headersSize: 0, _transferSize: 900 }, {}, [], 891, "_transferSize"], // a frame's head
    [{ bodySize: 900, headersSize: 80, _transferSize: 900 }, {}, [], 900, "bodySize"],
    [{ content: { size: 1000 } }, {}, [], 1000, "content.size"],
    [{ content: { size: 0 }, _transferSize: 90 }, {}, [], 0, "content.size"],
    [{ bodySize: 0 }, {}, [], 0, "bodySize"],
    [{ content: { size: 1000 } }, {}, [br], null, "none"],
    [{ bodySize: 0, content: { size: 1000 } }, {}, [br], null, "none"],
    [{ status: 304, bodySize: 130, content: { size: 1000 } }, {}, [], null, "none"],
    [
      { bodySize: 0, content: { size: 1000 } },
      { _fromCache: "disk" },
      [["content-length", "800"]],
      800,
      "content-length",
    ],
    [{ bodySize: "77" }, {}, [], 77, "bodySize"],
    [{ bodySize: null, content: { size: "x" } }, {}, [], null, "none"],
  ] satisfies [Json, Json, [string, string][], number | null, string][])
    assert.deepEqual(
      sizeOf(response, extra, headers),
      { body_bytes, source },
      JSON.stringify([response, extra, headers]),
    );
});

test("where only the sum of HTTP/2 headers and body is known, the headers are taken off as compressed", () => {
  const headers: [string, string][] = [
    ["content-type", "text/css"],
    ["cache-control", "max-age=31536000"],
    ["etag", '"33a64df551425fcc55e4d42a148795d9f25f89d4"'],
  ];
  const { body_bytes } = sizeOf({ headersSize: -1, _transferSize: 5000 }, {}, headers);
  assert.ok(body_bytes !== null && body_bytes > 4880 && body_bytes < 4980, `${body_bytes}`);
});

test("a file whose body sizes have the headers in them is known by its content-lengths, else by its producer", () => {
  const firefox = entry({ bodySize: 700, headersSize: 200 }, {}, [["content-length", "500"]]);
  const standard = entry({ bodySize: 500, headersSize: 200 }, {}, [["content-length", "500"]]);
  const silent = entry({ bodySize: 500, headersSize: 200 });
  assert.equal(bodySizeHasHeaders([firefox, firefox, standard], "WebInspector 537.36"), true);
  assert.equal(bodySizeHasHeaders([standard, silent], "Firefox 52.0"), false);
  assert.equal(bodySizeHasHeaders([silent], "Firefox 133.0"), true);
  assert.equal(bodySizeHasHeaders([silent], "WebPagetest 21.07"), false);
  assert.deepEqual(sizeOf({ bodySize: 900, headersSize: 200 }, {}, [br], true), {
    body_bytes: 700,
    source: "bodySize",
  });
});

test("the size before content-encoding is null where nothing says it", () => {
  assert.equal(decodedSize(entry({ content: { size: 900 } }), 300, true), 900);
  // WebPageTest's content.size is the encoded one; its own field has the other.
  assert.equal(decodedSize(entry({ content: { size: 300 } }), 300, true), null);
  assert.equal(decodedSize(entry({ content: { size: 300 } }, { _objectSizeUncompressed: 900 }), 300, true), 900);
  assert.equal(decodedSize(entry({ content: {} }), 300, true), null);
  assert.equal(decodedSize(entry({ content: {} }), 300, false), 300);
});
