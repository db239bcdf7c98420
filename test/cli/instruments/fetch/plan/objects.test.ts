// cli/instruments/fetch/plan/objects: URLs, files of URLs and HARs become objects, each once; what is none is refused by its place.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { namedObjects } from "../../../../../cli/instruments/fetch/plan/objects.ts";
import { tempFolder } from "../../../../temp_folder.ts";

describe("objects that are named", () => {
  let folder: string;
  beforeEach(() => {
    folder = tempFolder("trilane-objects-");
  });
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test("a URL is one, as a server is asked for it", async () => {
    assert.deepEqual((await namedObjects(["https://Shop.example/a#top", "https://shop.example/a"])).urls, [
      "https://shop.example/a",
    ]);
  });

  test("a file has one a line, comments and blank lines apart", async () => {
    const path = file("urls.txt", "# ours\r\nhttps://a.example\r\n\r\n  https://b.example:8443/x?y=1  \n");
    assert.deepEqual((await namedObjects([path])).urls, ["https://a.example/", "https://b.example:8443/x?y=1"]);
  });

  test("a zipped file is read as it was", async () => {
    writeFileSync(join(folder, "urls.txt.gz"), gzipSync("https://a.example/\n"));
    assert.deepEqual((await namedObjects([join(folder, "urls.txt.gz")])).urls, ["https://a.example/"]);
  });

  test("a HAR has its GETs over https, and says what is left out", async () => {
    const request = (method: string, url: string) => ({ request: { method, url } });
    const entries = [
      request("GET", "https://a.example/"),
      request("GET", "https://a.example/"),
      request("POST", "https://a.example/form"),
      request("GET", "http://a.example/"),
      {},
      null,
      7,
      { request: null },
      { request: "GET" },
    ];
    const { urls, left } = await namedObjects([file("page.har", JSON.stringify({ log: { entries } }))]);
    assert.deepEqual(urls, ["https://a.example/"]);
    assert.match(left.join(), /page\.har: 7 requests not GET over https, not fetched/);
  });

  const refused = [
    { text: "https://a.example/\nnot a url\n", says: /urls\.txt:2: "not a url" is no URL/ },
    { text: "http://a.example/\n", says: /urls\.txt:1: .* is not https/ },
    { text: "https://me:secret@a.example/\n", says: /has a user name in it/ },
    { text: "{}", says: /is JSON but not HAR/ },
    { text: "ftp://a.example/", says: /is no URL/ },
    { text: "https://", says: /is no URL/ },
    {
      text: `https://a.example/${"a".repeat(65_519)}\n`,
      says: /urls\.txt:1: "https:\/\/a\.example\/a{182}\.\.\." has more than 65536 bytes: shorten it/,
    },
    // As it is sent: an umlaut takes six characters.
    { text: `https://a.example/${"ü".repeat(11_000)}\n`, says: /has more than 65536 bytes/ },
  ];
  for (const { text, says } of refused)
    test(`${JSON.stringify(text).slice(0, 60)} is refused by its line`, async () => {
      await assert.rejects(namedObjects([file("urls.txt", text)]), says);
    });

  test("the longest URL that the client takes is taken", async () => {
    const url = `https://a.example/${"a".repeat(65_518)}`;
    assert.equal(url.length, 65_536);
    assert.deepEqual((await namedObjects([file("urls.txt", url)])).urls, [url]);
  });

  test("a word that is neither is refused with what it may be", async () => {
    await assert.rejects(namedObjects([join(folder, "none.txt")]), /there is no such file: name a URL/);
    await assert.rejects(namedObjects([folder]), /is a folder/);
  });
});
