// cli/pages/pages.ts: where a plan's pages come from, with the real archive: made once, imported by their path, refused in
// one line.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, type TestContext, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { checkout } from "../../../cli/base/programs.ts";
import { describePlan } from "../../../cli/instruments/page/plan/describe.ts";
import { pageFor, pageSizes, pageUnstored, playsVideo, preparePages } from "../../../cli/pages/pages.ts";
import { pages as source } from "../../../cli/pages/source.ts";
import type { Archive } from "../../../cli/recording/archive/archive.ts";
import { withArchive } from "../../../cli/recording/archive/client.ts";
import { importAny } from "../../../cli/recording/import/import_any.ts";
import { importHar } from "../../../cli/recording/import/import_har.ts";
import { ensureSynth } from "../../../cli/recording/synth/synthetic.ts";
import { planOf } from "../../../cli/sweep/plan/plan.ts";
import type { PageReady } from "../../../schemas/generated/sweep_event.ts";
import { run } from "../../product.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-pages-");

/** The least that is a HAR with a page. */
function har(url: string, text: string, documentUrl = url): string {
  const startedDateTime = "2026-01-01T00:00:00.000Z";
  const response = {
    status: 200,
    statusText: "OK",
    httpVersion: "h2",
    cookies: [],
    headers: [{ name: "content-type", value: "text/html" }],
    content: { size: text.length, mimeType: "text/html", text },
    redirectURL: "",
    headersSize: -1,
    bodySize: text.length,
  };
  const request = {
    method: "GET",
    url,
    httpVersion: "h2",
    cookies: [],
    headers: [],
    queryString: [],
    headersSize: -1,
    bodySize: 0,
  };
  const timings = { blocked: 0, dns: 0, connect: 0, send: 0, wait: 1, receive: 1 };
  return JSON.stringify({
    log: {
      version: "1.2",
      creator: { name: "test", version: "1" },
      pages: [{ startedDateTime, id: "p", title: documentUrl, pageTimings: {} }],
      entries: [
        { pageref: "p", startedDateTime, time: 2, request, response, cache: {}, timings, serverIPAddress: "192.0.2.1" },
      ],
    },
  });
}

/** The first `count` who look what is in an archive all see it before one of them goes on. */
async function lookTogether(context: TestContext, home: string, count: number): Promise<void> {
  const prototype: Archive = await withArchive(home, async (archive) => Object.getPrototypeOf(archive));
  const real = prototype.list;
  const { promise: allLooked, resolve } = Promise.withResolvers<void>();
  let looked = 0;
  context.mock.method(prototype, "list", async function (this: Archive) {
    const seen = await real.call(this);
    if (++looked === count) resolve();
    if (looked <= count) await allLooked;
    return seen;
  });
}

