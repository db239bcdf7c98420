// cli/instruments/flows/run: a lab's command line has both ends around the link, and what a run's files may take.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flowsCommandLine } from "../../../../../cli/instruments/flows/run/lab_run.ts";
import { neededBytes, runPathsIn } from "../../../../../cli/instruments/flows/run/run_folder.ts";
import { parseLink } from "../../../../../cli/link/link.ts";
import { run } from "../records/two_flows.ts";

const link = { ...parseLink("5mbit/50ms"), seed: 77 };

test("the far end runs the shaper, which runs the near end; each writes files of its own", () => {
  const paths = runPathsIn("/run");
  const words = flowsCommandLine({ home: "/home", link, paths, evidence: null });
  const parts = words.join(" ").split(" -- ");
  assert.equal(parts.length, 3);
  const [far = "", shaper = "", near = ""] = parts;
  assert.match(far, /trilane-flows far \/run\/run\.json --report \/run\/far\.json --samples \/run\/far-samples\.rec$/);
  assert.match(shaper, /trilane-shaper --link \S*5mbit\S* --seed 77 --report \/run\/shaper\.json /);
  assert.match(shaper, /--flow-counters \/run\/flow-counters\.json --flow-bins \/run\/flow-bins\.rec --flow-bin 50ms/);
  assert.match(
    near,
    /trilane-flows near \/run\/run\.json --report \/run\/near\.json --samples \/run\/near-samples\.rec$/,
  );
  assert.equal(new Set(Object.values(paths)).size, Object.keys(paths).length);
});

test("with evidence there are a capture and qlogs of both ends; without, none", () => {
  const asked = { home: "/home", link, paths: runPathsIn("/run") };
  const kept = flowsCommandLine({
    ...asked,
    evidence: { qlogs: "/kept/qlog", capture: ["--pcapng", "/kept/packets.pcapng"] },
  });
  assert.equal(kept.filter((word) => word === "/kept/qlog").length, 2);
  assert.equal(kept[kept.indexOf("--pcapng") + 1], "/kept/packets.pcapng");
  assert.ok(!flowsCommandLine({ ...asked, evidence: null }).some((word) => /qlog|pcapng/.test(word)));
});

test("the room that a run needs grows with its flows, its length and its ticks", () => {
  const base = neededBytes(run);
  assert.ok(neededBytes({ ...run, for_ms: 600_000 }) > base + 20e6);
  assert.ok(neededBytes({ ...run, for_ms: 600_000, sample_ms: 10 }) < neededBytes({ ...run, for_ms: 600_000 }));
  assert.ok(neededBytes({ ...run, flows: [...run.flows, ...run.flows] }) > base);
});
