// Panda 2019 (TUM), video: times to connect to the servers of pictures and sound over QUIC and over TCP with TLS, prebuffering, startup
// delay, stalls. What the thesis says in words, as signs; of prebuffering, startup and stalls it names what it measured, and no winner.
import type { Published, Study } from "./study.ts";

/** Of the quick plan. "The more so on slow, lossy, distant links." */
const links = ["3mbit/40ms", "1mbit/200ms,loss=1%"];

const connects = (metric: "video_connect_ms" | "audio_connect_ms", link: string | null): Published => ({
  ...{ pair: { lane: "h3", over: "h2" }, page: null, link, metric, percent: null, sign: 1 },
});

export const panda2019Video: Study = {
  name: "panda-2019-video",
  reference: "A. Panda: web and video over QUIC, thesis, Technical University of Munich, 2019, video",
  quick: "panda-2019-video-quick",
  full: "panda-2019-video",
  published: [null, ...links].flatMap((link) => [
    connects("video_connect_ms", link),
    connects("audio_connect_ms", link),
  ]),
  differs:
    "The thesis played live videos of 2019, over the internet, from servers whose connections and controllers it did not choose, with QUIC before its standard. Here a drawn clip comes from three hosts of its own over an emulated link: page, pictures and sound each on a connection, TCP with TLS 1.3 (with TLS 1.2, by --tls 1.2, it takes a round trip more), CUBIC of one flow on both. That QUIC connects sooner is its one round trip against two. What the handshakes save is a small part of startup and prebuffering where a link is slow, since they wait for the first segments: there the protocols differ by how they fill and share the link, and by how quiche takes reductions back after few losses. dash.js chooses among the bitrates by what came before, so that a small difference early may become another bitrate later: compare the rate played beside the stalls.",
};
