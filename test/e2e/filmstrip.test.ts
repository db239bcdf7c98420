// What `race` films by itself, in real labs and Chromium: of each lane a film that begins with the navigation, ends with the page
// as it was loaded, and is no load; a repeat visit's is of the second visit.
// Wide: cli/instruments/page, cli/load, cli/sweep.
import assert from "node:assert/strict";
import { test } from "node:test";
import jpeg from "jpeg-js";
import type { RaceResult } from "../../schemas/generated/race_result.ts";
import { run as runIn } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { anyDisturbance } from "./untimed_load.ts";

const home = tempFolder("trilane-filmstrip-");

function run(...words: string[]): string {
  const { status, stdout, stderr } = runIn(home, words);
  assert.equal(status, 0, stderr);
  return stdout;
}

/** The share of a picture that is not white. */
function painted(base64: string): number {
  const { data } = jpeg.decode(Buffer.from(base64, "base64"));
  let dark = 0;
  for (let at = 0; at < data.length; at += 4) if (Math.min(data[at] ?? 255, data[at + 1] ?? 255) < 240) dark++;
  return dark / (data.length / 4);
}

test("each lane's film goes from nothing to the whole page", () => {
  const words = ["--link", "10mbit/50ms", "--lanes", "h1,h3,h2-0rtt", "--runs", "1", "--json", ...anyDisturbance];
  run("race", "carlucci-small", ...words);
  const race = JSON.parse(run("export", "--format", "race")) as RaceResult;
  assert.deepEqual(
    race.lanes.map(({ lane, plts_ms }) => [lane, plts_ms.length]),
    [
      ["h1", 1],
      ["h2-0rtt", 1],
      ["h3", 1],
    ],
  );
  const ends = race.lanes.map(({ lane, filmstrip, filmed_plt_ms, load }) => {
    assert.ok(filmstrip && filmed_plt_ms !== null && load, lane);
    const [first, last] = [filmstrip[0], filmstrip.at(-1)];
    assert.ok(first && last);
    assert.equal(first.time_ms, 0, `${lane}: what was shown when the navigation began`);
    assert.equal(painted(first.jpeg), 0, `${lane}: an empty page`);
    assert.ok(painted(last.jpeg) > 0.05, `${lane}: ${painted(last.jpeg)} of the page is painted`);
    const times = filmstrip.map(({ time_ms }) => time_ms);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    // The last picture is painted when the last image has come, about when the load event is.
    assert.ok(last.time_ms < filmed_plt_ms + 500, `${lane}: ${last.time_ms} ms, loaded at ${filmed_plt_ms} ms`);
    const paint = filmstrip.find((frame) => painted(frame.jpeg) > 0);
    assert.ok(paint && paint.time_ms > 100, `${lane}: nothing can be painted within two round trips`);
    return painted(last.jpeg);
  });
  for (const end of ends) assert.ok(Math.abs(end - (ends[0] ?? 0)) < 0.05, `all lanes end alike: ${ends}`);
});
