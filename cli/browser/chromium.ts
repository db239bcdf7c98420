// Chromium's command line for a measured load: which lane, and what is switched off so that nothing but the page uses
// the link. Pure; starts nothing.
//
// The rule: everything that decides how a page loads stays as Chromium ships it (site isolation, preload scanner,
// priorities, caches, speculation that pages ask for); everything that the browser does for itself goes.
//
// One thing that stays is not the page's: on every navigation Chromium opens two connections to the page's host while it
// still prepares the request, a few ms before it. People's browsers do so too; h1 has use of both, h2 and h3 of one. Where
// DNS names h3 and nothing forces it, QUIC is the one and TCP the other: it begins with QUIC, and no request uses it. The
// setting that would stop it also stops <link rel=preconnect> and speculation rules, which belong to the page. On h1-clear
// these connections find no name (clear.ts).
import { type Lane, laneFacts } from "../base/lanes.ts";
import { clearHostRules } from "./clear.ts";
import { type Device, deviceArguments, usualDevice } from "./device.ts";
import { addressRule, standInRules } from "./stand_ins.ts";

// Forces h3 on port 1 of every host, which no page asks for. What it is for: these hosts may have a certificate for h3
// that no known root has signed.
const anyQuic = "--origin-to-force-quic-on=*:1";

/**
 * A forced lane is what is left over when the others are taken away, but for h3: without being forced Chromium would have to learn of it,
 * from DNS or from a first request over h2, and that is what the lanes are about that leave it free.
 */
export function laneArguments(lane: Lane): string[] {
  const { family, quic, repeat } = laneFacts[lane];
  if (quic !== "off") return [quic === "forced" ? "--origin-to-force-quic-on=*" : anyQuic];
  return [
    ...(family === "h1" ? ["--disable-http2"] : []),
    "--disable-quic",
    // Chromium resumes TCP's connections all the same, but does not send early data by default.
    ...(repeat ? ["--enable-features=EnableTLS13EarlyData"] : []),
  ];
}

/**
 * In clear the page's own request goes to http:// and what it names belongs to https://: apart as two sites are, they would not share names
 * and connections (clear.ts).
 */
const featureOffInClear = "PartitionConnectionsByNetworkIsolationKey";

/** A recording mixes public and private addresses, and its lab reaches no one: a permission prompt would block the load. */
export const localNetworkChecks = "LocalNetworkAccessChecks";

/** In every browser of ours. */
export const disabledFeatures: readonly string[] = [
  // An http:// origin was recorded as such and has to stay one.
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  // These talk to the network for the browser's own sake.
  "AutofillServerCommunication",
  "CertificateTransparencyComponentUpdater",
  "DialMediaRouteProvider",
  "InterestFeedContentSuggestions",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationGuideModelDownloading",
  "OptimizationHints",
  "Translate",
  // Pages of the browser's own window: in a headless one they only take CPU from the first navigation.
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxPopup",
  "WebUIReloadButton",
];

/** What every browser of ours is started with, device, lane and profile apart. */
export const sharedArguments: readonly string[] = [
  "--headless=new",
  "--remote-debugging-pipe",
  "--force-color-profile=srgb",
  "--hide-scrollbars",
  "--mute-audio",
  // Rendering in software beats emulating a GPU in software.
  "--disable-gpu",
  // Features as their source has them, without the experiments that Chromium (not Chrome) builds run by default.
  "--disable-field-trial-config",
  // A proxy of the machine's environment leads out of the lab; looking for one asks the network first.
  "--no-proxy-server",
  "--no-first-run",
  "--no-default-browser-check",
  "--no-service-autorun",
  "--noerrdialogs",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-component-extensions-with-background-pages",
  "--disable-extensions",
  "--disable-default-apps",
  "--disable-sync",
  "--disable-domain-reliability",
  "--disable-client-side-phishing-detection",
  // These two ask all the same: on the loopback, which refuses them and is not the link.
  "--component-updater=url-source=https://127.0.0.1:1/",
  "--gaia-url=https://127.0.0.1:1",
  "--disable-search-engine-choice-screen",
  "--disable-breakpad",
  "--disable-crash-reporter",
  "--metrics-recording-only",
  "--safebrowsing-disable-auto-update",
  "--password-store=basic",
  // A load is never in the background, whatever the desktop says.
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--disable-hang-monitor",
];

