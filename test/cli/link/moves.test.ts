// Links whose path moves: in words, from files of profiles, with traces, and as one link or two to the shaper.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { UserError } from "../../../cli/base/errors.ts";
import { filesOf, formWithAbsoluteFiles, settleFiles } from "../../../cli/link/files.ts";
import { linkSentence } from "../../../cli/link/label.ts";
import { formatLink, linksInTurn, parseLink, shaperKey, withoutMoves } from "../../../cli/link/link.ts";
import { namesProfile, readLink, withSwitchedTo } from "../../../cli/link/profile_file.ts";
import { capacitySteps } from "../../../cli/report/figures/capacity_steps.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-moves-");
const write = (name: string, text: string | object): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text));
  return path;
};

test("a sentence says how the path moves", () => {
  const plain = "10 Mbit/s each way, RTT 50 ms, loss 0 %, drop-tail queue of 1 BDP";
  const sentences = {
    "10mbit/50ms,rebind=5s": `${plain}, new ports every 5 s, seed 1`,
    "10mbit/50ms,rebind=2500ms:address,seed=4": `${plain}, a new address every 2.5 s, seed 4`,
    "10mbit/50ms,aqm=codel,switch=8s:3mbit/120ms+fec=2":
      "10 Mbit/s each way, RTT 50 ms, loss 0 %, CoDel queue of 1000 packets, seed 1; from 8 s on, with another " +
      "address: 3 Mbit/s each way, RTT 120 ms, loss 0 %, drop-tail queue of 1 BDP; besides fec=2",
  };
  for (const [form, sentence] of Object.entries(sentences)) assert.equal(linkSentence(parseLink(form)), sentence);
});

test("what a self-test measures stays as it is; a run's links come one after the other", () => {
  const link = parseLink("10mbit/50ms,rebind=5s,switch=8s:3mbit/120ms,udp=blocked,seed=3");
  assert.deepEqual(withoutMoves(link), parseLink("10mbit/50ms,udp=blocked,seed=3"));
  assert.deepEqual(linksInTurn(link), [parseLink("10mbit/50ms,udp=blocked,seed=3"), parseLink("3mbit/120ms,seed=3")]);
  assert.deepEqual(linksInTurn(parseLink("dsl")), [parseLink("dsl")]);
});

test("the link that is switched to may be a file of a profile, whose seed does not count", () => {
  write("lte.json", { ...parseLink("12mbit/70ms,loss=1%"), seed: 9 });
  const link = readLink("dsl,switch=8s:lte.json,seed=2", folder);
  assert.equal(formatLink(link), "down=16mbit,up=1mbit,rtt=30ms,switch=8s:12mbit/70ms+loss=1%,seed=2");
  assert.equal(withSwitchedTo("switch=8s:lte.json", folder), "switch=8s:12mbit/70ms+loss=1%");
  assert.ok(namesProfile("dsl,switch=8s:lte.json") && namesProfile("lte.json"));
  assert.ok(!namesProfile("dsl,switch=8s:3g,loss=file:lte.json"));
});

test("a file of a profile that moves cannot be switched to, nor one that is none", () => {
  write("moving.json", parseLink("dsl,rebind=5s"));
  write("switching.json", parseLink("dsl,switch=5s:3g"));
  write("broken.json", "{");
  const refusal = (form: string): string => {
    try {
      readLink(form, folder);
    } catch (error) {
      assert.ok(error instanceof UserError);
      assert.match(error.message, /^link: [^\n]+$/);
      return error.message.replaceAll(folder, "FOLDER");
    }
    return assert.fail(`${form} was taken`);
  };
  for (const [file, setting] of [
    ["moving.json", "rebind"],
    ["switching.json", "switch"],
  ])
    assert.equal(
      refusal(`dsl,switch=8s:${file}`),
      `link: FOLDER/${file}: ${setting} holds for a whole run: write it beside the first switch`,
    );
  assert.match(refusal("dsl,switch=8s:broken.json"), /broken\.json: not JSON/);
  assert.match(refusal("dsl,switch=8s:none.json"), /none\.json: no such file/);
});

test("a profile that moves means what its form does, also stored with sums of its files", () => {
  const trace = write("half.trace", "1\n2\n4\n");
  const form = "10mbit/50ms,rebind=5s:address,switch=8s:trace=half.trace+rtt=40ms";
  assert.equal(formWithAbsoluteFiles(form, folder), `10mbit/50ms,rebind=5s:address,switch=8s:trace=${trace}+rtt=40ms`);
  const [stored] = settleFiles([parseLink(form)], folder);
  assert.ok(stored?.switch);
  assert.equal(stored.switch.link.down.rate_bps, 9_000_000);
  assert.deepEqual(
    filesOf(stored).map(({ file, sha256 }) => [file, sha256?.length]),
    [[trace, 64]],
  );
  write("stored.json", stored);
  assert.equal(formatLink(readLink("stored.json", folder)), formatLink(stored));
  // Where the two contradict each other it says so.
  write("wrong.json", { ...stored, switch: { ...stored.switch, link: { ...stored.switch.link, rtt_ms: 50 } } });
  assert.throws(() => readLink("wrong.json", folder), /switch\.link\.rtt_ms is 50, but from the rest follows 40/);
});

test("moves are part of what a link is to the shaper", () => {
  const forms = [
    "10mbit/50ms",
    "10mbit/50ms,rebind=5s",
    "10mbit/50ms,rebind=5s:address",
    "10mbit/50ms,switch=5s:3g",
    "10mbit/50ms,switch=5s:dsl",
    "10mbit/50ms,switch=6s:dsl",
    "10mbit/50ms,switch=6s:dsl,rebind=5s",
    "10mbit/50ms,switch=6s:dsl+loss=1%",
    "10mbit/50ms,switch=6s:dsl+loss=1%,seed=2",
  ];
  assert.equal(new Set(forms.map((form) => shaperKey(parseLink(form)))).size, forms.length);
  const key = (form: string): string => shaperKey(parseLink(form));
  assert.equal(key("10mbit/50ms,switch=5s:dsl,seed=7"), key("10mbit/50ms,switch=5000ms:dsl"));
});

test("a figure's capacity follows the switch", () => {
  const steps = (form: string) => capacitySteps(parseLink(form), "down", 100);
  assert.deepEqual(steps("8mbit/50ms,switch=2s:3mbit/50ms"), [
    [Number.NEGATIVE_INFINITY, 8e6],
    [2100, 3e6],
  ]);
  assert.deepEqual(steps("8mbit:1mbit@1s:2mbit@4s/50ms,switch=2s:3mbit:4mbit@1s/50ms"), [
    [100, 8e6],
    [1100, 1e6],
    [2100, 3e6],
    [3100, 4e6],
  ]);
  assert.equal(steps("8mbit/50ms,switch=2s:unlimited"), null);
});
