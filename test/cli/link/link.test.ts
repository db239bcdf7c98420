// The short form of links: what each means, how it is written, what is refused. The same forms are read by
// test/native/shaper for trilane-shaper.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { UserError } from "../../../cli/errors.ts";
import { formatLink, type LinkProfile, parseLink } from "../../../cli/link/link.ts";

interface Forms {
  readonly valid: { form: string; canonical: string; profile: LinkProfile }[];
  readonly invalid: string[];
}
const path = join(import.meta.dirname, "..", "..", "..", "schemas", "examples", "link-forms.json");
const forms = JSON.parse(readFileSync(path, "utf8")) as Forms;

for (const { form, canonical, profile } of forms.valid) {
  test(`"${form}" means its profile and is written "${canonical}"`, () => {
    assert.deepEqual(parseLink(form), profile);
    assert.equal(formatLink(profile), canonical);
    assert.deepEqual(parseLink(canonical), profile);
  });
}

for (const form of forms.invalid) {
  test(`"${form}" is refused in one line`, () => {
    assert.throws(
      () => parseLink(form),
      (error) => error instanceof UserError && error.message.startsWith("link: ") && !error.message.includes("\n"),
    );
  });
}

test("a refusal names the thing and the remedy", () => {
  assert.throws(() => parseLink("0mbit/50ms"), /^UserError: link: rate must be above 0 \(got "0mbit"\)$/);
  assert.throws(() => parseLink("3mbit/50ms,colour=red"), /no setting "colour".*there are rate, down/);
  assert.throws(() => parseLink("3/50ms"), /"3" has no unit of rate: use bit, kbit, mbit or gbit/);
});

test("an rtt is split evenly and its halves add up", () => {
  for (const rtt of ["0.3ms", "33.3ms", "1us", "299.999ms"]) {
    const profile = parseLink(`1mbit/${rtt}`);
    assert.equal(profile.down.delay_ms, profile.up.delay_ms);
    assert.equal(formatLink(profile), formatLink(parseLink(formatLink(profile))));
    assert.ok(Math.abs(profile.down.delay_ms * 2 - profile.rtt_ms) < 1e-9);
  }
});

test("every rate of experiment A's grid keeps its value through the short form", () => {
  for (const rate_mbit of [0.2, 0.3, 0.6, 1, 1.7, 2.9, 5, 8.6, 14.6, 25]) {
    const profile = parseLink(`${rate_mbit}mbit/30ms`);
    assert.equal(profile.down.rate_bps, Math.round(rate_mbit * 1e6));
    assert.equal(parseLink(formatLink(profile)).down.rate_bps, profile.down.rate_bps);
  }
});
