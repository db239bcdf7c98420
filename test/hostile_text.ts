// Text that a stranger may put into any string of a HAR or of a file of results, and what no output of ours may have of it.
import assert from "node:assert/strict";

const commands = "\u001b]0;t\u0007\u001b[31m\u009b31m\u202egnp\u2066\u0000\u007f";

/** By what each would like to be. None is refused for its form: each gets as far as text does. */
export const hostileTexts = {
  markup: `"><script>globalThis.ran=1</script><img src=x onerror=globalThis.ran=1>'--></title>${commands}`,
  formula: '=HYPERLINK("https://evil.example")\t@SUM(1)',
  path: "../../../../escaped",
  roff: `.so /etc/passwd\n'\\" \n.sy id\n**b** [l](javascript:alert(1)) | ]]>`,
  prototype: "__proto__",
  "half of a pair": "\ud800",
  "a megabyte": "L".repeat(1 << 20),
} as const;

/** All of it in one, for where each place is tried. */
export const hostileText = `=1${hostileTexts.markup}\n.so ../../x | **b**`;

/** `value` with `text` in each string but those whose key `keep` takes. */
export function filled(value: unknown, text: string, keep: RegExp, key = ""): unknown {
  if (typeof value === "string") return keep.test(key) ? value : text;
  if (Array.isArray(value)) return value.map((each) => filled(each, text, keep, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, text, keep, name)]));
}

/** What a command sent to the terminal: no control character, no mark that turns text round, no stack of calls. */
export function assertCalmLines(text: string, what: string): void {
  const [found] = /[^\n\P{Cc}]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.exec(text) ?? [];
  assert.equal(found, undefined, `${what}: ${JSON.stringify(text.slice(0, 2000))}`);
  assert.doesNotMatch(text, /^ +at .*:\d+:\d+\)?$/m, what);
}
