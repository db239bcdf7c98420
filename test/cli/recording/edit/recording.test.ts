// Recordings shown, verified, compared and edited, with the real trilane-host.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Archive, Exchange, NewExchange } from "../../../../cli/recording/archive/archive.ts";
import { withArchive } from "../../../../cli/recording/archive/client.ts";
import { diffExchanges } from "../../../../cli/recording/edit/diff.ts";
import { type Edits, editRecording, isHost, matches } from "../../../../cli/recording/edit/edit.ts";
import { summarize } from "../../../../cli/recording/edit/summary.ts";
import { verifyRecording } from "../../../../cli/recording/edit/verify.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { refusedIn } from "../../refused.ts";
import { exchange as anExchange } from "../archive/example_recording.ts";

let folder: string;
let home: string;
beforeEach(() => {
  folder = tempFolder("trilane-recording-");
  home = join(folder, "home");
});

const usual = {
  ...{ host: "shop.example", request_headers: [], recorded: { protocol: "h2", transfer_size: 1, cut_off: false } },
  response_headers: [["content-type", "text/html; charset=utf-8"]] satisfies Exchange["response_headers"],
};
const exchange = (path: string, more: Partial<Exchange> = {}): Exchange => anExchange(path, { ...usual, ...more });

const zipped: Exchange["response_headers"] = [
  ["content-type", "text/css"],
  ["content-encoding", "gzip"],
];
const page: NewExchange[] = [
  { exchange: exchange("/"), body: Buffer.from("<!doctype html>") },
  { exchange: exchange("/a.css?x=1", { response_headers: zipped }), body: gzipSync("a {}") },
  { exchange: exchange("/lies.css", { response_headers: zipped }), body: Buffer.from("a {}") },
  { exchange: exchange("/ad.js", { host: "x.ads.example", body_origin: "filled" }), body: Buffer.alloc(20_000, "/") },
  { exchange: exchange("/post", { method: "POST", status: 204 }), requestBody: Buffer.from("n=1") },
];

const none: Edits = { removeHosts: [], removeUrls: [], replaceBodies: [], startUrl: undefined };

async function withPage<Result>(use: (archive: Archive) => Promise<Result>): Promise<Result> {
  return await withArchive(home, async (archive) => {
    const about = { name: "page", url: "https://shop.example/", source: "test", notes: { a: 1 }, replace: false };
    await archive.write(about, async (writer) => {
      for (const each of page) await writer.add(each);
    });
    return await use(archive);
  });
}

test("a summary counts each exchange once in each group", async () => {
  await withPage(async (archive) => {
    const { exchanges } = await archive.show("page");
    const summary = summarize(exchanges);
    for (const groups of Object.values(summary)) {
      assert.equal(
        groups.reduce((sum: number, group: { exchanges: number }) => sum + group.exchanges, 0),
        5,
      );
    }
    assert.deepEqual(summary.host[0], { name: "x.ads.example", exchanges: 1, body_bytes: 20_000, filled: 1 });
    assert.deepEqual(
      summary.size.map(({ name, exchanges: amount }) => [name, amount]),
      [
        ["empty", 1],
        ["up to 1 kB", 3],
        ["up to 100 kB", 1],
      ],
    );
    assert.deepEqual(
      summary.type.map(({ name }) => name),
      ["text/html", "text/css"],
    );
  });
});

test("verification finds bodies that lie, that are made up, that are damaged", async () => {
  await withPage(async (archive) => {
    const whole = await verifyRecording(archive, "page");
    assert.equal(whole.digest_matches, true);
    assert.deepEqual(whole.damaged, []);
    assert.deepEqual(whole.misencoded, [{ seq: 2, url: "https://shop.example/lies.css" }]);
    assert.deepEqual(whole.filled, [{ seq: 3, url: "https://x.ads.example/ad.js" }]);
    assert.deepEqual(whole.documents, [200]);
    const { exchanges } = await archive.show("page");
    const name = exchanges[0]?.body_sha256 ?? "";
    writeFileSync(join(home, "bodies", name.slice(0, 2), name), "<!doctype htm!>");
    const { damaged } = await verifyRecording(archive, "page");
    assert.deepEqual(damaged, [
      { seq: 0, part: "response", sha256: name, problem: "content", url: "https://shop.example/" },
    ]);
    await assert.rejects(
      editRecording(archive, { name: "page", as: "b", replace: false }, { ...none, removeHosts: ["x.ads.example"] }),
      /damaged/,
    );
  });
});

