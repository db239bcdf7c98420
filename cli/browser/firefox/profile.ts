// Firefox's profile for a measured load: which lane, and what is switched off so that nothing but the page uses the link. Pure; writes
// nothing.
//
// The rule is Chromium's (../chromium.ts): everything that decides how a page loads stays as Firefox ships it; everything that the browser
// does for itself goes. One thing that stays is not the page's: where it is free to choose, it opens connections over TCP beside a QUIC one
// that takes longer than 50 ms, and no request uses them (the load counts them).

import { type Lane, laneFacts } from "../../base/lanes.ts";
import { chromiumEnvironment } from "../chromium.ts";
import { type Device, usualDevice } from "../device.ts";

// Firefox's command line and environment, whatever the lane: headless, with a profile and a temporary folder of its own.

export const firefoxWords = (program: string, profile: string, { width, height }: Device): string[] => [
  ...[program, "--headless", "--no-remote", "--profile", profile],
  ...["--remote-debugging-port", "0", "--remote-allow-system-access"],
  ...["--width", String(width), "--height", String(height), "about:blank"],
];

/** As Chromium has it. */
export const firefoxEnvironment = (profile: string, temporary: string): Record<string, string> => ({
  ...chromiumEnvironment(profile, temporary, process.env),
  MOZ_CRASHREPORTER_DISABLE: "1",
});

type Preferences = Readonly<Record<string, string | number | boolean>>;

/** Who Firefox would ask for its own sake, whatever its other preferences say: names that its own loopback then refuses. */
const ownHosts = [
  "firefox.settings.services.mozilla.com",
  "firefox-settings-attachments.cdn.mozilla.net",
  "content-signature-2.cdn.mozilla.net",
  "push.services.mozilla.com",
  "location.services.mozilla.com",
  "detectportal.firefox.com",
  "incoming.telemetry.mozilla.org",
  "normandy.cdn.mozilla.net",
  "aus5.mozilla.org",
  "tracking-protection.cdn.mozilla.net",
  "contile.services.mozilla.com",
];

/** Of every lane. */
export const sharedPreferences: Preferences = {
  "network.dns.localDomains": ownHosts.join(","),
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "network.trr.mode": 5,
  "app.update.enabled": false,
  "app.update.auto": false,
  "app.normandy.enabled": false,
  "app.shield.optoutstudies.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "browser.startup.homepage_override.mstone": "ignore",
  "browser.newtabpage.enabled": false,
  "browser.newtab.preload": false,
  "browser.aboutwelcome.enabled": false,
  "browser.chrome.site_icons": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "browser.safebrowsing.downloads.enabled": false,
  "browser.safebrowsing.update.enabled": false,
  "browser.sessionstore.resume_from_crash": false,
  "browser.region.network.url": "",
  "browser.search.update": false,
  "datareporting.healthreport.uploadEnabled": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "toolkit.telemetry.enabled": false,
  "toolkit.telemetry.unified": false,
  "toolkit.telemetry.server": "",
  "dom.push.connection.enabled": false,
  "extensions.getAddons.cache.enabled": false,
  "extensions.systemAddon.update.enabled": false,
  "extensions.update.enabled": false,
  "media.gmp-manager.updateEnabled": false,
  "privacy.trackingprotection.enabled": false,
  "services.settings.poll_interval": 2_000_000_000,
  "signon.autofillForms": false,
  // A recorded http:// origin has to stay one.
  "dom.security.https_first": false,
  "dom.security.https_first_schemeless": false,
  "network.stricttransportsecurity.preloadlist": false,
  "security.mixed_content.upgrade_display_content": false,
  // A certificate of the lab has no log and no responder to ask.
  "security.OCSP.enabled": 0,
  "security.pki.certificate_transparency.mode": 0,
  // As Firefox ships: driven by a program it would let pages open windows without a click.
  "dom.disable_open_during_load": true,
  // Else times are in whole milliseconds.
  "privacy.reduceTimerPrecision": false,
  // Else Firefox takes to TCP, and says nothing, as the lab's authority is none of its own.
  "network.http.http3.disable_when_third_party_roots_found": false,
};

/** Of a recording's hosts, that each is on h3, as if an answer of its had said so. */
function forcedQuic(hosts: readonly string[]): Preferences {
  return {
    "network.http.http3.alt-svc-mapping-for-testing": hosts.map((host) => `${host};h3=:443`).join(","),
    "network.http.http3.force-use-alt-svc-mapping-for-testing": true,
    // Else it opens up to six TCP connections to each host that does not answer over QUIC within 50 ms, and none of them is used: forced,
    // there is nothing to fall back to.
    "network.dns.httpssvc.http3_fast_fallback_timeout": 0,
    "network.http.http3.backup_timer_delay": 60_000,
  };
}

function laneOf(lane: Lane, hosts: readonly string[]): Preferences {
  const { family, quic } = laneFacts[lane];
  switch (quic) {
    case "off":
      return {
        "network.http.http3.enable": false,
        ...(family === "h1" ? { "network.http.http2.enabled": false, "network.http.spdy.enabled": false } : {}),
      };
    case "forced":
      return forcedQuic(hosts);
    case "dns":
      return { "network.dns.native_https_query": true, "network.dns.native_https_query_in_automation": true };
    case "alt-svc":
      return {};
  }
}

export interface ProfileOptions {
  readonly lane: Lane;
  readonly hosts: readonly string[];
  readonly device?: Device;
  readonly autoplays?: boolean;
  readonly logs?: boolean;
}

export function preferencesOf({
  lane,
  hosts,
  device = usualDevice,
  autoplays = false,
  logs = false,
}: ProfileOptions): Preferences {
  return {
    ...sharedPreferences,
    ...laneOf(lane, hosts),
    "intl.accept_languages": device.languages.join(", "),
    "layout.css.devPixelsPerPx": String(device.device_pixel_ratio),
    "layout.css.prefers-color-scheme.content-override": device.color_scheme === "dark" ? 0 : 1,
    ...(device.user_agent === null ? {} : { "general.useragent.override": device.user_agent }),
    ...(logs ? { "network.http.http3.enable_qlog": true } : {}),
    ...(autoplays ? { "media.autoplay.default": 0, "media.autoplay.blocking_policy": 0 } : {}),
  };
}

/** For user.js in the profile's folder. */
export function preferencesText(preferences: Preferences): string {
  const line = ([name, value]: [string, unknown]): string =>
    `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`;
  return Object.entries(preferences).map(line).join("");
}
