// Videos of a real page in a real Chromium, profiled by the extension: startup, stalls and changes of the picture's size are what the
// page saw by itself, in frames of the same and of other sites too; and the result page shows them, and what each host's
// connections took, by mouse, keyboard and on a narrow screen. The clips are recorded by the browser itself.
// Alone: a busy machine starts videos late, which the page and the extension then see at different times.
// Wide: extension.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import type { Page } from "puppeteer-core";
import { parseLink } from "../../cli/link/link.ts";
import type { Video } from "../../schemas/generated/page_load.ts";
import type { Profile } from "../../schemas/generated/profile.ts";
import { axeFindings } from "./axe.ts";
import { ask, profiled, storedProfile, tabOf } from "./extension_browser.ts";
import { type Answer, html } from "./extension_site.ts";
import { extension, home, openBefore } from "./extension_tests.ts";
import { recordSite } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const clips = new Map<string, Buffer>();
/** What the page saw by itself: moments, and how long its video stood still where its data ended, by looking every 10 ms. */
let told: Record<"called" | "playing" | "stood_from" | "stood_ms", number> | null = null;
let held: ServerResponse[] = [];
let page: Page;
let view: Page;
let profile: Profile;

/** 2 s of a moving square, as WebM in VP8. */
const recordClip = async (width: number, height: number, path: string): Promise<void> => {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: "video/webm;codecs=vp8" });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((resolve) => {
    recorder.onstop = resolve;
  });
  const begun = performance.now();
  const timer = setInterval(() => {
    if (!context) return;
    context.fillStyle = "teal";
    context.fillRect(0, 0, width, height);
    context.fillStyle = "white";
    context.fillRect(((performance.now() - begun) / 10) % width, 10, 40, 40);
  }, 20);
  recorder.start();
  await new Promise((resolve) => setTimeout(resolve, 2000));
  recorder.stop();
  clearInterval(timer);
  await stopped;
  await fetch(path, { method: "POST", body: new Blob(parts) });
};

const clip =
  (delay_ms: number): Answer =>
  (response, request, url) => {
    const path = url.pathname.replace("slow-", "");
    if (request.method === "POST") {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        clips.set(path, Buffer.concat(parts));
        response.end();
      });
      return;
    }
    setTimeout(() => response.writeHead(200, { "content-type": "video/webm" }).end(clips.get(path)), delay_ms);
  };

const startup_ms = 300;
const stall_ms = 1500;

// The first part plays, nothing follows for a while (a stall), then the second one in another size, to its end.
const player = `
const video = document.querySelector("#player");
const source = new MediaSource();
const times = {};
const part = async (path) => (await fetch(path)).arrayBuffer();
const append = (buffer, data) => new Promise((done) => { buffer.onupdateend = done; buffer.appendBuffer(data); });
let asked = false;
let [place, since] = [0, 0];
video.addEventListener("playing", ({ timeStamp }) => { times.playing ??= timeStamp; });
setInterval(() => {
  if (video.currentTime === place) return;
  const now = performance.now();
  if (asked) times.stood_ms ??= now - times.stood_from;
  [place, since] = [video.currentTime, now];
}, 10);
video.src = URL.createObjectURL(source);
source.onsourceopen = async () => {
  const buffer = source.addSourceBuffer("video/webm;codecs=vp8");
  const until = fetch("/held");
  video.addEventListener("waiting", async () => {
    if (asked || !times.playing) return;
    asked = true;
    [times.stood_from, place] = [since, video.currentTime];
    const more = await part("/slow-large.webm");
    buffer.timestampOffset = buffer.buffered.end(0);
    await append(buffer, more);
    source.endOfStream();
  });
  video.onended = async () => {
    await fetch("/told", { method: "POST", body: JSON.stringify(times) });
    await until;
  };
  times.called = performance.now();
  video.play();
  await append(buffer, await part("/slow-small.webm"));
};
const gone = document.createElement("video");
Object.assign(gone, { muted: true, src: "/small.webm" });
document.body.append(gone);
gone.play();
gone.addEventListener("playing", () => gone.remove());
const shadow = document.querySelector("#host").attachShadow({ mode: "open" });
shadow.innerHTML = "<video muted autoplay loop src='/small.webm'></video>";
`;

