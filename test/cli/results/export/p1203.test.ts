// Input of P.1203's models from a record of playback.
import assert from "node:assert/strict";
import { test } from "node:test";
import { schemaValidator } from "../../../../cli/base/schema_error.ts";
import { p1203Input } from "../../../../cli/results/export/p1203.ts";
import type { P1203Export } from "../../../../schemas/generated/p1203.ts";
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
  const input = p1203Input(played, 7);
  assert.deepEqual(input, {
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
  const load = { load: 7, page: "video-8s-1000k-2000k", lane: "h3", link: "3mbit/50ms", input };
  const validate = schemaValidator<P1203Export>("p1203");
  assert.ok(validate({ schema: "trilane/p1203/1", sweep: 1, loads: [load] }), JSON.stringify(validate.errors));
});

test("codecs have the models' words, others their own", () => {
  const codecs = ["avc1.640028", "hvc1.1.6.L93", "vp09.00.21.08", "av01.0.05M.08", "theora"];
  const found = codecs.map((codec) => {
    const { settings, events } = played;
    const [first, ...rest] = settings.video;
    const video: typeof settings.video = [{ ...first, codec }, ...rest];
    return p1203Input({ settings: { ...settings, video }, events }, 1)?.I13.segments[0]?.codec;
  });
  assert.deepEqual(found, ["h264", "h265", "vp9", "av1", "theora"]);
});

test("one that never played has no input", () => {
  assert.equal(p1203Input(record(state("start", 5), error(9, "no codec")), 1), null);
  assert.equal(p1203Input(record(), 1), null);
});