export interface ChromiumOptions {
  readonly lane: Lane;
  /** A folder that is fresh for each load: nothing is cached, resumed or remembered. */
  readonly profile: string;
  /** Base64 SHA-256 of the public keys to trust, comma-joined, as `trilane-replay --print-spki` prints them. */
  readonly spkiList: string;
  /** As browser_binary.ts has it. */
  readonly userAgent: string;
  /** QUIC packets are acknowledged after a millisecond at most; else as Chromium does. On every lane, or they would differ. */
  readonly frequentAcks?: boolean;
  /** Default: the usual one. */
  readonly device?: Device;
  /** By host of the recording, an address that it is served from. */
  readonly hosts?: ReadonlyMap<string, string>;
  /** Hosts that are at another address than their names lead to. */
  readonly addresses?: readonly { readonly host: string; readonly address: string }[];
  /** Videos play without anybody's click, with their sound. */
  readonly autoplays?: boolean;
}

// How long ACKs are held back after the first 100 packets, as a share of the round trip, in place of a quarter; Chromium
// holds none back for less than a millisecond.
const frequentAcks = [
  "--force-fieldtrials=QUIC/Enabled",
  "--force-fieldtrial-params=QUIC.Enabled:set_quic_flags/FLAGS_quic_ack_decimation_delay%3D0.001",
];

/** In clear the names are others already (clear.ts). */
function hostRules({ lane, hosts = new Map(), addresses = [] }: ChromiumOptions): string[] {
  const moved = addresses.map(({ host, address }) => addressRule([host, address]));
  const rules = [...moved, ...(laneFacts[lane].clear ? clearHostRules(hosts) : standInRules(hosts))];
  return rules.length > 0 ? [`--host-resolver-rules=${rules.join(",")}`] : [];
}

export function chromiumArguments(options: ChromiumOptions): string[] {
  const { lane, profile, spkiList, device = usualDevice } = options;
  return [
    ...sharedArguments,
    ...deviceArguments(device),
    ...laneArguments(lane),
    ...hostRules(options),
    ...(options.frequentAcks ? frequentAcks : []),
    ...(options.autoplays ? ["--autoplay-policy=no-user-gesture-required"] : []),
    // Of this argument the browser takes the last one only.
    `--disable-features=${[...disabledFeatures, localNetworkChecks, ...(laneFacts[lane].clear ? [featureOffInClear] : [])].join(",")}`,
    `--user-agent=${device.user_agent ?? options.userAgent}`,
    `--ignore-certificate-errors-spki-list=${spkiList}`,
    `--user-data-dir=${profile}`,
    "about:blank",
  ];
}

/**
 * The browser's environment: no proxies, no desktop, and its own home and folder for temporary files, so that nothing is
 * read or left elsewhere (a browser that is killed leaves its singleton's socket).
 */
export function chromiumEnvironment(
  profile: string,
  temporary: string,
  inherited: NodeJS.ProcessEnv,
): Record<string, string> {
  return {
    PATH: inherited.PATH ?? "/usr/bin:/bin",
    HOME: profile,
    TMPDIR: temporary,
    LANG: "en_US.UTF-8",
    DBUS_SESSION_BUS_ADDRESS: "disabled:",
    DBUS_SYSTEM_BUS_ADDRESS: "disabled:",
    ...(inherited.TZ ? { TZ: inherited.TZ } : {}),
    // For the lab's programs around the browser.
    ...(inherited.TRILANE_DEBUG ? { TRILANE_DEBUG: inherited.TRILANE_DEBUG } : {}),
  };
}