describe("pages", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(folder, "home-"));
  });
  const names = () => withArchive(home, async (archive) => (await archive.list()).map(({ name }) => name));

  test("a synthetic page is made once, then found", async () => {
    const told: PageReady[] = [];
    const first = await preparePages(home, [{ synth: "object-1kB" }], (event) => told.push(event));
    const again = await preparePages(home, [{ synth: "object-1kB" }], () => undefined);
    assert.deepEqual(again.get("object-1kB"), first.get("object-1kB"));
    assert.deepEqual(await names(), ["object-1kB"]);
    const recording = first.get("object-1kB");
    assert.deepEqual(told, [
      { event: "page-ready", page: "object-1kB", recording_digest: recording?.digest, exchanges: 1, body_bytes: 1000 },
    ]);
  });

  test("a page that several make at once is made once, and given to all", async (context) => {
    await lookTogether(context, home, 3);
    const make = () => withArchive(home, (archive) => ensureSynth(archive, "object-1kB"));
    const made = await Promise.all([make(), make(), make()]);
    assert.equal(new Set(made.map(({ id }) => id)).size, 1);
    assert.deepEqual(await names(), ["object-1kB"]);
  });

  test("a HAR file that several bring in at once is there for all; another page's of the same name is refused", async (context) => {
    const file = join(folder, "same.har");
    writeFileSync(file, har("https://shop.example/", "<p>one</p>"));
    await lookTogether(context, home, 3);
    const all = [pageFor(home, file), pageFor(home, file), pageFor(home, file)];
    assert.deepEqual(await Promise.all(all), ["same", "same", "same"]);
    assert.deepEqual(await names(), ["same"]);
    context.mock.restoreAll();
    const other = mkdtempSync(join(folder, "other-"));
    writeFileSync(join(other, "same.har"), har("https://other.example/", "<p>other</p>"));
    const shared = join(other, "home");
    await lookTogether(context, shared, 2);
    const both = await Promise.allSettled([pageFor(shared, file), pageFor(shared, join(other, "same.har"))]);
    const refused = both.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
    assert.equal(refused.length, 1);
    assert.match(refused[0] ?? "", /^UserError: .*same.har: recording same is of another page/);
  });

  test("what is missing is named before anything is made", async () => {
    const none = () => undefined;
    await assert.rejects(
      preparePages(home, [{ synth: "object-1kB" }, "shop"], none),
      /^UserError: no recording is called shop: see `trilane list`/,
    );
    await assert.rejects(preparePages(home, ["object-1kB"], none), /write \{"synth": "object-1kB"\} in the plan/);
    await assert.rejects(
      preparePages(home, [{ synth: "object-1kB" }, { synth: "nonsense" }], none),
      /no synth page is called nonsense/,
    );
    assert.deepEqual(await names(), []);
  });

  test("sizes are known without making a page", async () => {
    const sizes = await pageSizes(home, [{ synth: "carlucci-small" }]);
    const size = sizes.get("carlucci-small");
    assert.equal(size?.exchanges, 22);
    assert.ok(size.body_bytes > 306_300 && size.body_bytes < 320_000);
    assert.equal(size.source, "synth: carlucci-small");
    assert.equal(existsSync(join(home, "archive.db")), false);
    await assert.rejects(pageSizes(home, ["shop"]), /no recording is called shop/);
  });

  test("for a dry run a HAR file is read and nothing is stored", async () => {
    const file = join(folder, "dry.har");
    writeFileSync(file, har("https://shop.example/", "<p>one</p>"));
    const { page, size } = await pageUnstored(home, file);
    assert.deepEqual([page, size], ["dry", { exchanges: 1, body_bytes: 10 }]);
    const plan = planOf({ name: "dry", pages: [page], lanes: ["h1"], links: ["3mbit/50ms"], repetitions: 1 }, "dry");
    assert.deepEqual(
      (await describePlan(home, plan, source, new Map([["dry", { exchanges: 1, body_bytes: 10 }]]))).cells,
      1,
    );
    const { status, stdout, stderr } = run(home, ["sweep", "carlucci-2015-s3", "--page", file, "--dry-run"]);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^1 page +dry$/m);
    assert.deepEqual(readdirSync(home), []);
    assert.deepEqual(await pageUnstored(home, "object-1kB"), { page: { synth: "object-1kB" }, size: null });
  });

  test("a race takes a HAR from standard input, as an import does", () => {
    const input = har("https://shop.example/", "<p>one</p>");
    const { status, stdout, stderr } = run(home, ["race", "-", "--dry-run"], { input });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^1 page +shop\.example$/m);
    assert.deepEqual(readdirSync(home), []);
  });

  test("a race of a video is not filmed, which its dry run knows, too", () => {
    const { status, stdout, stderr } = run(home, ["race", "video-30s-2000k", "--dry-run"]);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^1 page +video-30s-2000k$/m);
    const refused = run(home, ["race", "video-30s-2000k", "--films", "1", "--dry-run"]);
    assert.deepEqual([refused.status, refused.stdout], [2, ""]);
    assert.match(refused.stderr, /video-30s-2000k is too long to be filmed/);
  });

  test("a dry run of two interleaved versions says what would be loaded, and stores nothing", () => {
    const file = join(folder, "dry.har");
    writeFileSync(file, har("https://shop.example/", "<p>one</p>"));
    const words = ["--interleaved", "--lanes", "h1,h2", "--runs", "6", "--dry-run", "--json"];
    const { status, stdout, stderr } = run(home, ["compare", file, "object-1kB", ...words]);
    assert.equal(status, 0, stderr);
    const { event, pages, cells, loads } = JSON.parse(stdout);
    assert.deepEqual([event, pages, cells, loads], ["sweep-planned", ["dry", "object-1kB"], 4, 24]);
    const links = run(home, ["compare", "3g", "3g,loss=1%", "--page", "object-1kB", "--interleaved", "--dry-run"]);
    assert.equal(links.status, 0, links.stderr);
    assert.match(links.stdout, /^links +2: /m);
    assert.deepEqual(readdirSync(home), []);
    assert.match(run(home, ["compare", "1", "2", "--dry-run"]).stderr, /--dry-run: .*give --interleaved too/);
  });

  test("a budget that is none is refused before a page is imported, and of a dry run", () => {
    const file = join(folder, "dry.har");
    writeFileSync(file, har("https://shop.example/", "<p>one</p>"));
    const budget = join(folder, "no-budget.json");
    for (const words of [
      ["race", file],
      ["race", file, "--dry-run"],
      ["time", "--dry-run", "--", "true"],
    ]) {
      const [command = "", ...rest] = words;
      const { status, stderr } = run(home, [command, "--budget", budget, ...rest]);
      assert.equal(status, 2, stderr);
      assert.match(stderr, /^trilane: budget .*no-budget\.json: no such file: name another file$/m);
      assert.deepEqual(readdirSync(home), []);
    }
  });

  test("a HAR file is imported, the same file again takes its own place, another page's file does not", async () => {
    const file = join(folder, "my shop.har");
    writeFileSync(file, har("https://shop.example/", "<p>one</p>"));
    assert.equal(await pageFor(home, file), "my-shop");
    const digest = () => withArchive(home, async (archive) => (await archive.show("my-shop")).recording.digest);
    const before = await digest();
    assert.equal(await pageFor(home, file), "my-shop");
    assert.deepEqual(await names(), ["my-shop"]);
    assert.equal(await digest(), before);
    assert.equal(await pageFor(home, "my-shop"), "my-shop", "and is a recording from then on");
    await withArchive(home, (archive) => importAny(archive, { file, replace: true, as: "model" }));
    assert.equal(await pageFor(home, file), "my-shop");
    const { notes } = await withArchive(home, async (archive) => (await archive.show("my-shop")).recording);
    assert.equal(notes.as, "model", "what `import --as` said holds");
    writeFileSync(file, har("https://other.example/", "<p>other</p>"));
    await assert.rejects(
      pageFor(home, file),
      /^UserError: .*my shop.har: recording my-shop is of another page: .*--name/,
    );
    assert.equal(await digest(), before);
  });

  test("a folder of Mahimahi's and a Web Page Replay archive are pages, too, the same again in their own place", async () => {
    const fixtures = join(checkout, "test", "fixtures");
    for (const [file, name] of [
      ["mahimahi/shop", "shop"],
      ["wpr/shop.wprgo", "shop"],
    ] as const) {
      const own = join(home, file);
      const said: string[] = [];
      const say = (line: string) => void said.push(line);
      assert.equal(await pageFor(own, join(fixtures, file), { say }), name);
      assert.equal(await pageFor(own, join(fixtures, file), { say }), name);
      assert.match(said[0] ?? "", new RegExp(`: imported as ${name}$`));
      const recordings = await withArchive(own, (archive) => archive.list());
      assert.deepEqual(
        recordings.map((recording) => recording.name),
        [name],
      );
    }
  });

  test("a HAR may be compressed with gzip or zstd", async () => {
    const text = har("https://shop.example/", "<p>one</p>");
    writeFileSync(join(folder, "zipped.har.gz"), gzipSync(text));
    writeFileSync(join(folder, "packed.har.zst"), zstdCompressSync(text));
    for (const name of ["zipped.har.gz", "packed.har.zst"])
      assert.equal(await pageFor(home, join(folder, name)), name.replace(/\..*/, ""));
    writeFileSync(join(folder, "cut.har.zst"), zstdCompressSync(text).subarray(0, 60));
    await assert.rejects(
      pageFor(home, join(folder, "cut.har.zst")),
      /^UserError: .*cut.har.zst: zstd is (cut off|damaged)/,
    );
  });

  test("a URL that was recorded is that recording; what has its name and is none of it is refused", async () => {
    const file = join(folder, "shop.example.har");
    writeFileSync(file, har("https://shop.example/", "<p>one</p>"));
    await pageFor(home, file);
    const url = "https://shop.example/";
    const refused = /^UserError: https:\/\/shop.example\/: recording shop.example is of another page: .*--name/;
    await assert.rejects(pageFor(home, url), refused);
    await assert.rejects(pageUnstored(home, url), refused);
    await withArchive(home, async (archive) => {
      const about = { name: "shop.example", url, source: "live: Chromium 156", notes: {}, replace: true };
      await archive.write(about, async (writer) => {
        for (const exchange of importHar(JSON.parse(har(url, "<p>one</p>"))).exchanges) await writer.add(exchange);
      });
    });
    const said: string[] = [];
    assert.equal(await pageFor(home, url, { say: (line) => void said.push(line) }), "shop.example");
    assert.match(said.join(), /recorded as shop.example less than a day ago, used again \(.*--replace/);
    assert.deepEqual(await pageUnstored(home, url), { page: "shop.example", size: null });
    await assert.rejects(pageFor(home, "http://shop.example/"), /is of another page/);
    await assert.rejects(pageUnstored(home, "https://other.example/"), /is not recorded yet: `trilane record/);
    await assert.rejects(
      pageFor(home, "shop2.example"),
      /: did you mean shop\.example or https:\/\/shop2\.example\/\? name a recording/,
    );
  });

  test("a recording of a video is known as one by where it is from, and planned as one", async () => {
    const url = "https://clip.synth.test/";
    const store = async (name: string, source: string): Promise<void> => {
      await withArchive(home, async (archive) => {
        await archive.write({ name, url, source, notes: {}, replace: false }, async (writer) => {
          for (const exchange of importHar(JSON.parse(har(url, name))).exchanges) await writer.add(exchange);
        });
      });
    };
    await store("lacking", "synth: video-30s-2000k");
    await store("video-blog", "live: Chromium 156");
    assert.deepEqual(
      [
        await playsVideo(home, "lacking"),
        await playsVideo(home, "video-blog"),
        await playsVideo(home, { synth: "video-30s-2000k" }),
        await playsVideo(home, { synth: "object-1kB" }),
      ],
      [true, false, true, false],
    );
    const least = { lanes: ["h1"], links: ["3mbit/50ms"], repetitions: 1 };
    const describe = (pages: string[], more = {}) =>
      describePlan(home, planOf({ name: "x", ...least, pages, ...more }, "x"), source);
    const [video, blog] = [await describe(["lacking"], { metric: "startup" }), await describe(["video-blog"])];
    // As long as its clip, and a second of its record for each of the clip's.
    assert.ok(video.expected_s - blog.expected_s >= 29, `${video.expected_s} s, another page ${blog.expected_s} s`);
    assert.ok(video.expected_bytes - blog.expected_bytes > 20_000);
    await assert.rejects(describe(["lacking"], { films: 1 }), /^UserError: plan x: lacking is too long to be filmed/);
    await assert.rejects(describe(["video-blog"], { metric: "startup" }), /is of videos, and no page plays one/);
  });

  test("one recording under two names is refused, before anything runs and in a dry run", async () => {
    for (const name of ["one.har", "two.har"]) {
      writeFileSync(join(folder, name), har("https://shop.example/", "<p>one</p>"));
      await pageFor(home, join(folder, name));
    }
    const same = /^UserError: page two is the same as one: name one of them$/;
    await assert.rejects(
      preparePages(home, ["one", "two"], () => undefined),
      same,
    );
    await assert.rejects(pageSizes(home, ["one", "two"]), same);
  });

  test("names: a synthetic page, and what is none of them", async () => {
    assert.deepEqual(await pageFor(home, "carlucci-small"), { synth: "carlucci-small" });
    await assert.rejects(pageFor(home, "nonsense"), /^UserError: no page nonsense: name a recording/);
    await assert.rejects(
      pageFor(home, "carlucci-smal"),
      /: no page carlucci-smal: did you mean carlucci-small\? name /,
    );
    await assert.rejects(pageFor(home, "shop.example"), /: did you mean https:\/\/shop\.example\/\? name /);
    await assert.rejects(pageFor(home, join(folder, "none.har")), /none.har: no such file/);
    writeFileSync(join(folder, "cut.har"), har("https://shop.example/", "x").slice(0, 100));
    await assert.rejects(pageFor(home, join(folder, "cut.har")), /^UserError: .*cut.har: is cut off/);
  });
});
