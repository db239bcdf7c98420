// Pages loaded while a NAT on their link loses its bindings, or the link gives way to another one: over h3 on one connection; over h1
// and h2 on others after each move, or not whole. And bulk flows.
// Wide: native-host/flows, native-host/replay, shaper.
// Beside others: held to no time but what the link itself takes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { parseLink } from "../../cli/link/link.ts";
import { movesCost } from "../../cli/load/metrics/path_moves.ts";
import { timedOutAfter_ms } from "../../cli/load/time_out.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import type { ReplayConnection } from "../../schemas/generated/replay_report.ts";
import { flow, runFlowLab } from "../flows/flow_lab.ts";
import { tempFolder } from "../temp_folder.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-moves-");

let recording: Awaited<ReturnType<typeof ensureSynth>>;
before(async () => {
  recording = await withArchive(home, (archive) => ensureSynth(archive, "carlucci-medium"));
});

/** Its 712 kB take 2 s and more at 3 Mbit/s. */
const load = (lane: "h1" | "h2" | "h3", moves: string, timeout_ms = 60_000) =>
  untimedLoad({ home, recording, lane, link: parseLink(`3mbit/50ms,${moves}`), timeout_ms });

const connectionsOf = ({ log }: PageLoad) => (log._trilane.replay?.connections ?? []) as ReplayConnection[];

/** As load(), again where no move came while there was a connection: one in the midst of the first handshake loses the document. */
async function movedLoad(...words: Parameters<typeof load>): Promise<PageLoad> {
  let moved = await load(...words);
  for (let again = 0; again < 3 && movesCost(moved) === null; again++) moved = await load(...words);
  return moved;
}

function assertSurvived(pageLoad: PageLoad, { moves, least_ms }: { moves: number; least_ms: number }): void {
  const { status, reasons } = pageLoad.log._trilane;
  assert.equal(status, "valid", reasons.join("; "));
  const cost = movesCost(pageLoad);
  assert.ok(cost && cost.path_moves >= moves, JSON.stringify(cost));
  assert.equal(cost.reconnections, 0);
  assert.ok((cost.moved_first_byte_ms ?? 0) >= least_ms, JSON.stringify(cost));
  const connections = connectionsOf(pageLoad);
  assert.equal(connections.length, 1, "one handshake");
  const changes = connections[0]?.path_changes ?? [];
  assert.ok(changes.filter(({ resumed_ns }) => resumed_ns !== null).length >= moves, JSON.stringify(changes));
}

test("over h3 a load survives each rebinding, on the connection that it had", async () => {
  // What the browser had on its way comes from the new address at once, so that the first byte takes no more than the way down.
  assertSurvived(await load("h3", "rebind=500ms"), { moves: 3, least_ms: 25 });
});

test("over h3 a load goes on over the link switched to, on the connection that it had", async () => {
  // The link counts from before the browser starts: on a busy machine the page may begin after an early switch.
  let switched = await load("h3", "switch=2s:3mbit/120ms");
  for (const at_s of [4, 8])
    if (movesCost(switched) === null) switched = await load("h3", `switch=${at_s}s:3mbit/120ms`);
  assertSurvived(switched, { moves: 1, least_ms: 120 });
});

test("a bulk flow over QUIC survives each rebinding; one over TCP dies of the first", async () => {
  const run = (words: string) =>
    runFlowLab(join(home, words), { link: "5mbit/50ms,rebind=700ms", flows: [flow(words)], for_s: 4 });
  const { far, records } = await run("quic:cubic");
  assert.equal(records?.near.flows[0]?.error, null);
  const changes = far.flows[0]?.path_changes ?? [];
  assert.ok(changes.filter(({ resumed_ns }) => resumed_ns !== null).length >= 3, JSON.stringify(changes));
  await assert.rejects(run("tcp:cubic"), /1 of 1 flows failed/);
});

test("a bulk flow whose client moves of its own accord is followed to each port, which was probed before", async () => {
  const moving = flow("quic:cubic", { migrate_ms: 600 });
  const { far, records } = await runFlowLab(join(home, "own"), { link: "5mbit/50ms", flows: [moving], for_s: 4 });
  const [near] = records?.near.flows ?? [];
  assert.equal(near?.error, null);
  assert.ok((near.migrations?.made ?? 0) >= 3, JSON.stringify(near.migrations));
  const changes = far.flows[0]?.path_changes ?? [];
  // A move under way at the end has not been seen.
  assert.ok(changes.length >= (near.migrations?.made ?? 0) - 1, JSON.stringify(changes));
  // Unless an answer to a challenge was lost.
  assert.ok(
    changes.some(({ seen_ns, validated_ns }) => validated_ns === seen_ns),
    JSON.stringify(changes),
  );
  assert.ok((records?.bins[0]?.counted.length ?? 0) >= changes.length + 1);
});

test("over h1 and h2 it goes on over other connections, or counts as one that timed out", async () => {
  const timeout_ms = 15_000;
  for (const pageLoad of await Promise.all(
    (["h1", "h2"] as const).map((lane) => movedLoad(lane, "rebind=500ms", timeout_ms)),
  )) {
    const { status, reasons } = pageLoad.log._trilane;
    assert.ok(connectionsOf(pageLoad).every(({ path_changes }) => path_changes === undefined));
    if (status === "valid") assert.ok((movesCost(pageLoad)?.reconnections ?? 0) >= 1);
    else {
      assert.equal(status, "failed");
      assert.equal(timedOutAfter_ms(reasons), timeout_ms, reasons.join("; "));
      assert.ok((movesCost(pageLoad)?.path_moves ?? 0) >= 1);
    }
  }
});
