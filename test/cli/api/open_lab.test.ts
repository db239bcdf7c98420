// A link's form with some of its settings changed: each result is a link, and the one that was meant.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changedForm } from "../../../cli/api/open_lab.ts";
import { formatLink, parseLink } from "../../../cli/link/link.ts";

test("a setting replaces its like, and both directions' replaces those of one", () => {
  for (const [form, change, meant] of [
    ["10mbit/50ms", { down: "1mbit" }, "down=1mbit,up=10mbit,rtt=50ms"],
    ["10mbit/50ms,loss=1%", { loss: "2%" }, "10mbit/50ms,loss=2%"],
    ["down=8mbit,up=1mbit,rtt=60ms", { rate: "5mbit" }, "5mbit/60ms"],
    ["down=8mbit,up=1mbit,rtt=60ms", { rtt: "10ms", queue: "64kB" }, "down=8mbit,up=1mbit,rtt=10ms,queue=64kB"],
    ["10mbit/50ms,loss_down=1%", { loss: "3%" }, "10mbit/50ms,loss=3%"],
    ["unlimited/0ms", { down: "1mbit" }, "down=1mbit,rtt=0ms"],
  ] as const)
    assert.equal(formatLink(parseLink(changedForm(form, change))), formatLink(parseLink(meant)), form);
});

test("what is no setting is refused by the language", () => {
  assert.throws(() => parseLink(changedForm("10mbit/50ms", { speed: "fast" })), /^UserError: link: .*speed/);
  assert.throws(() => parseLink(changedForm("10mbit/50ms", { down: "0mbit" })), /^UserError: link: .*above 0/);
});
