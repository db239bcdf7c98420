// Each schema lists the lanes for itself, so that it stands alone, and so does the helper: all list those of cli/lanes.ts.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { laneFacts } from "../../cli/lanes.ts";
import { Host } from "../native-host/host_conversation.ts";

const schemas = join(import.meta.dirname, "..", "..", "schemas");
const lanes = Object.keys(laneFacts);

const isLane = (value: unknown): boolean => lanes.includes(value as string);

/** All lists of values in a schema that hold more lanes than there are protocols, which bear the same names. */
function laneLists(value: unknown): unknown[][] {
  if (typeof value !== "object" || value === null) return [];
  const own = Object.entries(value).flatMap(([key, inner]) =>
    key === "enum" && Array.isArray(inner) && inner.filter(isLane).length > 3 ? [inner] : [],
  );
  return [...own, ...Object.values(value).flatMap(laneLists)];
}

test("every list of lanes in the schemas is the whole one, in its order", () => {
  const found = readdirSync(schemas)
    .filter((file) => file.endsWith(".schema.json"))
    .flatMap((file) =>
      laneLists(JSON.parse(readFileSync(join(schemas, file), "utf8"))).map((list) => ({ file, list })),
    );
  assert.ok(found.length > 5);
  for (const { file, list } of found) assert.deepEqual(list, lanes, file);
});

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
