// Profiles as files and files as profiles: what is written is HAR 1.2 and a profile, holds no credentials, and comes back as
// it was; what others write, and what nobody should, is read without harm.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { BodyText } from "../../extension/capture/bodies.ts";
import { captureParts, profileOf } from "../../extension/capture/profile.ts";
import { profileMetricsOf } from "../../extension/capture/web_vitals.ts";
import { csvText } from "../../extension/har/csv.ts";
import { harPiecesWithBodies, harText, profileForReaders } from "../../extension/har/har.ts";
import { importHar } from "../../extension/har/import.ts";
import { markdownSummary } from "../../extension/har/markdown.ts";
import { protocolName } from "../../extension/har/read_entry.ts";
import type { Profile } from "../../schemas/generated/profile.ts";
import { captureOf, fixture } from "../capture/fixture.ts";
import { publicHarSchema } from "../cli/results/export/har_schema.ts";
import { schemaErrors } from "../schemas/schema_errors.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures", "har");

function example(): Profile {
  const { unavailable, ...metrics } = profileMetricsOf(null, { shifts: [], longTasks: null });
  const { plt_ms: _, ttfb_ms: __, ...missing } = unavailable;
  const profile = profileOf({
    ...captureParts(captureOf(fixture("h2")), null, 0),
    id: "profile-1",
    version: "0.1.0",
    url: "https://www.shop.test/?a=1|2",
    title: "Shop | all *things*",
    kind: "reload",
    cache: "off",
    wall_ms: 812.5,
    ended: "quiet",
    metrics: { ...metrics, plt_ms: 412.5, ttfb_ms: 60, unavailable: missing },
    notes: [{ about: "auth", text: "A server asked for a name." }],
    browser: { user_agent: "Mozilla/5.0 Chrome/156.0.1.2", platform: "Linux", connection: null },
  });
  const [entry] = profile.log.entries;
  assert.ok(entry);
  entry.request.url = "https://shop.test/?a=1|2";
  entry.request.headers.push({ name: "Cookie", value: "session=s3cret" });
  entry.request.cookies.push({ name: "session", value: "s3cret" });
  entry.request.headers.push({ name: "Authorization", value: "Bearer s3cret" });
  return profile;
}

test("a file is HAR 1.2 and a profile, and holds no credentials unless asked for", () => {
  const text = harText(example(), { keepCredentials: false });
  const written = JSON.parse(text) as Profile;
  const validate = publicHarSchema();
  assert.ok(validate(written), JSON.stringify(validate.errors?.slice(0, 3)));
  assert.equal(schemaErrors("profile", written), null);
  assert.ok(!text.includes("s3cret"));
  assert.ok(written.log._trilane.notes.some(({ about }) => about === "credentials"));
  assert.equal(written.log.entries[0]?._full_url, "https://shop.test/?a=1|2");
  const kept = harText(example(), { keepCredentials: true });
  assert.ok(kept.includes("Bearer s3cret"));
  assert.ok(!kept.includes("Masked"));
});

test("what is secret by its name is in no export, and in the file that is replayed", () => {
  const profile = example();
  const [entry] = profile.log.entries;
  assert.ok(entry);
  profile.log._trilane.url = "https://www.shop.test/?token=hidden";
  profile.log.pages[0].title = profile.log._trilane.url;
  entry.request.url = "https://shop.test/login?password=hidden|&q=1";
  entry.request.queryString = [{ name: "password", value: "hidden|" }];
  entry.request.postData = { mimeType: "application/json", text: '{"password":"hidden"}' };
  entry._trilane.documentUrl = profile.log._trilane.url;
  const text = harText(profile, { keepCredentials: false });
  const shown = profileForReaders(profile);
  for (const each of [text, csvText(shown), markdownSummary(shown)]) assert.ok(!each.includes("hidden"), each);
  const written = JSON.parse(text) as Profile;
  assert.ok(publicHarSchema()(written));
  assert.equal(schemaErrors("profile", written), null);
  assert.equal(written.log.entries[0]?.request.url, "https://shop.test/login?password=xxxxxxx&q=1");
  assert.ok(harText(profile, { keepCredentials: true }).includes("hidden"));
  const bodies = { ofResponses: new Map(), ofRequests: new Map() };
  const replayed = [...harPiecesWithBodies(profile, bodies, { keepCredentials: false })].join("");
  assert.ok(replayed.includes("login?password=hidden%7C&q=1"));
});

