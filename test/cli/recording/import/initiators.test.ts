// Initiators in the forms of their producers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { initiatorOf } from "../../../../cli/recording/import/recorded.ts";

const call = (url: string) => ({ functionName: "f", url, lineNumber: 3, columnNumber: 1 });

test("Chrome: the script's URL and its call stack, the innermost first, each once and without fragment", () => {
  const raw = {
    _initiator: {
      type: "script",
      stack: {
        callFrames: [call("https://a.example/lib.js"), call("https://a.example/app.js#x"), call("")],
        parent: { callFrames: [call("chrome-extension://abc/x.js"), call("https://a.example/app.js")] },
      },
    },
  };
  assert.deepEqual(initiatorOf({ raw }), {
    type: "script",
    urls: ["https://a.example/lib.js", "https://a.example/app.js"],
    line: null,
  });
});

test("WebPageTest and chrome-har: a URL with line and type beside it", () => {
  const raw = { _initiator: "https://u:p@a.example/", _initiator_line: "12", _initiator_type: "parser" };
  assert.deepEqual(initiatorOf({ raw }), { type: "parser", urls: ["https://a.example/"], line: 12 });
  const detail = { _initiator_detail: '{"type":"parser","url":"https://a.example/x","lineNumber":7}', _initiator: "" };
  assert.deepEqual(initiatorOf({ raw: detail }), { type: "parser", urls: ["https://a.example/x"], line: 7 });
});

test("nothing known, and what is no initiator", () => {
  for (const raw of [{}, { _initiator: { type: "other" } }, { _initiator: "" }, { _initiator_detail: "{" }])
    assert.equal(initiatorOf({ raw }), null);
  assert.equal(initiatorOf({ raw: { _initiator: { type: "preflight" } } })?.type, "preflight");
});

test("a stack without end is read to a bound", () => {
  const stack: { callFrames: unknown[]; parent?: unknown } = { callFrames: [call("https://a.example/1.js")] };
  stack.parent = stack;
  const found = initiatorOf({ raw: { _initiator: { type: "script", stack } } });
  assert.deepEqual(found?.urls, ["https://a.example/1.js"]);
});
