// The short form of links: what each means, how it is written, what is refused and in which words. The same forms are
// read by test/native/shaper for trilane-shaper.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import { UserError } from "../../../cli/errors.ts";
import { refuseWithoutDelay } from "../../../cli/link/form.ts";
import { furtherSettings, linkLabel, linkSentence, nameOf } from "../../../cli/link/label.ts";
import { formatLink, type LinkProfile, parseLink } from "../../../cli/link/link.ts";
import { namedForm, namedLinks } from "../../../cli/link/names.ts";

interface Forms {
  readonly valid: { form: string; canonical: string; profile: LinkProfile }[];
  readonly invalid: { form: string; error: string }[];
}
const schemas = join(import.meta.dirname, "..", "..", "..", "schemas");
const parse = (path: string) => JSON.parse(readFileSync(join(schemas, path), "utf8"));
const forms: Forms = parse("examples/link-forms.json");
const isProfile = new Ajv({ strict: true, allowUnionTypes: true }).compile(parse("link-profile.schema.json"));

for (const { form, canonical, profile } of forms.valid) {
  test(`"${form}" means its profile and is written "${canonical}"`, () => {
    assert.deepEqual(parseLink(form), profile);
    assert.equal(formatLink(profile), canonical);
    assert.deepEqual(parseLink(canonical), profile);
    assert.ok(isProfile(profile), JSON.stringify(isProfile.errors));
  });
}

for (const { form, error: message } of forms.invalid) {
  test(`"${form.slice(0, 80)}" is refused in one line`, () => {
    assert.throws(() => parseLink(form), new UserError(message));
    assert.match(message, /^link: [^\n]+$/);
  });
}

test("what is asked for with a rate or a trace must say its delay, in words that are a link", () => {
  for (const [form, asked, none] of [
    ["10mbit", "10mbit/50ms", "10mbit/0ms"],
    ["10mbit,loss=1%", "10mbit/50ms,loss=1%", "10mbit/0ms,loss=1%"],
    ["down=8mbit,up=1mbit", "down=8mbit,up=1mbit,rtt=50ms", "down=8mbit,up=1mbit,rtt=0ms"],
    ["unlimited,rate=10mbit", "unlimited,rate=10mbit,rtt=50ms", "unlimited,rate=10mbit,rtt=0ms"],
    ["trace=lte", "trace=lte,rtt=50ms", "trace=lte,rtt=0ms"],
    ["trace_down=lte,seed=2", "trace_down=lte,seed=2,rtt=50ms", "trace_down=lte,seed=2,rtt=0ms"],
  ] as const) {
    assert.throws(
      () => refuseWithoutDelay(form),
      new UserError(`--link ${form}: says no round-trip time: write ${asked}, or ${none} for none`),
    );
    for (const written of [asked, none]) {
      parseLink(written);
      assert.doesNotThrow(() => refuseWithoutDelay(written));
    }
  }
  for (const form of ["unlimited", "unlimited,loss=1%", "3g,rate=10mbit", "trace=lte,delay_down=5ms"])
    assert.doesNotThrow(() => refuseWithoutDelay(form), form);
});

test("every known link is among the forms, and may be changed in either direction", () => {
  for (const { name, form } of namedLinks) {
    assert.ok(
      forms.valid.some((example) => example.form === name),
      name,
    );
    assert.equal(namedForm(name), form);
    assert.doesNotMatch(form, /(^|,)(rate|rtt|queue)=/, "no setting that one for a direction could not change");
    assert.equal(parseLink(`${name},down=7mbit`).down.rate_bps, 7e6);
    assert.equal(parseLink(`${name},down=7mbit`).up.rate_bps, parseLink(name).up.rate_bps);
    assert.equal(parseLink(`${name},delay_up=7ms`).up.delay_ms, 7);
    assert.equal(parseLink(`${name},delay_up=7ms`).down.delay_ms, parseLink(name).down.delay_ms);
    assert.equal(parseLink(nameOf(parseLink(name)) ?? "").rtt_ms, parseLink(name).rtt_ms);
  }
  assert.equal(new Set(namedLinks.map(({ name }) => name)).size, namedLinks.length);
});

test("experiment D's networks have the study's figures", () => {
  const figures = (name: string) => {
    const { down, up, rtt_ms } = parseLink(name);
    return [rtt_ms, down.rate_bps, up.rate_bps];
  };
  assert.deepEqual(figures("cse534-hb-ll"), [2, 30e6, 15e6]);
  assert.deepEqual(figures("cse534-lb-hl"), [100, 750e3, 250e3]);
  assert.deepEqual(figures("cse534-hb-hl"), [100, 30e6, 15e6]);
  assert.deepEqual(figures("cse534-lb-ll"), [2, 750e3, 250e3]);
});