test("with bodies: what was asked for, at its place, in a file of HAR 1.2", () => {
  const profile = example();
  const ofResponses = new Map<number, BodyText>([
    [1, { text: "<html>" }],
    [3, { text: "AAA=", encoding: "base64" }],
  ]);
  const pieces = [
    ...harPiecesWithBodies(profile, { ofResponses, ofRequests: new Map([[2, "a=1"]]) }, { keepCredentials: false }),
  ];
  const { log } = JSON.parse(pieces.join("")) as Profile & { log: { entries: { response: { content: object } }[] } };
  assert.ok(publicHarSchema()({ log }));
  assert.deepEqual(
    { ...log.entries[1]?.response.content },
    { ...profile.log.entries[1]?.response.content, text: "<html>" },
  );
  assert.equal((log.entries[3]?.response.content as { encoding?: string } | undefined)?.encoding, "base64");
  assert.equal(log.entries[2]?.request.postData?.text, "a=1");
  assert.equal("text" in (log.entries[0]?.response.content ?? {}), false);
  assert.ok(!pieces.join("").includes("s3cret"));
});

test("a profile's own file comes back as it was", () => {
  const profile = example();
  const imported = importHar(harText(profile, { keepCredentials: true }), "shop.har");
  assert.ok("profile" in imported);
  const { log } = imported.profile;
  assert.equal(schemaErrors("profile", imported.profile), null);
  const { metrics: whole, protocols, connections, h3, url, title } = profile.log._trilane;
  const metrics = JSON.parse(JSON.stringify(whole)) as typeof whole;
  const facts = log._trilane;
  assert.deepEqual([facts.url, facts.title, facts.cache, facts.kind], [url, title, "off", "imported"]);
  assert.deepEqual(
    [
      facts.metrics,
      facts.connections,
      facts.h3,
      facts.protocols.map((each) => [each.protocol, each.requests, each.bytes]),
    ],
    [metrics, connections, h3, protocols.map((each) => [each.protocol, each.requests, each.bytes])],
  );
  assert.notEqual(facts.id, profile.log._trilane.id);
  assert.deepEqual(facts.source, { file: "shop.har", producer: "Trilane 0.1.0" });
  assert.deepEqual(
    log.entries.map((entry) => [entry.request.url, entry.timings, entry._connectionId, entry._priority]),
    profile.log.entries.map((entry) => [entry.request.url, entry.timings, entry._connectionId, entry._priority]),
  );
});

for (const file of ["browsertime.har", "chrome-devtools.har", "firefox.har", "webpagetest.har"]) {
  test(`${file}: a profile by its schema, with requests, protocols and times`, () => {
    const imported = importHar(readFileSync(join(fixtures, file), "utf8"), file);
    assert.ok("profile" in imported, JSON.stringify(imported));
    const { profile } = imported;
    assert.equal(schemaErrors("profile", profile), null);
    assert.ok(profile.log.entries.length > 0);
    assert.ok(profile.log._trilane.protocols.some(({ protocol }) => /^(http\/1\.1|h2|h3)$/.test(protocol)));
    assert.match(profile.log._trilane.url, /^https?:/);
    assert.ok(profile.log.entries.every(({ _trilane }) => _trilane.startOffset_ms > -1000));
    assert.doesNotThrow(() => [csvText(profile), markdownSummary(profile)]);
  });
}

test("names of protocols", () => {
  const cases: [string, string | null][] = [
    ["HTTP/1.1", "http/1.1"],
    ["http/1.0", "http/1.0"],
    ["HTTP/2", "h2"],
    ["http/2.0", "h2"],
    ["h2", "h2"],
    ["HTTP/3", "h3"],
    ["h3-29", "h3"],
    ["http/2+quic/46", "h3"],
    ["unknown", null],
    ["", null],
  ];
  for (const [text, name] of cases) assert.equal(protocolName(text), name, text);
});

test("what is no HAR is refused with what to do", () => {
  for (const text of [
    "",
    "no",
    "[]",
    "{}",
    '{"log":{}}',
    '{"log":{"entries":{}}}',
    '{"log":{"entries":[]}}',
    '{"log":{"entries":[{"request":{"url":"data:,x"}}]}}',
  ]) {
    const imported = importHar(text, "x.har");
    assert.ok("error" in imported, text);
    assert.ok(imported.error.message.includes("x.har") && imported.error.remedy.length > 0);
  }
});

/** Deterministic: the same fields go wrong each time. */
function* wrong(value: unknown, seed: { at: number }): Generator<unknown> {
  const strange = [null, -1, 1e308, "", "x", {}, [], true, "2026-13-45T99:99:99Z", "\ud800"];
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    const record = value as Record<string, unknown>;
    const before = record[key];
    record[key] = strange[seed.at++ % strange.length];
    yield null;
    delete record[key];
    yield null;
    record[key] = before;
    yield* wrong(before, seed);
  }
}

