// What `trilane fetch` stores of the cost in a lab: the server's share of each fetch, and with --syscalls the calls of both ends, in fetches
// that no time counts; and what --evidence keeps of a fetch.
// Wide: cli/instruments/fetch, native-host/fetch.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { notInstalled } from "../../cli/install/requirements.ts";
import { kindShare } from "../../cli/instruments/fetch/answer/call_shares.ts";
import { fetchPlanOf } from "../../cli/instruments/fetch/plan/plan.ts";
import { attemptFetch, type FetchAttempt } from "../../cli/instruments/fetch/run/attempt.ts";
import { parseLink } from "../../cli/link/link.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import type { FetchRecord } from "../../schemas/generated/fetch_record.ts";
import type { FlowCounters } from "../../schemas/generated/flow_counters.ts";
import type { FetchFinished } from "../../schemas/generated/sweep_event.ts";
import { captureFacts } from "../bench/capture_facts.ts";
import { run } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";

const object = "https://object-1mb.synth.test/";

async function attempts(countsCalls: boolean): Promise<FetchAttempt[]> {
  const home = tempFolder("trilane-fetch-cost-");
  await withArchive(home, (archive) => ensureSynth(archive, "object-1MB"));
  const links = ["100mbit/4ms"];
  const lanes = ["h1", "h2", "h3"] as const;
  const document = { name: "cost", objects: [object], lanes, links, page: "object-1MB", repetitions: 1 };
  const plan = fetchPlanOf(document, "test");
  const lab = { home, recording: "object-1MB", far: [], server: null, link: parseLink("100mbit/4ms") };
  const made: FetchAttempt[] = [];
  for (const lane of lanes)
    made.push(
      await attemptFetch({
        ...{ plan, object, lane, tls: "1.3", ip: 4, lab, countsCalls, askHttpsRecord: false },
        ...{ ca: join(home, "ca", "ca.pem"), signal: new AbortController().signal },
      }),
    );
  return made;
}

test("the server's CPU time of each fetch is stored, and no calls", async () => {
  for (const { record, cost, reasons } of await attempts(false)) {
    assert.equal(record?.error, null, reasons.join("; "));
    assert.ok(cost?.server, JSON.stringify(cost));
    // A megabyte and a handshake take a millisecond or more, and no server a second.
    const cpu_us = cost.server.cpu_user_us + cost.server.cpu_system_us;
    assert.ok(cpu_us > 500 && cpu_us < 1e6, `${record?.lane}: ${cpu_us} us`);
    assert.deepEqual([cost.client_calls, cost.server_calls], [null, null]);
    assert.equal(cost.unavailable.client_calls, "system calls were not counted");
  }
});

test("system calls of both ends are counted by name", { skip: notInstalled(["strace"]) ?? false }, async () => {
  for (const { status, record, cost, reasons } of await attempts(true)) {
    assert.equal(status, "valid", reasons.join("; "));
    const names = (calls: readonly { readonly name: string }[] | null | undefined) =>
      (calls ?? []).map(({ name }) => name);
    const [client, server] = [names(cost?.client_calls), names(cost?.server_calls)];
    assert.ok(client.includes("epoll_wait") && server.includes("epoll_wait"), `${record?.lane}: ${client.join(" ")}`);
    assert.ok(
      client.some((name) => name.startsWith("recv")),
      client.join(" "),
    );
    assert.ok(
      server.some((name) => name.startsWith("send") || name.startsWith("write")),
      server.join(" "),
    );
    // The client that runs in the server's lab is none of the server's.
    assert.ok(!server.includes("connect") && !server.includes("wait4"), server.join(" "));
    // Of so short a fetch strace may count less than the microsecond that it tells.
    assert.notEqual(kindShare(cost?.client_calls ?? [], "receive"), null);
    assert.equal(cost?.server, null);
  }
});

test("--evidence keeps each fetch's packets, its keys, and the qlogs of both ends", () => {
  const home = tempFolder("trilane-fetch-evidence-");
  const kept = join(home, "kept");
  const words = ["--link", "100mbit/4ms", "--page", "object-1MB", "--lanes", "h1,h3", "--runs", "1"];
  const { events, stderr } = run(home, ["fetch", ...words, "--evidence", kept, "--json"]);
  const ended = events.filter((event): event is FetchFinished => event.event === "fetch-finished");
  assert.deepEqual(ended.map(({ lane }) => lane).toSorted(), ["h1", "h3"], stderr);
  for (const { lane, record } of ended) {
    assert.equal(record?.error, null);
    const [folder = "", ...more] = globSync(join(kept, "sweep-1", "*", "*", `${lane}-tls1.3-ip4-block0-attempt0`));
    assert.deepEqual(more, []);
    const read = (name: string): Buffer => readFileSync(join(folder, name));
    const document = <Document>(name: string): Document => JSON.parse(read(name).toString()) as Document;
    const left = document<{ record: FetchRecord }>("fetch.json").record;
    assert.deepEqual([left.start_ns, left.body_sha256], [record?.start_ns, record?.body_sha256]);
    const capture = read("packets.pcapng");
    const { down, up } = captureFacts(capture);
    const counted = document<FlowCounters>("flow-counters.json");
    assert.deepEqual([down, up], [counted.down.received_packets, counted.up.received_packets]);
    assert.ok(down > 1e6 / 1500 && capture.length > 1e6, `${down} packets`);
    // A secret stands beside the random number of the handshake that it is of.
    const [, random = ""] = /CLIENT_HANDSHAKE_TRAFFIC_SECRET ([0-9a-f]{64}) /.exec(capture.toString("latin1")) ?? [];
    assert.equal(random.length, 64);
    if (lane === "h1") assert.ok(capture.includes(Buffer.from(random, "hex")), "it is of another connection");
    const qlogs = readdirSync(join(folder, "qlog"));
    assert.equal(qlogs.filter((name) => name.startsWith("client-")).length, lane === "h3" ? 1 : 0);
    assert.equal(qlogs.length, lane === "h3" ? 2 : 0);
    assert.equal(read("tcp.jsonl").length > 0, lane === "h1");
    assert.match(read("shaper.json").toString(), /trilane\/shaper-report\/1/);
    assert.match(read("replay.json").toString(), /trilane\/replay-report\/1/);
  }
});
