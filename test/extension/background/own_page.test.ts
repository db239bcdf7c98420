// Only the extension's own documents are answered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isOwnPage } from "../../../extension/background/own_page.ts";

const own = { id: "abc", origin: "chrome-extension://abc" };

test("messages of the extension's pages are taken, by id and origin", () => {
  assert.ok(isOwnPage({ id: "abc", origin: "chrome-extension://abc" }, own));
  assert.ok(!isOwnPage({ id: "abc", origin: "https://shop.example" }, own));
  assert.ok(!isOwnPage({ id: "abc", origin: "null" }, own));
  assert.ok(!isOwnPage({ id: "abc" }, own));
  assert.ok(!isOwnPage({ id: "xyz", origin: "chrome-extension://abc" }, own));
  assert.ok(!isOwnPage({ origin: "chrome-extension://abc" }, own));
});