test("whatever a field is, the file is refused or becomes a profile by its schema", () => {
  const profile = example();
  const log = { ...profile.log, entries: profile.log.entries.slice(0, 2) };
  const document = JSON.parse(JSON.stringify({ log })) as object;
  let read = 0;
  for (const _ of wrong(document, { at: 0 })) {
    const imported = importHar(JSON.stringify(document), "wrong.har");
    if ("error" in imported) continue;
    read++;
    assert.equal(schemaErrors("profile", imported.profile), null);
    assert.doesNotThrow(() => [
      csvText(imported.profile),
      markdownSummary(imported.profile),
      harText(imported.profile, { keepCredentials: false }),
    ]);
  }
  assert.ok(read > 100, String(read));
});

test("a file with several pages: the one with most requests; entries of no page belong to the only one", () => {
  const request = (url: string) => ({
    request: { url, method: "GET" },
    response: { status: 200 },
    startedDateTime: "2026-11-21T10:00:00Z",
  });
  const pages = [
    { id: "a", title: "https://a.test/" },
    { id: "b", title: "https://b.test/" },
  ];
  const several = {
    log: {
      pages,
      entries: [
        { ...request("https://a.test/"), pageref: "a" },
        { ...request("https://b.test/"), pageref: "b" },
        { ...request("https://b.test/1"), pageref: "b" },
      ],
    },
  };
  const first = importHar(JSON.stringify(several), "several.har");
  assert.ok("profile" in first);
  assert.equal(first.profile.log._trilane.url, "https://b.test/");
  assert.match(first.profile.log._trilane.notes[0]?.text ?? "", /2 pages/);
  const alone = importHar(
    `\uFEFF${JSON.stringify({ log: { entries: [request("https://a.test/x"), { request: { url: "ws://a.test/" } }] } })}`,
    "alone.har",
  );
  assert.ok("profile" in alone);
  assert.equal(alone.profile.log.entries.length, 1);
  assert.match(alone.profile.log._trilane.notes[0]?.text ?? "", /1 of its 2 entries/);
});

test("CSV has a row for each request and no formulas, Markdown a table and no markup of the page's", () => {
  const profile = example();
  const lines = csvText(profile).trimEnd().split("\r\n");
  assert.equal(lines.length, profile.log.entries.length + 1);
  assert.match(lines[0] ?? "", /^protocol,url,method,status,/);
  const markdown = markdownSummary(profile);
  assert.ok(markdown.includes("**Shop \\| all \\*things\\***"), markdown);
  assert.ok(markdown.includes("| 412 ms |") || markdown.includes("| 413 ms |"), markdown);
  assert.ok(markdown.includes("| h2 |"));
  assert.ok(!markdown.includes("s3cret"));
});

/** A HAR of one request to a URL with a password, from a page that has it too. */
const withPassword = (date: string) =>
  JSON.stringify({
    log: {
      version: "1.2",
      creator: { name: "test", version: "1" },
      pages: [{ id: "p", title: "http://me:s3cret@a.test/", startedDateTime: date, pageTimings: {} }],
      entries: [
        {
          pageref: "p",
          startedDateTime: date,
          time: 5,
          request: { method: "GET", url: "http://me:s3cret@a.test/", headers: [] },
          response: {
            status: 302,
            headers: [{ name: "Location", value: "//me:s3cret@b.test/" }],
            redirectURL: "//me:s3cret@b.test/",
          },
          _initiator: { type: "other", url: "http://me:s3cret@a.test/" },
          _trilane: { documentUrl: "http://me:s3cret@a.test/" },
        },
      ],
    },
  });

test("a password in a URL comes into no profile, and into no file of an older one", () => {
  const imported = importHar(withPassword("2026-01-01T00:00:00.000Z"), "a.har");
  assert.ok("profile" in imported);
  const { profile } = imported;
  assert.equal(profile.log._trilane.url, "http://a.test/");
  assert.equal(profile.log.entries[0]?.request.url, "http://a.test/");
  assert.equal(profile.log.entries[0]?.response.redirectURL, "//b.test/");
  for (const text of [harText(profile, { keepCredentials: false }), csvText(profile), markdownSummary(profile)])
    assert.ok(!text.includes("s3cret"));
  const older = JSON.parse(JSON.stringify(profile).replaceAll("//a.test", "//me:s3cret@a.test")) as Profile;
  assert.equal(older.log._trilane.url, "http://me:s3cret@a.test/");
  assert.ok(!harText(older, { keepCredentials: false }).includes("s3cret"));
});

test("a date that no HAR can hold is as if it had not been told", () => {
  for (const date of ["+012026-01-01T00:00:00.000Z", "-000001-01-01T00:00:00.000Z", "+275760-09-13T00:00:00.000Z"]) {
    const imported = importHar(withPassword(date), "a.har");
    assert.ok("profile" in imported);
    assert.equal(schemaErrors("profile", JSON.parse(harText(imported.profile, { keepCredentials: false }))), null);
    assert.equal(imported.profile.log._trilane.started, "1970-01-01T00:00:00.000Z");
  }
});
