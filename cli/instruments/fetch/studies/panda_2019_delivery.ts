// Panda 2019 (TUM): what sites took to connect, to their first byte and to download over QUIC and over TCP with TLS 1.2 and 1.3, IPv4 and
// IPv6, by file size. What the thesis says in words; it gives no numbers here. --quick has files up to 10 MB on two links.
import type { FetchIp, FetchTls } from "../../../../schemas/generated/fetch_record.ts";
import type { Quantity } from "../metrics/quantities.ts";
import type { FetchFigure, FetchPlace, FetchStudy } from "./fetch_study.ts";

const faster = { published: "less", sign: -1, beside: 1 } as const;

/** Of the recording that a plan has; files are its objects by their place. */
interface Site {
  readonly host: string;
  readonly links: readonly string[];
  /** The largest file, and its size in words. */
  readonly large: { readonly file: number; readonly size: string };
}

const placeOf =
  (site: Site, link: string, file: number, quantity: Quantity) =>
  (lane: "h2" | "h3", tls: FetchTls, ip: FetchIp): FetchPlace => ({
    ...{ object: `https://${site.host}/${file}.bin`, link, lane, tls, ip },
    measure: { of: "quantity", quantity },
  });

/** HTTP/3 over HTTP/2. */
function ratio(
  at: ReturnType<typeof placeOf>,
  what: string,
  tls: FetchTls,
  ip: FetchIp,
): Omit<FetchFigure, keyof typeof faster> {
  return { ...at("h3", "1.3", ip), over: at("h2", tls, ip), what: `${what}, QUIC over TCP with TLS ${tls}, IPv${ip}` };
}

/** What headers leave of the link's rate, after a few round trips of 20 ms beside seconds of download. */
function byHeaders(large: ReturnType<typeof placeOf>, size: string): FetchFigure {
  return {
    ...{ ...large("h2", "1.3", 6), over: large("h2", "1.3", 4) },
    what: `throughput of ${size} over TCP, IPv6 over IPv4`,
    ...{ published: "no number; by headers 0.986", sign: 0, beside: 1440 / 1460, within: 0.003 / (1440 / 1460) },
  };
}

/** The one on which the link's rate bounds large files: over 200 ms handshakes and slow start take a good part of 10 MB's time. */
const nearLink = "50mbit/20ms";

const onLink =
  (site: Site) =>
  (link: string): FetchFigure[] => {
    const [established, firstByte] = (["established_ms", "first_byte_ms"] as const).map((quantity) =>
      placeOf(site, link, 1, quantity),
    ) as [ReturnType<typeof placeOf>, ReturnType<typeof placeOf>];
    const small = placeOf(site, link, 2, "download_ms");
    const { file, size } = site.large;
    const large = placeOf(site, link, file, "throughput_bps");
    const kinds = ([4, 6] as const).flatMap((ip) => (["1.3", "1.2"] as const).map((tls) => ({ tls, ip })));
    return [
      ...kinds.flatMap(({ tls, ip }): FetchFigure[] => [
        { ...ratio(established, "connection establishment", tls, ip), ...faster },
        { ...ratio(firstByte, "time to first byte of 1 kB", tls, ip), ...faster },
      ]),
      { ...ratio(small, "download time of 10 kB", "1.3", 4), ...faster },
      { ...ratio(large, `throughput of ${size}`, "1.3", 4), ...faster },
      ...(link === nearLink ? [byHeaders(large, size)] : []),
    ];
  };

const quick: Site = {
  host: "panda-sizes.synth.test",
  links: [nearLink, "50mbit/200ms"],
  large: { file: 5, size: "10 MB" },
};
const full: Site = {
  host: "panda-sizes-200mb.synth.test",
  links: [nearLink, "50mbit/200ms", "50mbit/100ms,loss=0.1%"],
  large: { file: 7, size: "200 MB" },
};

export const panda2019Delivery: FetchStudy = {
  name: "panda-2019-delivery",
  reference: "A. Panda: web and video over QUIC, thesis, Technical University of Munich, 2019, delivery",
  quick: "panda-2019-delivery-quick",
  full: "panda-2019-delivery",
  figures: [quick, full].flatMap((site) => site.links.flatMap(onLink(site))),
  differs:
    "The thesis asked live sites of 2019 from one place, over Google’s QUIC, and their servers, controllers and distances were not its own. Here one server answers all lanes with one TLS library, CUBIC and an initial window of ten packets, over links with a buffer of one bandwidth-delay product. Connections cost what their handshakes do: one round trip over QUIC, two over TCP with TLS 1.3, three with TLS 1.2, so that QUIC is ahead by theory, and by more milliseconds the longer the round trip. Of large files the handshake is little: there header sizes (QUIC’s packets carry less, 1 to 3 %), how each CUBIC leaves slow start and recovers, and the processors decide, so that a sign there is these implementations’. An IPv6 packet carries 20 bytes less than one of IPv4: 1440 of 1460 bytes of TCP’s payload. That is the ratio of throughputs only where the link’s rate bounds them, so it is looked at over 20 ms: over 200 ms the handshake and slow start, which take as many round trips over both, are more than half of the time of 10 MB; with loss it is the losses that bound.",
};
