// Whether a browser upgrades a page's http:// URL by itself, where no browser needs to start for the answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { upgradesByItself } from "../../../cli/load/hsts.ts";

test("a page on https:// is not asked about", async () => {
  assert.equal(await upgradesByItself("/nowhere/chromium", "https://shop.example/"), false);
});

test("a browser that cannot be asked ends no sweep: the load says what is wrong", async () => {
  assert.equal(await upgradesByItself("/bin/false", "http://shop.example/"), false);
  assert.equal(await upgradesByItself("/nowhere/chromium", "http://shop.example/"), false);
});
