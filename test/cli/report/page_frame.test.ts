// The frame of every report keeps a number and its unit in one line, and leaves alone what is no text: attributes, drawings and commands.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageFrame } from "../../../cli/report/page_frame.ts";
import { html } from "../../../extension/figures/markup.ts";

const bodyOf = (text: string): string =>
  pageFrame({
    title: "t",
    version: "0",
    header: html`<h1>3 ms</h1>`,
    first: html`<p>32 % of ${text}</p>`,
    sections: [{ id: "s", name: "s", heading: "5 Mbit/s", body: html`<p>${text}</p>`, isClosed: true }],
  });

test("a number and its unit stand in one line wherever they stand in the text", () => {
  const page = bodyOf("n = 6, 9 s, 3.1 kbit/s, 20 µs, 4 GB (7 %), 3 to 5 min");
  for (const whole of ["<h1>3\u00a0ms<", "<p>32\u00a0% of n\u00a0=\u00a06", "<h2>5\u00a0Mbit/s<"])
    assert.ok(page.includes(whole), whole);
  assert.equal(
    page.split("n\u00a0=\u00a06, 9\u00a0s, 3.1\u00a0kbit/s, 20\u00a0µs, 4\u00a0GB (7\u00a0%), 3 to 5\u00a0min").length,
    3,
  );
});

test("words, attributes, paths and commands are as they were", () => {
  const kept = html`<code>race --link 5 Mbit/s</code><pre>timeout 75 s;</pre> 3 h2 loads, 4 sites, 2 minutes <b title="3 ms">4 h3</b> <svg aria-label="3 ms"><path d="M3 4 s 5 6 7 8"/><text>3 ms</text></svg>`;
  const page = pageFrame({ title: "3 ms", version: "0", header: html``, first: kept, sections: [] });
  assert.ok(page.includes(kept.text));
  assert.ok(page.includes("<title>3 ms</title>"));
});
