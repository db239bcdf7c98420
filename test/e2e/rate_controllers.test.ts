// Pages load over h3 with the controllers that set a rate by delay, the server reports them, and losses and a slower link end no load.
// Wide: native-host/congestion, native-host/replay, shaper.
// Beside others: nothing here depends on time.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { parseLink } from "../../cli/link/link.ts";
import { rateControllers, settleServing } from "../../cli/load/serving/serving.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { field } from "../../cli/report/figures/unknown_json.ts";
import { tempFolder } from "../temp_folder.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-rate-controllers-");
let recording: Awaited<ReturnType<typeof ensureSynth>>;
before(async () => {
  recording = await withArchive(home, (archive) => ensureSynth(archive, "carlucci-small"));
});

const names = Object.keys(rateControllers) as ("gcc" | "inter-arrival-2013")[];
for (const congestion_control of names)
  for (const form of ["5mbit/30ms", "5mbit/30ms,loss=1%", "1mbit/200ms"])
    test(`${congestion_control} on ${form}`, async () => {
      const serving = settleServing({ transport: { quic: { congestion_control } } });
      const { log } = await untimedLoad({
        ...{ home, recording, lane: "h3", link: parseLink(form), serving },
        timeout_ms: 60_000,
      });
      const { status, reasons, replay } = log._trilane;
      assert.deepEqual([status, ...reasons], ["valid"]);
      assert.equal(field(replay, "transport", "quic", "congestion_control"), congestion_control);
    });
