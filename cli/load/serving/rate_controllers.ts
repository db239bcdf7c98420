// QUIC's congestion controllers that set a rate by delay, and what a reader of a report should know of each. They are nothing without
// pacing. Their code is native-host/congestion/.
export const rateControllers: Readonly<Record<string, string>> = {
  gcc: "gcc is Google Congestion Control (draft-ietf-rmcat-gcc-02): QUIC is paced at a rate that rises by at most 8 % a second from the initial window in a round trip, and falls as soon as delay grows.",
  "inter-arrival-2013":
    "inter-arrival-2013 is WebRTC Inter-Arrival of Chromium's QUIC of 2013: ten packets probe the link, then QUIC is paced at a rate that rises with the cube of time and falls as soon as delay grows.",
};
