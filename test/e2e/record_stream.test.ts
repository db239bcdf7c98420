// A page that streams without an end: its recording ends with one line once the network log has what it may have, and leaves nothing.
// Wide: cli/recording/record.
// Beside others: nothing depends on how fast the bytes come.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { RunError } from "../../cli/base/errors.ts";
import { liveLabCommand } from "../../cli/link/live/live_lab.ts";
import { recordPage } from "../../cli/recording/record/record_page.ts";
import { tempFolder } from "../temp_folder.ts";

const folder = tempFolder("trilane-stream-");

test("a recording of a stream ends when its log is full", async () => {
  const piece = Buffer.alloc(1 << 20, "x");
  const server = createServer(({ url }, response) => {
    if (url !== "/stream") {
      response.setHeader("content-type", "text/html");
      response.end("<script>fetch('/stream').then(async (r) => { for await (const _ of r.body); })</script>");
      return;
    }
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more);
    more();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    const options = { url, lane: "h1" as const, scroll: false, quiet_ms: 500, timeout_ms: 600_000 };
    const more = {
      trustedKeys: [],
      addresses: [],
      allowLocalNetwork: true,
      within: liveLabCommand(null),
      log_bytes: 20e6,
    };
    await assert.rejects(
      recordPage({ ...options, ...more }, async () => "recorded"),
      (error: Error) =>
        error instanceof RunError && /takes more than a recording holds \(its network log/.test(error.message),
    );
    assert.deepEqual(readdirSync(folder), []);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    server.closeAllConnections();
    server.close();
  }
});
