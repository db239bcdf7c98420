// Hosts that a browser takes for its own machine, as servers behind the link.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lookedUpFor, standInRules } from "../../../cli/browser/stand_ins.ts";

test("localhost and addresses without a server in the lab are looked up by other names, all others stay", () => {
  const hosts = new Map([
    ["localhost", "198.18.0.1"],
    ["app.localhost", "198.18.0.1"],
    ["127.0.0.1", "198.18.0.2"],
    ["::1", "198.18.0.3"],
    ["192.168.1.5", "192.168.1.5"],
    ["notlocalhost", "198.18.0.4"],
    ["shop.example", "192.0.2.1"],
  ]);
  assert.deepEqual(standInRules(hosts), [
    "MAP localhost localhost.test",
    "MAP app.localhost app.localhost.test",
    "MAP 127.0.0.1 127.0.0.1.localhost.test",
    "MAP ::1 --1.localhost.test",
  ]);
});

test("what the lab's DNS is asked for is the page's name again", () => {
  assert.equal(lookedUpFor("localhost.test"), "localhost");
  assert.equal(lookedUpFor("app.localhost.test"), "app.localhost");
  assert.equal(lookedUpFor("127.0.0.1.localhost.test"), "127.0.0.1");
  assert.equal(lookedUpFor("--1.localhost.test"), "::1");
  assert.equal(lookedUpFor("shop.test"), "shop.test");
  assert.equal(lookedUpFor("localhost.example"), "localhost.example");
});
