// Sweeps of flows and of fetches in a bundle: reproduced byte for byte, without the secrets of URLs.
// Wide: cli/instruments/fetch, cli/instruments/flows, cli/sweep/bundle.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { bundledSweeps } from "../../../../cli/instruments/all.ts";
import { addedFetches, recordFetch, storedFetchCellsOf } from "../../../../cli/instruments/fetch/store/fetch_runs.ts";
import { openResults } from "../../../../cli/results/store/results.ts";
import { reproduceBundle } from "../../../../cli/sweep/bundle/reproduce.ts";
import type { Bundle } from "../../../../schemas/generated/bundle.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { storedFetch } from "../../instruments/fetch/records.ts";
import { storeFlows } from "../../instruments/flows/report/stored.ts";
import { bundled, membersOf, secret } from "./made_bundle.ts";

const folder = tempFolder("trilane-bundle-instruments-");
const masked = `https://shop.example/a.js?token=${"x".repeat(secret.length)}`;
/** They differ in their secrets alone. */
const objects = [secret, secret.toUpperCase()].map((token) => `https://shop.example/a.js?token=${token}`) as [
  string,
  string,
];

function storeFetches(home: string): number {
  using results = openResults(home);
  const plan = { name: "f", objects, lanes: ["h2", "h3"], tls: ["1.3"], ip: [4], repetitions: 6 } as const;
  const cell = { tls: "1.3", ip: 4, link: null, link_profile: null } as const;
  const { sweep } = results.begin(
    addedFetches({
      ...{ name: "fetch shop", seed: 7, command: ["trilane", "fetch", ...objects], environment: {} },
      ...{ plan: structuredClone(plan) as never, plan_digest: "of the plan with its secret" },
      fetchCells: objects.flatMap((object) => [
        { ...cell, object, lane: "h2" },
        { ...cell, object, lane: "h3" },
      ]),
    }),
    true,
  );
  let position = 0;
  for (const { id, object, lane } of storedFetchCellsOf(results, sweep.id))
    for (let block = 0; block < 6; block++) {
      const { record, ...rest } = storedFetch({ object, lane, cell: id, block, record: { lane: lane as "h2" } });
      recordFetch(results, { ...rest, record, position: position++ });
    }
  results.finishSweep(sweep.id);
  results.release(sweep.id);
  return sweep.id;
}

/** What of its plan names cells, masked. */
const subjects = {
  fetches: [masked, `${masked}#2`],
  flows: ["[two] ?key=x", "[two] ?key=x#2"],
};

const stores = {
  fetches: storeFetches,
  flows: (home: string) =>
    storeFlows(home, {
      ...{
        links: ["10mbit/50ms"],
        mixes: [
          { name: "[two] ?key=1", flows: ["quic", "tcp"], made: () => ({ rate_bps: 2e6 }) },
          { name: "[two] ?key=2", flows: ["quic", "tcp"], made: () => ({ rate_bps: 3e6 }) },
        ],
        repetitions: 5,
      },
    }),
};

for (const kind of ["fetches", "flows"] as const)
  test(`a sweep of ${kind}: no secret, what differs in secrets alone is apart, the same bytes again, and all made again from it; none is run from it`, async () => {
    const home = join(folder, kind);
    const sweep = stores[kind](home);
    const at = (name: string): string => join(folder, `${kind}-${name}`);
    const first = await bundled(home, sweep, at("a.tar.zst"));
    assert.equal((await bundled(home, sweep, at("b.tar.zst"))).sha256, first.sha256);
    const members = await membersOf(at("a.tar.zst"));
    for (const { name, bytes } of members) assert.ok(!/s3cr3t/i.test(bytes.toString("latin1")), name);
    const textOf = (wanted: string): string => String(members.find(({ name }) => name === wanted)?.bytes);
    const { objects = [], mixes = [] } = JSON.parse(textOf("plan.json"));
    assert.deepEqual([...objects, ...mixes.map(({ name }: { name: string }) => name)], subjects[kind]);
    const rows = textOf("loads.csv");
    for (const subject of subjects[kind]) assert.ok(rows.includes(`"${subject}",`), subject);
    const manifest = JSON.parse(textOf("manifest.json")) as Bundle;
    assert.deepEqual([manifest.sweep.kind, manifest.sweep.loads], [kind, first.loads]);
    assert.notEqual(manifest.sweep.plan_digest, "of the plan with its secret");
    const request = { bundle: at("a.tar.zst"), out: at("out"), kinds: bundledSweeps, onReproduced: () => {} };
    const { files, same } = await reproduceBundle({ ...request, rerun: null });
    assert.ok(files >= 3, `${files} files`);
    assert.equal(same, files);
    const rerun = async (): Promise<void> => assert.fail("it was run");
    await assert.rejects(
      reproduceBundle({ ...request, rerun }),
      /from a bundle: run its plan\.json by `trilane sweep`/,
    );
  });
