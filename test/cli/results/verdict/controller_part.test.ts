// Of a sweep that has h3 with quiche's CUBIC and with one as Linux's: which lanes these are, and what each part of the gain is.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneLabel } from "../../../../cli/base/lanes.ts";
import { controllerNote } from "../../../../cli/report/answer_section.ts";
import {
  type ControllerLanes,
  controllerLanes,
  controllerSentences,
} from "../../../../cli/results/verdict/controller_part.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";

const lanes: ControllerLanes = { h2: "h2", own: "h3", alike: "h3:n1" };

/** Twelve blocks of each lane; its median as given, with a little of what all lanes of a block share. */
function samples(medians_ms: Readonly<Record<string, number>>, page = "shop"): Sample[] {
  return Object.entries(medians_ms).flatMap(
    ([lane, median_ms]) =>
      Array.from({ length: 12 }, (_, block) => ({
        ...{ page, link: "10mbit/50ms,loss=1%", lane, block, status: "valid", reasons: [] },
        plt_ms: median_ms * (1 + ((block * 7) % 12) / 1000),
      })) as Sample[],
  );
}

test("lanes that differ by the controller alone are found, and no others", () => {
  const controllers = (quic: string, others = "", tcp = "cubic") => ({ tcp, quic, others });
  const of = (known: Readonly<Record<string, ReturnType<typeof controllers>>>) =>
    controllerLanes(Object.keys(known) as LaneLabel[], (label) => known[label] as ReturnType<typeof controllers>);
  const own = { h2: controllers("cubic"), h3: controllers("cubic") };
  assert.deepEqual(of({ ...own, "h3:n1": controllers("cubic-n1") }), lanes);
  assert.equal(of(own), null);
  assert.equal(of({ ...own, "h3:n2": controllers("cubic-n2") }), null);
  assert.equal(of({ ...own, "h3:n1": controllers("cubic-n1", "initial window 32") }), null);
  assert.equal(of({ ...own, h2: controllers("cubic", "", "bbr"), "h3:n1": controllers("cubic-n1") }), null);
  assert.equal(of({ h3: controllers("cubic"), "h3:n1": controllers("cubic-n1") }), null);
  // Of one browser, or the difference is the browsers'.
  const inFirefox = { "h3@firefox": controllers("cubic"), "h3:n1@firefox": controllers("cubic-n1") };
  assert.equal(of({ "h2@chromium": controllers("cubic"), ...inFirefox }), null);
  assert.equal(of({ "h2@firefox": controllers("cubic"), ...inFirefox })?.h2, "h2@firefox");
});

test("each part of the gain, of the pages that all three loaded", () => {
  const shop = samples({ h2: 1000, h3: 720, "h3:n1": 900 });
  // Of a page without the third, which would tell something else, nothing is taken.
  const news = samples({ h2: 1000, h3: 100 }, "news");
  const [protocol = "", controller = ""] = controllerSentences([...shop, ...news], lanes, 1) ?? [];
  assert.match(protocol, /^The protocol alone, .*: h3:n1 is 10(?:\.0)? % faster than h2 \(95 %: /);
  assert.match(controller, /^The controller alone, .*: h3 is 20(?:\.0)? % faster than h3:n1 \(95 %: /);
  assert.equal(controllerSentences(news, lanes, 1), null);
  const same = controllerSentences(samples({ h2: 1000, h3: 900, "h3:n1": 900 }), lanes, 1);
  assert.match(same?.[1] ?? "", /: No difference larger than/);
});

test("the two parts are corrected together with the verdict's pairs, two of which they are", () => {
  // Five loads that lie apart are one in 64 by chance: shown of two comparisons, and of three, but not of six.
  const apart = (lane: string, median_ms: number): Sample[] =>
    [0, 1, 2, 3, 4].map((block) => {
      const sample = { page: "shop", link: "10mbit/50ms,loss=1%", lane, block, status: "valid" as const, reasons: [] };
      return { ...sample, plt_ms: median_ms * (1 + ((block * lane.length * 2) % 5) / 1000) };
    });
  const of = (more: readonly Sample[]) =>
    controllerSentences([...apart("h2", 1000), ...apart("h3", 720), ...apart("h3:n1", 900), ...more], lanes, 1) ?? [];
  for (const sentence of of([])) assert.match(sentence, / faster than /);
  for (const sentence of of(apart("h1", 1300)))
    assert.match(sentence, /: (?:h3:n1|h3) is probably \S+ % faster than (?:h2|h3:n1) /);
});

test("a plan's settings say which controllers its lanes have", () => {
  const loads = samples({ h2: 1000, h3: 720, "h3:n1": 900 });
  const settings = { n1: { quic: { congestion_control: "cubic-n1" as const } } };
  const plan = { lanes: ["h2", "h3", "h3:n1"] as const, settings };
  const note = controllerNote({ ...plan, lanes: [...plan.lanes] }, loads, 1);
  assert.match(
    note?.text ?? "",
    /How much is the controller:.*h3:n1 is 10(?:\.0)? %.*h3 is 20(?:\.0)? % faster than h3:n1/,
  );
  assert.equal(controllerNote({ lanes: ["h2", "h3"] }, loads, 1), null);
});
