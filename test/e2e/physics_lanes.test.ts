// What must hold whatever the machine, of the lanes that physics.test.ts leaves out: page load time against round trips.
// Wide: cli/browser, cli/load, native-host/replay, shaper.
import assert from "node:assert/strict";
import { allLanes, type Lane } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { timedTest } from "../calm_machine.ts";
import { tempFolder } from "../temp_folder.ts";
import { calmLoad } from "./calm_load.ts";
import { alwaysHeld, pltOf, testRoundTrips } from "./round_trips.ts";
import { recordSite } from "./site.ts";

const home = tempFolder("trilane-physics-");

const page = () => withArchive(home, (archive) => ensureSynth(archive, "object-1kB"));

for (const lane of allLanes) if (!alwaysHeld.includes(lane)) testRoundTrips(lane, home, page);

timedTest("h1-clear: on one host a page comes no later than on h1", async (calm) => {
  const page = "https://page.test/";
  const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
  const images = ["1", "2", "3", "4"].map((name) => `/${name}.gif`);
  const site = await recordSite(home, "one-host", [
    { url: page, body: `<!doctype html>${images.map((path) => `<img src=${path}>`).join("")}` },
    ...images.map((path) => ({ url: new URL(path, page).href, type: "image/gif", body: gif })),
  ]);
  const load = (lane: Lane) =>
    calmLoad(calm, { home, recording: site, lane, link: parseLink("10mbit/100ms"), timeout_ms: 60_000 });
  const encrypted_ms = pltOf(await load("h1"));
  const clear_ms = pltOf(await load("h1-clear"));
  assert.ok(clear_ms <= encrypted_ms, `${clear_ms} ms in clear, else ${encrypted_ms} ms`);
});
