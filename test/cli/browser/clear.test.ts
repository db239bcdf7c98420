// Where a request goes on the lane without TLS.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clearHostRules, clearUrl } from "../../../cli/browser/clear.ts";

test("https goes to http on a host of its own, and a port that is named stays", () => {
  assert.equal(clearUrl("https://a.test/x?y=https://b.test/"), "http://a.test.clear.test/x?y=https://b.test/");
  assert.equal(clearUrl("https://a.test:8443/"), "http://a.test.clear.test:8443/");
  assert.equal(clearUrl("HTTPS://a.test"), "http://a.test.clear.test");
  assert.equal(clearUrl("https://a.test?q"), "http://a.test.clear.test?q");
});

test("addresses have no other host, and what is not https goes where it went", () => {
  assert.equal(clearUrl("https://192.0.2.1/x"), "http://192.0.2.1/x");
  assert.equal(clearUrl("https://[2001:db8::1]:8443/x"), "http://[2001:db8::1]:8443/x");
  assert.equal(clearUrl("http://a.test/"), "http://a.test/");
  assert.equal(clearUrl("data:text/html,https://a.test/"), "data:text/html,https://a.test/");
});

test("a name that would become longer than names may be stays", () => {
  const [longest, longer] = ["a".repeat(242), "a".repeat(243)];
  assert.equal(clearUrl(`https://${longest}/`), `http://${longest}.clear.test/`);
  assert.equal(clearUrl(`https://${longer}/`), `http://${longer}/`);
});

test("only names that have another in clear are not to be found", () => {
  const [map, ...exclusions] = clearHostRules(
    new Map([
      ["a.test", "192.0.2.9"],
      ["192.0.2.1", "192.0.2.1"],
    ]),
  );
  // One character or none each: up to the longest name that has another.
  assert.match(map ?? "", /^MAP \?{242} \^NOTFOUND$/);
  assert.ok(
    ["EXCLUDE *.clear.test", "EXCLUDE *:*", "EXCLUDE *0", "EXCLUDE *9"].every((rule) => exclusions.includes(rule)),
  );
  assert.equal(exclusions.length, 12);
});

test("if an address needs a stand-in, which what is left alone cannot have, each recorded address is named", () => {
  const rules = clearHostRules(
    new Map([
      ["127.0.0.1", "198.18.0.1"],
      ["::1", "198.18.0.2"],
      ["192.0.2.1", "192.0.2.1"],
      ["localhost", "198.18.0.3"],
    ]),
  );
  assert.deepEqual(rules.slice(0, 3), ["MAP 127.0.0.1 198.18.0.1", "MAP ::1 198.18.0.2", "MAP 192.0.2.1 192.0.2.1"]);
  assert.match(rules[3] ?? "", /^MAP \?{242} \^NOTFOUND$/);
  assert.deepEqual(rules.slice(4), ["EXCLUDE *.clear.test"]);
});
