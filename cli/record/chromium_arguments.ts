// Chromium's command line for a recording: as for a measured load, but the servers are the world's, whose certificates
// are the system's to trust, and all that goes over the wire is logged. Pure; starts nothing.
import { disabledFeatures, sharedArguments } from "../measure/chromium.ts";

/** `any`: whatever browser and site agree on. The others as a measured load is forced to them. */
export type RecordedLane = "any" | "h1" | "h2" | "h3";
export const recordedLanes: readonly RecordedLane[] = ["any", "h1", "h2", "h3"];

const laneArguments: Record<RecordedLane, readonly string[]> = {
  any: [],
  h1: ["--disable-http2", "--disable-quic"],
  h2: ["--disable-quic"],
  h3: ["--origin-to-force-quic-on=*"],
};

export interface RecorderArguments {
  readonly lane: RecordedLane;
  readonly profile: string;
  readonly netLog: string;
  /** Chromium's major version: sites are not told that nobody looks at the window. */
  readonly majorVersion: string;
  /** Base64 SHA-256 of public keys to trust beside the system's authorities. */
  readonly trustedKeys: readonly string[];
  /** Names that are found without asking: "shop.example" at "192.0.2.1". */
  readonly addresses: readonly { readonly host: string; readonly address: string }[];
}

export function recorderUserAgent(majorVersion: string): string {
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${majorVersion}.0.0.0 Safari/537.36`;
}

export function recorderArguments(options: RecorderArguments): string[] {
  const { lane, profile, netLog, majorVersion, trustedKeys, addresses } = options;
  const rules = addresses.map(({ host, address }) => `MAP ${host} ${address.includes(":") ? `[${address}]` : address}`);
  return [
    ...sharedArguments,
    `--disable-features=${disabledFeatures.join(",")}`,
    ...laneArguments[lane],
    `--user-agent=${recorderUserAgent(majorVersion)}`,
    `--log-net-log=${netLog}`,
    "--net-log-capture-mode=Everything",
    ...(trustedKeys.length > 0 ? [`--ignore-certificate-errors-spki-list=${trustedKeys.join(",")}`] : []),
    ...(rules.length > 0 ? [`--host-resolver-rules=${rules.join(",")}`] : []),
    `--user-data-dir=${profile}`,
    "about:blank",
  ];
}