const answers: Readonly<Record<string, Answer>> = {
  "/record": html("<title>Record</title>"),
  "/small.webm": clip(0),
  "/large.webm": clip(0),
  "/slow-small.webm": clip(startup_ms),
  "/slow-large.webm": clip(stall_ms),
  "/watch": html(
    `<title>Watch</title><video id=player muted></video><video preload=none id=idle></video><div id=host></div>
     <iframe src=/inner></iframe><iframe src=http://other.test/inner></iframe><script>${player}</script>`,
  ),
  "/inner": html("<title>Inner</title><video muted autoplay loop src='/small.webm'></video>"),
  // Keeps the page from coming to rest until its video has ended.
  "/held": (response) => void held.push(response),
  "/told": (response, request) => {
    let text = "";
    request.on("data", (data) => {
      text += String(data);
    });
    request.on("end", () => {
      told = JSON.parse(text) as typeof told;
      response.end();
      for (const each of held) each.end();
      held = [];
    });
  },
};

openBefore({ answers, width: 1280, height: 900 }, async () => {
  page = await extension.browser.newPage();
  await page.goto("http://shop.test/record");
  await page.evaluate(recordClip, 160, 90, "/small.webm");
  await page.evaluate(recordClip, 320, 180, "/large.webm");
  await page.goto("http://other.test/record");
  await page.goto("http://shop.test/watch");
  view = await extension.open("views/popup/popup.html");
  told = null;
  profile = await profiled(view, page, { patience_ms: 40_000 });
});

const videos = (): readonly Video[] => profile.log._trilane.videos?.list ?? [];
const withState = (state: Video["state"]): Video[] => videos().filter((video) => video.state === state);

function near(value: number | null, expected: number, tolerance_ms: number): void {
  assert.ok(value !== null && Math.abs(value - expected) <= tolerance_ms, `${value} is not near ${expected}`);
}

test("startup, stall, size and end are what the page saw by itself", () => {
  assert.ok(told, "the video ended");
  const [video, ...others] = withState("ended");
  assert.ok(video && others.length === 0, JSON.stringify(videos()));
  near(video.startup_ms, told.playing - told.called, 100);
  assert.ok((video.startup_ms ?? 0) >= startup_ms);
  const stall = video.stalls?.toSorted((a, b) => b.duration_ms - a.duration_ms)[0];
  assert.ok(stall && stall.duration_ms >= stall_ms, JSON.stringify(video.stalls));
  near(stall.start_ms, told.stood_from, 400);
  near(stall.duration_ms, told.stood_ms, 400);
  assert.deepEqual(
    video.resolutions?.map(({ width, height }) => [width, height]),
    [
      [160, 90],
      [320, 180],
    ],
  );
  const { stalled_ms, played_ms, stall_ratio, frames, frames_dropped } = video;
  assert.ok(stalled_ms !== null && played_ms !== null && played_ms > 2000, JSON.stringify(video));
  near(stall_ratio, stalled_ms / (stalled_ms + played_ms), 0.001);
  assert.ok(frames !== null && frames > 10 && frames_dropped !== null && frames_dropped <= frames);
  assert.equal(video.source.startsWith("blob:http://shop.test/"), true);
});

test("frames of this site and of another, a removed one, one in a shadow tree, and one that nobody played", () => {
  assert.deepEqual(profile.log._trilane.videos?.missed, []);
  const inner = videos().filter(({ frame }) => frame === "child");
  assert.deepEqual(inner.map(({ frame_url }) => frame_url).sort(), [
    "http://other.test/inner",
    "http://shop.test/inner",
  ]);
  for (const { startup_ms, load_ms, state } of inner) {
    assert.ok(startup_ms !== null && load_ms !== null && load_ms > 0 && load_ms < 30_000);
    assert.equal(state, "playing");
  }
  const removed = videos().filter((video) => video.removed);
  assert.equal(removed.length, 1);
  const { startup_ms, state, played_ms } = removed[0] as Video;
  // The browser pauses what is taken out of its document.
  assert.ok(startup_ms !== null && state === "paused" && (played_ms ?? 9999) < 1000, JSON.stringify(removed));
  const idle = withState("not-loaded");
  assert.deepEqual(
    idle.map(({ source, unavailable }) => [source, unavailable.startup_ms]),
    [["", "it was not played"]],
  );
  const shadow = videos().filter(({ unavailable }) => /shadow tree/.test(unavailable.stalls ?? ""));
  assert.equal(shadow.length, 1);
  assert.ok((shadow[0]?.frames ?? 0) > 0);
  assert.equal(videos().length, 6);
});

