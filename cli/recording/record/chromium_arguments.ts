// Chromium's command line for a recording: as for a measured load, but the servers are the world's, whose certificates
// are the system's to trust, the page is a stranger on the machine's own network, and all that goes over the wire is logged.
// Pure; starts nothing.
import { disabledFeatures, laneArguments, localNetworkChecks, sharedArguments } from "../../browser/chromium.ts";
import { type Device, deviceArguments, usualDevice } from "../../browser/device.ts";
import { addressRule } from "../../browser/stand_ins.ts";

/** `any`: whatever browser and site agree on. The others as a measured load is forced to them. */
export type RecordedLane = "any" | "h1" | "h2" | "h3";
export const recordedLanes: readonly RecordedLane[] = ["any", "h1", "h2", "h3"];

interface RecorderArguments {
  readonly lane: RecordedLane;
  /** Default: the usual one. */
  readonly device?: Device;
  readonly profile: string;
  readonly netLog: string;
  /** As browser/browser_binary.ts has it. */
  readonly userAgent: string;
  /** Base64 SHA-256 of public keys to trust beside the system's authorities. */
  readonly trustedKeys: readonly string[];
  /** Names that are found without asking: "shop.example" at "192.0.2.1". */
  readonly addresses: readonly { readonly host: string; readonly address: string }[];
  /** Whether a public page may ask private addresses and this machine. */
  readonly allowLocalNetwork: boolean;
}

export function recorderArguments(options: RecorderArguments): string[] {
  const { lane, profile, netLog, userAgent, trustedKeys, addresses, allowLocalNetwork, device = usualDevice } = options;
  const rules = addresses.map(({ host, address }) => addressRule([host, address]));
  return [
    ...sharedArguments,
    ...deviceArguments(device),
    `--disable-features=${[...disabledFeatures, ...(allowLocalNetwork ? [localNetworkChecks] : [])].join(",")}`,
    // No user is there to answer: for the local network, a camera, the clipboard.
    "--deny-permission-prompts",
    ...(lane === "any" ? [] : laneArguments(lane)),
    `--user-agent=${device.user_agent ?? userAgent}`,
    `--log-net-log=${netLog}`,
    "--net-log-capture-mode=Everything",
    ...(trustedKeys.length > 0 ? [`--ignore-certificate-errors-spki-list=${trustedKeys.join(",")}`] : []),
    ...(rules.length > 0 ? [`--host-resolver-rules=${rules.join(",")}`] : []),
    `--user-data-dir=${profile}`,
    "about:blank",
  ];
}