test("an rtt is split evenly and its halves add up", () => {
  for (const rtt of ["0.3ms", "33.3ms", "1us", "299.999ms", "0.333333ms"]) {
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

test("every size of a queue in bytes keeps its value through the short form", () => {
  const sizes = Array.from({ length: 3000 }, (_, index) => index + 1);
  for (let bytes = 3001; bytes <= 1e9; bytes = Math.floor(bytes * 1.003) + 1) sizes.push(bytes);
  for (const bytes of sizes) {
    const form = formatLink(parseLink(`3mbit/50ms,queue=${bytes}B`));
    assert.deepEqual(parseLink(form).down.queue, { bytes }, form);
    assert.deepEqual(parseLink(`3mbit/50ms,queue=${bytes / 1000}kB`).down.queue, { bytes });
  }
});

test("a link is told in words, with what there is beyond rate, delay, queue and loss", () => {
  assert.equal(
    linkSentence(parseLink("3mbit/50ms,loss=1%")),
    "3 Mbit/s each way, RTT 50 ms, loss 1 %, drop-tail queue of 1 BDP, seed 1",
  );
  assert.equal(
    linkSentence(parseLink("8mbit:1mbit@10s/60ms,aqm_down=codel,jitter=2ms,loss_up=every:100")),
    "8 Mbit/s at first each way, RTT 60 ms, loss 0 % down, 1 % up, CoDel queue of 1000 packets down, " +
      "drop-tail queue of 1 BDP up, seed 1; besides 8mbit:1mbit@10s/60ms, jitter=2ms, loss_up=every:100",
  );
  assert.deepEqual(furtherSettings(parseLink("down=3mbit,up=1mbit,rtt=50ms,loss=1%,queue=64kB,seed=4")), []);
  assert.deepEqual(furtherSettings(parseLink("down=3mbit:1mbit@1s,up=1mbit,rtt=50ms")), [
    "down=3mbit:1mbit@1s",
    "up=1mbit",
    "rtt=50ms",
  ]);
  assert.equal(
    linkLabel(parseLink("trace=/a/b/lte.down,rtt=50ms,loss=file:/c/d")),
    "trace=lte.down,rtt=50ms,loss=file:d",
  );
  assert.equal(nameOf(parseLink("down=750kbit,up=250kbit,rtt=100ms")), "cse534-lb-hl");
  assert.equal(nameOf(parseLink("3g,loss=1%")), null);
});

test("links of all kinds of settings keep their meaning through their canonical form", () => {
  let state = 5;
  const below = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const of = (texts: readonly string[]): string => texts[below(texts.length)] ?? "";
  const settings: Readonly<Record<string, readonly string[]>> = {
    jitter: ["0", "5ms", "normal:1.5ms", "pareto:100us", "file:a/b:c"],
    jitter_order: ["keep", "free"],
    loss: ["0%", "0.1%", "33.3%", "ge:1%:30%", "ge:1%:30%:50%:0.01%", "every:7", "file:losses"],
    loss_slot: ["0", "10ms", "1.5s"],
    duplicate: ["0%", "2%"],
    reorder: ["0%:1", "0.5%:3"],
    onoff: ["off", "10s:1s", "exp:1500ms:250ms"],
    queue: ["1bdp", "0.5bdp", "100p", "64kB", "50ms", "unlimited"],
    aqm: ["droptail", "drophead", "codel", "pie", "fq_codel"],
    fec: ["off", "2"],
  };
  const rates = ["3mbit", "1.6384mbit", "8mbit:1mbit@10s", "200kbit"];
  const starts = [
    () => `${of(rates)}/${of(["50ms", "33.3ms", "50ms:200ms@1.5s"])}`,
    () => `down=${of(rates)},up=${of(rates)},delay_down=${of(["1ms", "10ms"])},delay_up=${of(["1ms", "10ms:2ms@1s"])}`,
    () => `trace_down=${of(["a/x", "b"])},up=${of(rates)},rtt=20ms,trace_end_down=${of(["wrap", "once"])}`,
    () => `trace=b,rtt=20ms`,
    () => of(namedLinks.map(({ name }) => name)),
  ];
  for (let run = 0; run < 2000; run++) {
    const parts = [starts[below(starts.length)]?.() ?? ""];
    for (const [name, texts] of Object.entries(settings))
      for (const suffix of ["", "_down", "_up"]) if (below(5) === 0) parts.push(`${name}${suffix}=${of(texts)}`);
    const form = parts.join(",");
    const profile = parseLink(form);
    const canonical = formatLink(profile);
    assert.deepEqual(parseLink(canonical), profile, form);
    assert.equal(formatLink(parseLink(canonical)), canonical);
    assert.ok(isProfile(profile), `${form}: ${JSON.stringify(isProfile.errors)}`);
  }
});