test("without reloading: what the elements tell now, and why the rest is not known", async () => {
  const popup = await extension.popup(page);
  const { profile: id } = await ask(popup, { do: "observe", tabId: await tabOf(popup, page) });
  const seen = (await storedProfile(view, id))?.log._trilane.videos?.list ?? [];
  const main = seen.filter(({ frame }) => frame === "main");
  assert.deepEqual(main.map(({ state }) => state).sort(), ["ended", "not-loaded", "playing"]);
  const ended = main.find(({ state }) => state === "ended");
  assert.deepEqual([ended?.startup_ms, ended?.width], [null, 320]);
  assert.match(ended?.unavailable.startup_ms ?? "", /not watched while it loaded/);
});

test("a load of the command line has the videos of its page, in a frame of another site too", async () => {
  const clip = { body: clips.get("/small.webm") ?? Buffer.alloc(0), type: "video/webm" };
  const recording = await recordSite(home, "clip", [
    {
      url: "https://shop.test/",
      body: "<video muted autoplay src=/clip.webm></video><iframe src=https://other.test/></iframe>",
    },
    { url: "https://shop.test/clip.webm", ...clip },
    { url: "https://other.test/", body: "<video muted autoplay src=/clip.webm></video>" },
    { url: "https://other.test/clip.webm", ...clip },
  ]);
  const link = parseLink("20mbit/40ms");
  const load = await untimedLoad({ home, recording, lane: "h2", link, timeout_ms: 30_000, settle_ms: 1500 });
  const { list = [], missed } = load.log._trilane.videos ?? {};
  assert.deepEqual(missed, []);
  assert.deepEqual(
    list.map(({ frame, source, width }) => [frame, source, width]),
    [
      ["main", "https://shop.test/clip.webm", 160],
      ["child", "https://other.test/clip.webm", 160],
    ],
  );
  for (const { startup_ms, load_ms, state } of list) {
    assert.ok(state === "playing" || state === "ended", state);
    // Its first byte is a round trip away at least, and it begins to load after the document's.
    assert.ok((startup_ms ?? 0) >= 40 && (load_ms ?? 0) >= 120, `${startup_ms} ${load_ms}`);
  }
});

test("the result page: both tables sort by keyboard, say what is unavailable, and axe finds nothing serious", async () => {
  const result = await extension.open(`views/result/result.html?profile=${profile.log._trilane.id}`);
  await result.waitForSelector("html[data-ready=yes]");
  const column = (place: number): Promise<string[]> =>
    result.$$eval(`#videos tbody tr > :nth-child(${place + 1})`, (cells) =>
      cells.map((each) => each.textContent ?? ""),
    );
  const stalls = 3;
  await result.focus(`#videos [data-column="${stalls}"]`);
  await result.keyboard.press("Enter");
  const sort = () => result.$eval(`#videos th:nth-child(${stalls + 1})`, (head) => head.getAttribute("aria-sort"));
  assert.equal(await sort(), "descending");
  assert.ok(Number((await column(stalls))[0]) >= 1);
  assert.match((await column(stalls)).at(-1) ?? "", /unavailable: it is in a shadow tree/);
  await result.keyboard.press("Enter");
  assert.equal(await sort(), "ascending");
  assert.match((await column(stalls)).at(-1) ?? "", /unavailable/, "missing values are last, either way");
  assert.match((await column(0)).join(), /in other\.test/);

  const hosts = await result.$$eval("#hosts tbody tr", (rows) => rows.map((row) => row.textContent ?? ""));
  assert.deepEqual(hosts.map((text) => /^[a-z.]+test/.exec(text)?.[0]).sort(), ["other.test", "shop.test"]);
  assert.match(hosts.join(), /http\/1\.1.*IPv4.*http:\/\/ has no TLS/s);
  assert.deepEqual(await axeFindings(result, true), []);

  await result.setViewport({ width: 390, height: 844 });
  const [page_px, window_px] = await result.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(page_px !== undefined && window_px !== undefined && page_px <= window_px, `${page_px} > ${window_px}`);
  // What does not fit is reached by keyboard, and the first column stays in sight.
  await result.focus("#videos .sortable");
  for (let presses = 0; presses < 10; presses++) await result.keyboard.press("ArrowRight");
  await result.waitForFunction(() => (document.querySelector("#videos .sortable")?.scrollLeft ?? 0) > 100);
  const left_px = await result.$eval("#videos tbody th", (head) => head.getBoundingClientRect().left);
  assert.ok(left_px >= 0 && left_px < 40, String(left_px));
  assert.deepEqual(await axeFindings(result, true), []);
  await result.close();
});
