// A race.start as words of `trilane race`, and that the helper takes each lane that schemas/lane.schema.json has.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { allLanes } from "../../cli/base/lanes.ts";
import { tempFolder } from "../temp_folder.ts";
import { Host } from "./host_conversation.ts";

test("lanes, link and every option become words; what the helper does itself does not", async () => {
  const home = tempFolder("trilane-race-command-");
  const cli = join(home, "cli");
  writeFileSync(cli, `#!/bin/sh\nprintf '%s\\n' "$@" > "${home}/words"\n`, { mode: 0o755 });
  const host = new Host(home, cli);
  try {
    const options = { filmstrip: true, new: false, keep_credentials: true, forget_profile: true, transport: "tuned" };
    const numbers = { seed: 7, retries: 0, settle_ms: 250, timeout_s: 30 };
    const asked = { recording: "page", lanes: allLanes, link: "3g,loss=1%", runs: 9 };
    const { race } = await host.ask("race.start", { ...asked, options: { ...options, ...numbers } });
    await host.next(host.post("race.follow", { race }));
    assert.deepEqual(readFileSync(join(home, "words"), "utf8").trimEnd().split("\n"), [
      ...["race", "page", "--json", `--home=${home}`, `--lanes=${allLanes.join(",")}`, "--link=3g,loss=1%", "--runs=9"],
      ...["--filmstrip=true", "--new=false", "--keep-credentials=true", "--transport=tuned"],
      ...["--seed=7", "--retries=0", "--settle=250", "--timeout=30"],
    ]);
    const refused = await host.ask("race.start", { ...asked, options: { hurry: true } });
    assert.match(JSON.stringify(refused.error), /options: has no field `hurry`/);
  } finally {
    await host.end();
  }
});
