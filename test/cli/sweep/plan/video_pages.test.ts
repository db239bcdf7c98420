// The words of `trilane video`: which pages they stand for, and what is refused in one line.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  leastVideo_bytes,
  type VideoWords,
  videoLength_s,
  videoNamed,
  videoOf,
  videoPages,
} from "../../../../cli/sweep/plan/video_pages.ts";

const nothing: VideoWords = {
  ...{ clip: undefined, segment: undefined, rate: undefined, rates: undefined, audio: undefined, adapt: false },
};
const recordings = [
  { name: "video-4s-300k", source: "synth: video-4s-300k" },
  { name: "lacking", source: "synth: video-4s-300k" },
  { name: "video-lossy", source: "synth: video-4s-300k" },
  { name: "video-blog", source: "live: https://video.test/" },
];
const planPages = (words: Partial<VideoWords>, page?: string) => videoPages({ ...nothing, ...words }, page, recordings);
const pages = (words: Partial<VideoWords>, page?: string): string[] =>
  planPages(words, page).map((each) => (typeof each === "string" ? `recording ${each}` : each.synth));

test("words become names of pages", () => {
  assert.deepEqual(pages({}), ["video-30s-2000k"]);
  assert.deepEqual(pages({ clip: "60s", rate: "1.5mbit", segment: "4s" }), ["video-60s-by-4s-1500k"]);
  assert.deepEqual(pages({ clip: "2min", rate: "500kbit", audio: "64kbit" }), ["video-120s-500k-audio-64k"]);
  assert.deepEqual(pages({ rates: "0.5mbit,1mbit,2mbit", adapt: true }), ["video-30s-500k-1000k-2000k"]);
  assert.deepEqual(pages({ rates: "0.5mbit,1mbit" }), ["video-30s-500k", "video-30s-1000k"]);
  assert.deepEqual(pages({}, "video-4s-by-1s-300k-1000k"), ["video-4s-by-1s-300k-1000k"]);
  assert.deepEqual(pages({}, "video-4s-300k"), ["video-4s-300k"]);
  // A clip is no shorter than its segment.
  assert.deepEqual(pages({ clip: "1s" }), ["video-1s-by-1s-2000k"]);
});

const wrong: [Partial<VideoWords>, string | undefined, RegExp][] = [
  [{ clip: "0s" }, undefined, /^video: --clip is 0 s: a video has to last, as --clip 30s$/],
  [{ clip: "30" }, undefined, /^video: --clip "30" is no time: write it as 30s, 500ms or 2min$/],
  [{ segment: "0s" }, undefined, /^video: --segment is 0 s/],
  [{ segment: "7s" }, undefined, /30 s are no whole number of segments of 7 s/],
  [{ rate: "fast" }, undefined, /^video: --rate "fast" is no bitrate: write it as 2mbit or 500kbit$/],
  [{ rate: "0mbit" }, undefined, /^video: --rate "0mbit" is no bitrate/],
  [{ rate: "1.0005mbit" }, undefined, /bitrates are whole kbit\/s/],
  [{ adapt: true }, undefined, /--adapt chooses between bitrates: name them with --rates/],
  [{ adapt: true, rates: "1mbit" }, undefined, /name two or more$/],
  [{ adapt: true, rates: "1mbit,1mbit" }, undefined, /two video representations have the same bitrate/],
  [{ clip: "30s" }, "video-30s-2000k", /--clip is of a clip that is made: leave it out, or the page video-30s-2000k$/],
  [{}, "video-0s-2000k", /a clip of 0 s has nothing to play/],
  [{ rate: "1mbit" }, "lacking", /^video: --rate is of a clip that is made: leave it out, or the page lacking$/],
  [
    {},
    "video-blog",
    /^video: video-blog plays no video: name a page as video-30s-2000k, or leave it out and use --rate$/,
  ],
  [{}, "shop", /^video: shop is no recording: name a page as video-30s-2000k, or leave it out and use --rate$/],
];
for (const [words, page, message] of wrong)
  test(`${JSON.stringify(words)} ${page ?? ""}: refused in one line`, () => {
    assert.throws(
      () => pages(words, page),
      (error: Error) => error.name === "UserError" && !error.message.includes("\n") && message.test(error.message),
    );
  });

test("a recording of a video is played as it is, whatever it is called", () => {
  for (const name of ["lacking", "video-lossy"]) assert.deepEqual(planPages({}, name), [name]);
});

test("a recording plays a video if it was made as one, and is as long as its source says", () => {
  assert.equal(videoLength_s({ source: "synth: video-4s-300k" }), 4);
  assert.equal(videoLength_s({ source: "live: https://video.test/" }), null);
  assert.equal(videoLength_s({ source: "synth: video-blog" }), null);
  assert.equal(videoLength_s(undefined), null);
  assert.deepEqual(videoOf({ source: "synth: video-4s-300k" }), videoNamed("video-4s-300k"));
  // Of a file that is no recording yet nothing is known.
  assert.equal(videoOf({}), null);
});

test("at least the pinned bitrates come, or of several the lowest", () => {
  const bytes = (name: string): number => {
    const video = videoNamed(name);
    assert.ok(video);
    return leastVideo_bytes(video);
  };
  assert.equal(bytes("video-10s-2000k"), (2_096_000 * 10) / 8);
  assert.equal(bytes("video-10s-300k-2000k"), (396_000 * 10) / 8);
  assert.equal(bytes("video-10s-300k-2000k-fixed-2000k"), (2_096_000 * 10) / 8);
});
