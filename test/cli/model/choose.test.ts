// Whether a recording that has its bodies is raced as it was recorded: not where a trial load shows that its loads would not count.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { withArchive } from "../../../cli/archive/client.ts";
import { chosenPage, type ModelChoice } from "../../../cli/model/choose.ts";

test("a trial load decides for auto alone, and the line says what it missed", async () => {
  const home = mkdtempSync(join(tmpdir(), "trilane-choose-"));
  try {
    const about = { name: "page", url: "https://page.test/", source: "har: test", notes: {}, replace: false };
    await withArchive(home, (archive) =>
      archive.write(about, (writer) =>
        writer.add({
          exchange: {
            method: "GET",
            scheme: "https",
            host: "page.test",
            port: 443,
            path: "/",
            request_headers: [],
            address: "192.0.2.1",
            status: 200,
            response_headers: [["content-type", "text/html"]],
            body_origin: "recorded",
            recorded: { resource_type: "document" },
          },
          body: Buffer.from("<!doctype html><title>Page</title>"),
        }),
      ),
    );
    const lines: string[] = [];
    const tried: string[] = [];
    const chosen = async (as: ModelChoice["as"], missed: readonly string[]): Promise<unknown> =>
      chosenPage(home, "page", {
        as,
        compute: "timer",
        outside: async (_, { name }) => {
          tried.push(name);
          return missed;
        },
        say: (line) => lines.push(line),
      });
    assert.equal(await chosen("auto", []), "page");
    assert.equal(await chosen("recorded", ["covers too little"]), "page");
    assert.deepEqual([tried, lines], [["page"], []]);
    assert.equal(await chosen("auto", ["covers too little of the recording: 3 of 9 requests"]), "page-model");
    assert.deepEqual(lines, [
      "page: as recorded it covers too little of the recording: 3 of 9 requests: racing a modelled page, page-model",
    ]);
    assert.equal(await chosen("model", ["covers too little"]), "page-model");
    assert.equal(tried.length, 2, "what is asked for is not tried");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
