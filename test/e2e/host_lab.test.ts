// A lab as the extension asks trilane-host for it: a real Chromium on a link, which is changed and then stopped. Without a
// window, as the machine that tests has none.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Fields, Host } from "../native-host/host_conversation.ts";
import { schemaErrors } from "../schemas/schema_errors.ts";
import { tempFolder } from "../temp_folder.ts";

const home = tempFolder("trilane-lab-");

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");
const headless = join(home, "headless.sh");
writeFileSync(headless, `#!/bin/sh\n[ "$1" = open ] && exec ${trilane} "$@" --headless\nexec ${trilane} "$@"\n`);
chmodSync(headless, 0o700);

test("a lab is started, steered, listed and stopped", { timeout: 180_000 }, async () => {
  const host = new Host(home, headless);
  const asked = { link: "3g", lane: "h3", recording: "carlucci-small" };
  const { lab, error } = await host.ask("lab.start", asked);
  assert.equal(error, undefined);
  const listed = async () => ((await host.ask("lab.list")).labs as Fields[])[0];
  // Until its link is there it cannot be changed.
  let steered = await host.ask("lab.steer", { lab, change: "down=5mbit" });
  while (steered.error && (await listed())?.state === "running") {
    await delay(250);
    steered = await host.ask("lab.steer", { lab, change: "down=5mbit" });
  }
  assert.equal(steered.error, undefined, JSON.stringify(await listed()));
  assert.match((steered.result as { link: string }).link, /down=5mbit/);
  const refused = await host.ask("lab.steer", { lab, change: "down=fast" });
  assert.match(JSON.stringify(refused.error), /fast/);
  while (!(await listed())?.opened && (await listed())?.state === "running") await delay(250);
  const { opened, started: _, ...rest } = (await listed()) ?? {};
  assert.deepEqual(rest, { id: lab, state: "running", error: null, request: asked });
  assert.equal(schemaErrors("page-opened", opened), null);
  assert.equal((opened as { page: string }).page, "carlucci-small");
  await host.ask("lab.stop", { lab });
  while ((await listed())?.state === "running") await delay(100);
  assert.ok(["finished", "canceled"].includes((await listed())?.state as string), JSON.stringify(await listed()));
  assert.equal((await host.ask("lab.steer", { lab, change: "3g" })).error?.code, "not-found");
  await host.end();
});

test("a lab that cannot be says why", { timeout: 60_000 }, async () => {
  const host = new Host(home, headless);
  const { lab } = await host.ask("lab.start", { link: "3g", lane: "h3", recording: "no-such-page" });
  const find = async () => ((await host.ask("lab.list")).labs as Fields[]).find(({ id }) => id === lab);
  while ((await find())?.state === "running") await delay(100);
  const failed = await find();
  assert.equal(failed?.state, "failed");
  assert.match(JSON.stringify(failed?.error), /no-such-page/);
  await host.end();
});
