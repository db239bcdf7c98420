// Input of P.1203's models from a record of playback.
import assert from "node:assert/strict";
import { test } from "node:test";
import { schemaValidator } from "../../../../cli/base/schema_error.ts";
import { p1203Export, p1203Input, refusedPictures } from "../../../../cli/results/export/p1203.ts";
import type { Load } from "../../../../cli/results/store/results.ts";
import type { P1203Export } from "../../../../schemas/generated/p1203.ts";
import type { VideoEvents } from "../../../../schemas/generated/video_events.ts";
import { error, record, segment, state } from "../../load/metrics/video/video_events.ts";

const played = record(
  state("start", 250),
  segment("v1/0", 300, 400),
  segment("a1/1", 400, 500),
  segment("v1/1", 400, 1400),
  state("playing", 1500),
  segment("v2/2", 1400, 2400),
  state("waiting", 3500, 2),
  state("playing", 4250.25, 2),
  state("ended", 6300, 8),
);

test("segments with codec, bitrate, size and time, and stalls with the initial delay first", () => {
  const given = p1203Input(played, 7);
  assert.deepEqual(given?.unsupported, []);
  assert.deepEqual(given?.input, {
    I11: { streamId: 7, segments: [{ codec: "aaclc", bitrate: 96, start: 0, duration: 2 }] },
    I13: {
      streamId: 7,
      segments: [
        { codec: "h264", bitrate: 1000, start: 0, duration: 2, resolution: "320x180", fps: 25 },
        { codec: "h264", bitrate: 2000, start: 2, duration: 2, resolution: "640x360", fps: 25 },
      ],
    },
    I23: {
      streamId: 7,
      stalling: [
        [0, 1.25],
        [2, 0.75],
      ],
    },
  });
  const load = { load: 7, page: "video-8s-1000k-2000k", lane: "h3", link: "3mbit/50ms", ...given };
  const validate = schemaValidator<P1203Export>("p1203");
  assert.ok(validate({ schema: "trilane/p1203/1", sweep: 1, loads: [load] }), JSON.stringify(validate.errors));
});

test("codecs have the models' words, others their own", () => {
  const codecs = ["avc1.640028", "hvc1.1.6.L93", "vp09.00.21.08", "av01.0.05M.08", "theora"];
  const found = codecs.map((codec) => {
    const { settings, events } = played;
    const [first, ...rest] = settings.video;
    const video: typeof settings.video = [{ ...first, codec }, ...rest];
    const { input, unsupported } = p1203Input({ settings: { ...settings, video }, events }, 1) ?? assert.fail();
    const word = input.I13.segments[0]?.codec;
    assert.deepEqual(unsupported, word === "h264" ? [] : [word]);
    return word;
  });
  assert.deepEqual(found, ["h264", "h265", "vp9", "av1", "theora"]);
});

/** As `trilane synth` makes them where there is no H.264. */
const usual = ((): VideoEvents => {
  const { settings } = played;
  const pictures = settings.video.map((each) => ({ ...each, codec: "vp09.00.21.08" }));
  const [sound] = settings.audio;
  const changed = {
    video: pictures as typeof settings.video,
    audio: [{ ...sound, codec: "opus" }] as typeof settings.audio,
  };
  return { ...played, settings: { ...settings, ...changed } };
})();

test("sound that the models do not know is left out, pictures stay; both are named", () => {
  const { input, unsupported } = p1203Input(usual, 3) ?? assert.fail();
  assert.deepEqual(unsupported, ["vp9", "opus"]);
  assert.deepEqual(input.I11, { streamId: 3, segments: [] });
  assert.deepEqual(
    input.I13.segments.map(({ codec }) => codec),
    ["vp9", "vp9"],
  );
});

test("of several sounds all are left out if one is unknown: the rest would be taken for the whole", () => {
  const { settings, events } = played;
  const [aac] = settings.audio;
  const audio: typeof settings.audio = [aac, { ...aac, id: "a2", codec: "opus" }];
  const both = record(...events, segment("a1/2", 500, 600, { representation: "a2" }));
  assert.deepEqual(p1203Input({ settings: { ...settings, audio }, events: both.events }, 1)?.input.I11.segments, []);
});

test("how many loads the models' software refuses, and for which pictures", () => {
  const cell = { page: "video-8s-1000k-2000k", lane: "h3", link: "3mbit/50ms", status: "valid", plt_ms: 500 } as const;
  const loads = [1, 2, 3].map((id) => ({ id, ...cell }) as Load);
  const exported = p1203Export(1, loads, (id) => (id === 1 ? played : usual));
  assert.deepEqual(refusedPictures(exported), { loads: 2, codecs: ["vp9"] });
  assert.deepEqual(refusedPictures({ ...exported, loads: exported.loads.slice(0, 1) }), { loads: 0, codecs: [] });
});

test("one that never played has no input", () => {
  assert.equal(p1203Input(record(state("start", 5), error(9, "no codec")), 1), null);
  assert.equal(p1203Input(record(), 1), null);
});