test("an edit makes a new recording, and the old one stays", async () => {
  await withPage(async (archive) => {
    const css = join(folder, "new=1.css");
    writeFileSync(css, "b { color: blue }");
    const before = (await archive.show("page")).recording.digest;
    const edits: Edits = {
      removeHosts: ["*.ads.example"],
      removeUrls: ["https://shop.example/lies*"],
      replaceBodies: [{ url: "https://shop.example/a.css?x=1", file: css }],
      startUrl: undefined,
    };
    const edited = await editRecording(archive, { name: "page", as: "lean", replace: false }, edits);
    assert.deepEqual([edited.removed, edited.replaced], [2, 1]);
    const { recording, exchanges } = await archive.show("lean");
    assert.deepEqual(recording.notes, { a: 1, edited: { from: "page", digest: before, removed: 2, replaced: 1 } });
    assert.equal((await archive.show("page")).recording.digest, before);
    const [, sheet] = exchanges;
    const parts: Buffer[] = [];
    for await (const part of archive.body(sheet?.body_sha256 ?? "")) parts.push(part);
    assert.equal(gunzipSync(Buffer.concat(parts)).toString(), "b { color: blue }");
    assert.equal(sheet?.body_origin, "recompressed");
    assert.equal(sheet?.recorded.transfer_size, sheet?.body_size);

    const diff = diffExchanges((await archive.show("page")).exchanges, exchanges);
    assert.equal(diff.same, 2);
    assert.deepEqual(
      diff.changes.map(({ url, a, b, aspects }) => [url, a !== null, b !== null, aspects]),
      [
        ["https://shop.example/a.css?x=1", true, true, ["body"]],
        ["https://shop.example/lies.css", true, false, []],
        ["https://x.ads.example/ad.js", true, false, []],
      ],
    );
    // All bodies of the old one may go: those that the new one has stay.
    await archive.remove("page");
    const { digest_matches, problems } = await archive.verify("lean");
    assert.deepEqual({ digest_matches, problems }, { digest_matches: true, problems: [] });
  });
});

test("an edit that would do nothing, or leave nothing, is refused", async () => {
  await withPage(async (archive) => {
    const edit = (edits: Partial<Edits>, as = "b") =>
      editRecording(archive, { name: "page", as, replace: false }, { ...none, ...edits });
    for (const [edits, what] of [
      [{ removeHosts: ["ads.example"] }, /no exchange is of that host/],
      [{ removeUrls: ["https://shop.example/none"] }, /no exchange has that URL/],
      [{ removeUrls: ["*"] }, /nothing would be left/],
      [{ replaceBodies: [{ url: "*ad.js", file: join(folder, "none") }] }, /no such file/],
      [{ replaceBodies: [{ url: "*ad.js", file: folder }] }, /is no file/],
      [{ startUrl: "ftp://x/" }, /is not an http/],
    ] as const)
      await assert.rejects(edit(edits), refusedIn(what));
    await assert.rejects(edit({ startUrl: "https://x/" }, "page"), /is the recording itself/);
    assert.deepEqual(
      (await archive.list()).map(({ name }) => name),
      ["page"],
    );
  });
});

test("patterns", () => {
  assert.ok(matches("https://a/*.css?v=*", "https://a/x/y.css?v=1") && !matches("https://a/*.css", "https://a/x.css2"));
  assert.ok(!matches("https://a/b.c", "https://a/bxc") && matches("*", "anything"));
  assert.ok(isHost("*.a.example", "x.a.example") && isHost("*.a.example", "a.example"));
  assert.ok(
    !isHost("*.a.example", "xa.example") && !isHost("a.example", "x.a.example") && isHost("A.example", "a.example"),
  );
});
