// The helper knows the lanes of cli/lanes.ts.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { laneFacts } from "../../cli/lanes.ts";
import { Host } from "../native-host/host_conversation.ts";

const lanes = Object.keys(laneFacts);

test("the helper races each lane, and no other", async () => {
  const home = mkdtempSync(join(tmpdir(), "trilane-lanes-"));
  const host = new Host(home, "/bin/true");
  try {
    const codeOf = async (lane: string): Promise<string | undefined> => {
      const answer = await host.ask("race.start", { recording: "page", lanes: [lane], link: "3g", runs: 1 });
      if (answer.race) await host.next(host.post("race.follow", { race: answer.race }));
      return answer.error?.code;
    };
    for (const lane of lanes) assert.equal(await codeOf(lane), undefined, lane);
    assert.equal(await codeOf("h4"), "malformed");
  } finally {
    await host.end();
    rmSync(home, { recursive: true, force: true });
  }
});
