// Link by link and over RTT: a mark for each link and pair in the colour of the faster lane, a point for each round trip, and the data behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLink, traitsOf } from "../../../cli/link/link.ts";
import { rttFigure } from "../../../cli/report/figures/rtt_lines.ts";
import { linkEffects } from "../../../cli/report/link_effects.ts";
import { gainsByRtt } from "../../../cli/results/verdict/gains_by_link_and_rtt.ts";
import { pairedCells } from "../../../cli/results/verdict/paired_cells.ts";
import type { Sample } from "../../../cli/results/verdict/sample.ts";
import { sweepVerdict } from "../../../cli/results/verdict/sweep_verdict.ts";
import { csvOf } from "./markup_text.ts";

const links = ["3mbit/20ms", "10mbit/20ms", "3mbit/150ms", "10mbit/150ms"];
const pair = { lane: "h3", over: "h2" };
const [profiles, traits] = [
  new Map(links.map((link) => [link, parseLink(link)])),
  new Map(links.map((link) => [link, traitsOf(parseLink(link))])),
];

/** h3 is as fast as h2 at 20 ms over 10 Mbit/s, slower there over 3 Mbit/s, and 30 % faster at 150 ms. */
const samples: Sample[] = links.flatMap((link) =>
  Array.from({ length: 9 }, (_, block) =>
    ["h2", "h3"].map((lane) => {
      const factor = link.endsWith("150ms") ? 0.7 : link.startsWith("3") ? 1.3 : 1;
      const plt_ms = (lane === "h3" ? 1000 * factor : 1000) * (1 + ((block * (lane === "h3" ? 7 : 5)) % 9) / 500);
      return { page: "shop", link, lane, block, status: "valid", reasons: [], plt_ms } as const;
    }),
  ).flat(),
);

test("each link's mark has the faster lane's colour, and none where no difference is shown", () => {
  const { pairs } = sweepVerdict(samples, traits, 1);
  const text = linkEffects(pairs, profiles, ["h2", "h3"])?.text ?? "";
  const colours = [...text.matchAll(/<th scope="row">([^<]*)<\/th><td class="imp ([^"]*)"/g)].map(
    ([, ...found]) => found,
  );
  assert.deepEqual(colours, [
    ["3 Mbit/s, 20 ms RTT", "lane-h2"],
    ["10 Mbit/s, 20 ms RTT", ""],
    ["3 Mbit/s, 150 ms RTT", "lane-h3"],
    ["10 Mbit/s, 150 ms RTT", "lane-h3"],
  ]);
  const [head, ...rows] = csvOf(text);
  assert.equal(head, "link,lane,over,improvement_percent,low_percent,high_percent,shown");
  assert.deepEqual(
    rows.map((row) => row.split(",").at(-1)),
    ["slower", "unclear", "faster", "faster"],
  );
  assert.equal(linkEffects(pairs, new Map([...profiles].slice(0, 1)), ["h2", "h3"]), null, "one link is in the answer");
});

test("the gain at each RTT is that of all its links together, and stands at its height", () => {
  const compared = [{ pair, cells: pairedCells(samples, pair) }];
  const [gains] = gainsByRtt(compared, traits, 1);
  assert.deepEqual(
    gains?.gains.map(({ rtt_ms, result }) => [rtt_ms, result.links, Math.round(result.percent ?? 0)]),
    // The mean of a ratio of 1.3 and one of 1 is 1.14.
    [
      [20, 2, -14],
      [150, 2, 30],
    ],
  );
  const text = rttFigure(gains ? [gains] : [])?.text ?? "";
  const [zero = 0, thirty = 0] = [0, 30].map(
    (tick) => Number(new RegExp(`y="([\\d.]+)">${tick}</text>`).exec(text)?.[1]) - 4,
  );
  const heights = [...text.matchAll(/<circle class="flowpoint" cx="[\d.]+" cy="([\d.]+)"/g)].map(([, y]) => Number(y));
  const shown = heights.map((y) => Math.round((30 * (zero - y)) / (zero - thirty)));
  assert.deepEqual(shown, [-14, 30]);
  const long = rttFigure(
    gains ? [{ ...gains, pair: { ...gains.pair, lane: "h3@chromium", over: "h2@chromium" } }] : [],
  )?.text;
  const widthOf = (figure = ""): number => Number(/viewBox="0 0 (\d+)/.exec(figure)?.[1]);
  assert.ok(widthOf(long) - widthOf(text) > 60, "the names of two browsers' lanes have room");
  assert.equal(
    rttFigure(
      gainsByRtt(compared, new Map(links.map((link) => [link, { ...traitsOf(parseLink(link)), rtt_ms: 20 }])), 1),
    ),
    null,
  );
});
