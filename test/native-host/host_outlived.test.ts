// What outlives a trilane-host: races go on when it is killed, what was saved stays, and several hosts share one data
// folder. The command line is a shell script here; test/e2e has the real one.
import assert from "node:assert/strict";
import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exchange } from "../cli/recording/archive/example_recording.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Fields, Host } from "./host_conversation.ts";

const folder = tempFolder("trilane-host-");

function commandLine(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return path;
}

const race = { recording: "shop", lanes: ["h1"], link: "3g", runs: 1 };

test("a race goes on when its host is killed, and a later host tells all of it", { timeout: 60_000 }, async () => {
  const home = join(folder, "killed");
  const go = join(folder, "go");
  const cli = commandLine(
    "race.sh",
    `echo '{"event":"sweep-started","sweep":4}'\nwhile [ ! -e ${go} ]; do sleep 0.05; done\necho '{"event":"last"}'`,
  );
  const first = new Host(home, cli);
  const started = await first.ask("race.start", race);
  const watched = first.post("race.follow", { race: started.race });
  assert.equal((await first.next(watched)).event, "line");
  await first.kill();
  const second = new Host(home, cli);
  const { races } = await second.ask("race.list");
  assert.deepEqual(
    (races as Fields[]).map(({ id, state, request }) => ({ id, state, request })),
    [{ id: started.race, state: "running", request: race }],
  );
  const followed = second.post("race.follow", { race: started.race });
  assert.deepEqual((await second.next(followed)).line, { event: "sweep-started", sweep: 4 });
  writeFileSync(go, "");
  assert.deepEqual((await second.next(followed)).line, { event: "last" });
  const { state, exit, error, sweep } = await second.next(followed);
  assert.deepEqual({ state, exit, error, sweep }, { state: "finished", exit: 0, error: null, sweep: 4 });
  await second.end();
});

test("two hosts may not race at once, and each may cancel the other's race", { timeout: 60_000 }, async () => {
  const home = join(folder, "two");
  const cli = commandLine("endless.sh", "while :; do sleep 0.05; done");
  const [one, other] = [new Host(home, cli), new Host(home, cli)];
  const started = await Promise.all([one.ask("race.start", race), other.ask("race.start", race)]);
  assert.deepEqual(started.map(({ error }) => error?.code ?? "started").sort(), ["busy", "started"]);
  const id = started.find((answer) => answer.race)?.race;
  const followed = started[0]?.race ? one.post("race.follow", { race: id }) : other.post("race.follow", { race: id });
  const [owner, stranger] = started[0]?.race ? [one, other] : [other, one];
  await stranger.ask("race.cancel", { race: id });
  const { state, exit } = await owner.next(followed);
  assert.deepEqual({ state, exit }, { state: "canceled", exit: 130 });
  await owner.end();
  await stranger.end();
});

test("a host that is killed while it saves leaves what was saved before, and nothing else", async () => {
  const home = join(folder, "saving");
  const first = new Host(home);
  const save = async (host: Host) => {
    const { upload } = await host.ask("profile.begin", { name: "page" });
    await host.ask("profile.data", { upload, text: '{"log":{}}' });
    return await host.ask("profile.commit", { upload });
  };
  const { profile } = await save(first);
  const { upload } = await first.ask("profile.begin", { name: "cut short" });
  await first.ask("profile.data", { upload, text: '{"log":' });
  await first.kill();
  const second = new Host(home);
  const listed = (await second.ask("profile.list")).profiles as Fields[];
  assert.deepEqual(
    listed.map(({ profile: id, name }) => ({ id, name })),
    [{ id: profile, name: "page" }],
  );
  await save(second);
  const left = readdirSync(join(home, "profiles")).filter((name) => name.endsWith(".part"));
  assert.deepEqual(left, []);
  await second.end();
});

test("several hosts write recordings into one archive at once", { timeout: 120_000 }, async () => {
  const home = join(folder, "shared");
  const hosts = Array.from({ length: 4 }, () => new Host(home));
  const perHost = 5;
  await Promise.all(
    hosts.map(async (host, h) => {
      for (let i = 0; i < perHost; i++) {
        const begin = { name: `page-${h}-${i}`, url: "https://a.example/", source: "test", notes: {} };
        const begun = await host.ask("archive.begin", begin);
        assert.equal(begun.error, undefined);
        const { transaction } = begun;
        await host.ask("archive.exchange", {
          transaction,
          exchange: exchange("/"),
          body: Buffer.from("same").toString("base64"),
        });
        const committed = await host.ask("archive.commit", { transaction });
        assert.equal(committed.error, undefined);
      }
    }),
  );
  for (const host of hosts) {
    const { recordings } = await host.ask("archive.list");
    assert.equal((recordings as unknown[]).length, hosts.length * perHost);
    await host.end();
  }
});
