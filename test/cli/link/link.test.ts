// What trilane-shaper says of links reaches the callers: profiles, canonical forms, labels, names and refusals. The language
// itself is tested in test/native/shaper (link_profile_test.c) and test/fuzz/link.c.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import { UserError } from "../../../cli/base/errors.ts";
import { checkout } from "../../../cli/base/programs.ts";
import { furtherSettings, linkSentence } from "../../../cli/link/label.ts";
import {
  describeLink,
  describeLinks,
  formatLink,
  type LinkProfile,
  namedLinks,
  parseLink,
  readForms,
  refuseWithoutDelay,
} from "../../../cli/link/link.ts";
import { tempFolder } from "../../temp_folder.ts";

interface Forms {
  readonly valid: { form: string; canonical: string; profile: LinkProfile }[];
  readonly invalid: { form: string; error: string }[];
}
const schemas = join(import.meta.dirname, "..", "..", "..", "schemas");
const parse = (path: string) => JSON.parse(readFileSync(join(schemas, path), "utf8"));
const forms: Forms = parse("examples/link-forms.json");
const isProfile = new Ajv({ strict: true, allowUnionTypes: true }).compile(parse("link-profile.schema.json"));

test("every form means its profile and is written in one way, and so is a profile", () => {
  const read = readForms(forms.valid.map(({ form }) => form));
  const written = describeLinks(forms.valid.map(({ profile }) => profile));
  forms.valid.forEach(({ form, canonical, profile }, index) => {
    // A sweep's digest is computed from the text, so the order of the members counts.
    assert.equal(JSON.stringify(read[index]?.profile), JSON.stringify(profile), form);
    assert.equal(read[index]?.form, canonical);
    assert.equal(written[index]?.form, canonical);
    assert.deepEqual(written[index]?.profile, profile);
    assert.ok(isProfile(profile), JSON.stringify(isProfile.errors));
  });
});

test("what is refused is refused in one line, alone or among others", () => {
  for (const { form, error: message } of forms.invalid) {
    // The program's own words, but where the command line knows what was meant.
    assert.throws(
      () => readForms(["3g", form, "dsl"]),
      (error) => {
        assert.ok(error instanceof UserError);
        if (!/^link: no (?:link|setting) "[^"]+"[^:]*: did you mean [^\n]+\?$/.test(error.message))
          assert.equal(error.message, message);
        return true;
      },
    );
    assert.match(message, /^link: [^\n]+$/);
  }
  assert.throws(
    () => parseLink("3mbit\ud800/50ms"),
    /^UserError: link: rate "3mbit\ufffd" is not a number with a unit/,
  );
  assert.throws(() => parseLink("3mbit\u0000"), /^UserError: link: [^\n]+: correct it$/);
});

test("what is asked for is the caller's own, and asked for once", () => {
  const [first, second] = [parseLink("3mbit/50ms"), parseLink("3mbit/50ms")];
  first.down.rate_bps = 1;
  assert.equal(second.down.rate_bps, 3e6);
  assert.equal(parseLink("3mbit/50ms").down.rate_bps, 3e6);
});

test("without trilane-shaper the error says how to build it", () => {
  const folder = tempFolder("trilane-unbuilt-");
  for (const part of ["cli", "schemas"]) cpSync(join(checkout, part), join(folder, part), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const code = 'import { parseLink } from "./cli/link/link.ts"; parseLink("3g");';
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.match(stderr, /UserError: trilane-shaper is not built: run `npm run setup` in /);
});

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
  for (const { name, form } of namedLinks()) {
    assert.ok(
      forms.valid.some((example) => example.form === name),
      name,
    );
    assert.doesNotMatch(form, /(^|,)(rate|rtt|queue)=/, "no setting that one for a direction could not change");
    assert.equal(parseLink(`${name},down=7mbit`).down.rate_bps, 7e6);
    assert.equal(parseLink(`${name},down=7mbit`).up.rate_bps, parseLink(name).up.rate_bps);
    assert.equal(parseLink(`${name},delay_up=7ms`).up.delay_ms, 7);
    assert.equal(parseLink(`${name},delay_up=7ms`).down.delay_ms, parseLink(name).down.delay_ms);
    assert.equal(parseLink(describeLink(parseLink(name)).name ?? "").rtt_ms, parseLink(name).rtt_ms);
  }
  assert.equal(new Set(namedLinks().map(({ name }) => name)).size, namedLinks().length);
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
  const inBytes = readForms(sizes.map((bytes) => `3mbit/50ms,queue=${bytes}B`));
  const inKilobytes = readForms(sizes.map((bytes) => `3mbit/50ms,queue=${bytes / 1000}kB`));
  const again = readForms(inBytes.map(({ form }) => form));
  sizes.forEach((bytes, index) => {
    for (const read of [inBytes, inKilobytes, again]) assert.deepEqual(read[index]?.profile.down.queue, { bytes });
  });
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
    describeLink(parseLink("trace=/a/b/lte.down,rtt=50ms,loss=file:/c/d")).label,
    "trace=lte.down,rtt=50ms,loss=file:d",
  );
  assert.equal(describeLink(parseLink("down=750kbit,up=250kbit,rtt=100ms")).name, "cse534-lb-hl");
  assert.equal(describeLink(parseLink("3g,loss=1%")).name, null);
});

test("rates as people write them are understood, but for bytes; what is mistyped is answered with what was meant", () => {
  for (const form of ["10Mbps/50ms", "10MBit/50ms", "10mbps/50ms", "0.01GBIT/50ms"])
    assert.equal(formatLink(parseLink(form)), "10mbit/50ms", form);
  assert.throws(() => parseLink("10MBps/50ms"), /^UserError: link: rate "10MBps" has no unit of rate/);
  assert.throws(() => parseLink("4g"), /^UserError: link: no link "4g": did you mean slow-4g or fast-4g or /);
  assert.throws(() => parseLink("sattelite"), /^UserError: link: no link "sattelite": did you mean satellite\?$/);
  assert.throws(
    () => parseLink("3mbit/50ms,los=1%"),
    /: no setting "los" \(in "3mbit\/50ms,los=1%"\): did you mean loss\?$/,
  );
});
