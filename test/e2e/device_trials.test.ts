// The device of a recording that does not say it: found by trial loads, noted in the recording, and what its loads are then made on; and that a
// phone's page has a phone's screen. Through the real lab and the real browser.
// Wide: cli/browser, cli/recording/import.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { namedDevices, usualDevice } from "../../cli/browser/device.ts";
import { parseLink } from "../../cli/link/link.ts";
import { trialFinding } from "../../cli/pages/trial_finding.ts";
import type { JsonObject, Recording } from "../../cli/recording/archive/archive.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Resource, recordSite } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-devices-");

const page = "https://page.test/";
const viewport = '<meta name=viewport content="width=device-width,initial-scale=1">';
const picture = (path: string): Resource => ({
  url: page + path,
  type: "image/svg+xml",
  body: `<svg xmlns="http://www.w3.org/2000/svg"><!-- ${path} --></svg>`,
});

/** A page that asks for three pictures from a folder that a script chooses; only `folder` was recorded. */
const choosing = (choice: string, folder: string): Resource[] => [
  {
    url: page,
    body: `<!doctype html>${viewport}<body><script>for (const name of "abc") document.body.append(Object.assign(new Image(), { src: "/" + (${choice}) + "/" + name }))</script>`,
  },
  ...["a", "b", "c"].map((name) => picture(`${folder}/${name}`)),
];

async function stored(name: string): Promise<Recording> {
  return (await withArchive(home, (archive) => archive.show(name))).recording;
}

async function found(name: string, resources: readonly Resource[], notes: JsonObject) {
  const { digest } = await recordSite(home, name, resources, undefined, notes);
  const said: string[] = [];
  const finding = await trialFinding(home, await stored(name), { say: (line) => said.push(line) });
  const recording = await stored(name);
  assert.equal(recording.digest, digest);
  return { ...finding, said, device: recording.notes.device };
}

test("pictures that only another device asks for: it is found, noted and said, and loads are made on it", async () => {
  const choice = "(name === 'a' ? devicePixelRatio === 2 : innerWidth > 1500) ? 'large' : 'small'";
  const wide = choosing(choice, "large");
  const { outside, said, device } = await found("wide", wide, {});
  assert.deepEqual(outside, []);
  assert.deepEqual(device, { ...usualDevice, device_pixel_ratio: 2, width: 1920, height: 1080 });
  assert.match(said.join("\n"), /^wide: its requests are those of 2 device pixels .*1920x1080: it is loaded so/);
  const load = await untimedLoad({
    ...{ home, lane: "h3", link: parseLink("unlimited"), timeout_ms: 30_000 },
    recording: await stored("wide"),
  });
  assert.equal(load.log._trilane.coverage?.requests, 1);
});

test("a device that is known is kept, whatever a load misses, and what no device asks for stays missed", async () => {
  const wide = choosing("innerWidth > 1500 ? 'large' : 'small'", "large");
  const known = { device: usualDevice, device_known: ["width", "height", "device_pixel_ratio"] };
  const kept = await found("known", wide, known);
  assert.match(kept.outside.join(), /covers too little/);
  assert.deepEqual(kept.device, usualDevice);
  const never = await found("never", choosing("'small'", "large"), {});
  assert.match(never.outside.join(), /covers too little/);
  assert.equal(never.device, undefined);
});

test("a phone's page has its window, its pixels and its touch", async () => {
  const { width, device_pixel_ratio } = namedDevices.phone;
  const seen = "[innerWidth, devicePixelRatio, matchMedia('(pointer: coarse)').matches].join('-')";
  const phone = choosing(seen, `${width}-${device_pixel_ratio}-true`);
  const { outside } = await found("phone", phone, { device: { ...usualDevice, ...namedDevices.phone } });
  assert.deepEqual(outside, []);
});
