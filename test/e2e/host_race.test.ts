// What the extension asks of trilane-host, with the real command line behind it: a profile is handed over and raced, the
// race followed to its end, and its result is what the schema says.
// Beside others: all but tests of time.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { timedTest } from "../calm_machine.ts";
import { type Fields, Host } from "../native-host/host_conversation.ts";
import { schemaErrors } from "../schemas/schema_errors.ts";
import { tempFolder } from "../temp_folder.ts";
import { noteDisturbed } from "./calm_load.ts";

const root = join(import.meta.dirname, "..", "..");
const home = tempFolder("trilane-host-");

async function handOver(host: Host): Promise<unknown> {
  const text = readFileSync(join(root, "test", "fixtures", "har", "chrome-devtools.har"), "utf8");
  const { upload } = await host.ask("profile.begin", { name: "A shop", bytes: text.length });
  const middle = Math.floor(text.length / 2);
  await host.ask("profile.data", { upload, text: text.slice(0, middle) });
  await host.ask("profile.data", { upload, text: text.slice(middle) });
  return (await host.ask("profile.commit", { upload })).profile;
}

/** The events of a race until it has ended, and how it did. */
async function ended(host: Host, race: unknown): Promise<{ lines: Fields[]; end: Fields }> {
  const id = host.post("race.follow", { race });
  const lines: Fields[] = [];
  for (;;) {
    const message = await host.next(id);
    if (message.event !== "line") return { lines, end: message };
    assert.equal(message.number, lines.length);
    assert.equal(schemaErrors("sweep-event", message.line), null);
    lines.push(message.line as Fields);
  }
}

timedTest("a profile is handed over, raced to its end, and its result told", async (calm) => {
  const host = new Host(home);
  try {
    const { links } = (await host.document("links")) as { links: { name: string }[] };
    assert.ok(links.some(({ name }) => name === "3g"));
    assert.ok(Array.isArray((await host.document("doctor")).checks));
    const profile = await handOver(host);
    const { race, error } = await host.ask("race.start", {
      profile,
      lanes: ["h1", "h3"],
      link: "10mbit/20ms",
      runs: 1,
    });
    assert.equal(error, undefined);
    const { lines, end } = await ended(host, race);
    noteDisturbed(end.error, calm);
    assert.deepEqual([end.state, end.exit, end.error], ["finished", 0, null]);
    const lanes = lines.flatMap(({ event, lane }) => (event === "load-finished" ? [lane] : []));
    assert.deepEqual([...new Set(lanes)].toSorted(), ["h1", "h3"]);
    const result = await host.document("race.result", { race });
    assert.equal(schemaErrors("race-result", result), null);
    assert.deepEqual(
      (result.lanes as Fields[]).map(({ lane }) => lane),
      ["h1", "h3"],
    );
    assert.ok(existsSync(result.report_path as string));
  } finally {
    await host.end();
  }
});

test("a race of what is no HAR, or over no link, fails with the command line's own words", {
  timeout: 60_000,
}, async () => {
  const host = new Host(home);
  const { upload } = await host.ask("profile.begin", { name: "none" });
  await host.ask("profile.data", { upload, text: '{"log":7}' });
  const { profile } = await host.ask("profile.commit", { upload });
  const good = { lanes: ["h1"], link: "3g", runs: 1 };
  for (const [wanted, words] of [
    [{ ...good, profile }, /HAR/i],
    [{ ...good, recording: "no-such-page" }, /no-such-page/],
  ] as const) {
    const started = await host.ask("race.start", wanted);
    const { end } = await ended(host, started.race);
    assert.deepEqual([end.state, end.exit, end.sweep], ["failed", 2, null]);
    const { message } = end.error as { message: string };
    assert.match(message, words);
    assert.doesNotMatch(message, /[{}]/, "a sentence, not a document");
  }
  // A link is parsed before anything starts.
  for (const [link, words] of [
    ["--new", /`link` must be a link/],
    ["nonsense", /no link is called "nonsense"/],
  ] as const) {
    const { error } = await host.ask("race.start", { ...good, recording: "no-such-page", link });
    assert.equal(error?.code, "malformed");
    assert.match(error.message, words);
  }
  await host.end();
});

test("a race that is canceled keeps what was measured, and says so", { timeout: 120_000 }, async () => {
  const host = new Host(home);
  const profile = await handOver(host);
  const asked = { profile, lanes: ["h1", "h2", "h3"], link: "3g", runs: 5 };
  const { race } = await host.ask("race.start", asked);
  const id = host.post("race.follow", { race });
  let end = await host.next(id);
  for (let asking = false; end.event === "line"; end = await host.next(id)) {
    if (asking || (end.line as Fields).event !== "load-started") continue;
    asking = true;
    await host.ask("race.cancel", { race });
  }
  assert.deepEqual([end.state, end.exit, end.error], ["canceled", 130, null]);
  assert.equal(typeof end.sweep, "number");
  await host.end();
});
