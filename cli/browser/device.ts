// The device that a page is loaded on, as far as a page can query it: pixels, window, languages, colours. It belongs to a
// recording, whose pages requested what fits it (a picture of twice the pixels, a page for dark rooms). The one table of named
// devices, and Chromium's arguments for one. Pure.

import { count } from "../base/numbers.ts";

/** A type and not an interface, so that it is a JsonObject. */
export type Device = {
  /** Of the screen's, for each of CSS. */
  readonly device_pixel_ratio: number;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** The first first, as "de-CH". */
  readonly languages: readonly string[];
  readonly color_scheme: "light" | "dark";
  /** null: as Chrome on a desktop. */
  readonly user_agent: string | null;
};

export const usualDevice: Device = {
  device_pixel_ratio: 1,
  width: 1366,
  height: 768,
  languages: ["en-US"],
  color_scheme: "light",
  user_agent: null,
};

const phone = (system: string, rest: string): string =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${rest}`;

/** Windows as common devices have them. Each says its user agent: it may take the place of a phone that a HAR was recorded on. */
export const namedDevices = {
  desktop: { width: 1366, height: 768, device_pixel_ratio: 1, user_agent: null },
  "desktop-hd": { width: 1920, height: 1080, device_pixel_ratio: 1, user_agent: null },
  laptop: { width: 1440, height: 900, device_pixel_ratio: 2, user_agent: null },
  tablet: {
    ...{ width: 820, height: 1180, device_pixel_ratio: 2 },
    user_agent: phone("Linux; Android 10; K", "Chrome/156.0.0.0 Safari/537.36"),
  },
  phone: {
    ...{ width: 412, height: 915, device_pixel_ratio: 2.625 },
    user_agent: phone("Linux; Android 10; K", "Chrome/156.0.0.0 Mobile Safari/537.36"),
  },
} as const satisfies Readonly<Record<string, Partial<Device>>>;

export const deviceBounds = { ratio: { least: 0.5, most: 5 }, side: { least: 200, most: 10_000 } } as const;

export const isPixelRatio = (value: unknown): value is number =>
  typeof value === "number" && value >= deviceBounds.ratio.least && value <= deviceBounds.ratio.most;

export const isSide = (value: unknown): value is number =>
  typeof value === "number" &&
  Number.isInteger(value) &&
  value >= deviceBounds.side.least &&
  value <= deviceBounds.side.most;

/** A browser's argument ends at a comma or a space. */
export const isLanguage = (value: unknown): value is string =>
  typeof value === "string" && /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?$/i.test(value);

/** What a recording's notes say of it; what they do not say, or say wrongly, is as usual. */
export function deviceIn(noted: unknown): Device {
  const note: Readonly<Record<string, unknown>> = typeof noted === "object" && noted !== null ? { ...noted } : {};
  const languages = Array.isArray(note.languages) ? note.languages.filter(isLanguage) : [];
  return {
    device_pixel_ratio: isPixelRatio(note.device_pixel_ratio)
      ? note.device_pixel_ratio
      : usualDevice.device_pixel_ratio,
    width: isSide(note.width) ? note.width : usualDevice.width,
    height: isSide(note.height) ? note.height : usualDevice.height,
    languages: languages.length > 0 ? languages : usualDevice.languages,
    color_scheme: note.color_scheme === "dark" ? "dark" : usualDevice.color_scheme,
    user_agent:
      typeof note.user_agent === "string" && /^[\x20-\x7e]{1,512}$/.test(note.user_agent) ? note.user_agent : null,
  };
}

/** For a reader; what is as usual is not said, and nothing of a usual device. */
export function deviceWords(device: Device): string {
  const { device_pixel_ratio: ratio, width, height, languages, color_scheme, user_agent } = device;
  return [
    ...(ratio === usualDevice.device_pixel_ratio ? [] : [`${ratio} device pixels for each of CSS`]),
    ...(width === usualDevice.width && height === usualDevice.height ? [] : [`a window of ${width}x${height}`]),
    ...(languages.join() === usualDevice.languages.join() ? [] : [`languages ${languages.join(", ")}`]),
    ...(color_scheme === usualDevice.color_scheme ? [] : ["dark colours"]),
    ...(user_agent === null ? [] : ["a mobile user agent"]),
  ].join(", ");
}

/** Of a page whose HAR shows that the browser had `urls` of its URLs from before. */
export const warmCacheWords = (urls: number): string =>
  `recorded with a warm cache (${count(urls, "URL")} from before), loaded with an empty one`;

/** How many, as a recording's notes say; 0: the cache was empty, or nothing is known of it. */
export const cachedBeforeIn = ({ cached_before }: Readonly<Record<string, unknown>>): number =>
  typeof cached_before === "number" && Number.isInteger(cached_before) && cached_before > 0 ? cached_before : 0;

/** Chromium makes no window narrower. */
const leastWindow = 500;

/** For Emulation.setDeviceMetricsOverride: what no window can be, and the viewport that a phone's page lays out for itself; null: a window is enough. */
export function emulatedScreen({ width, height, device_pixel_ratio, user_agent }: Device): {
  readonly width: number;
  readonly height: number;
  readonly deviceScaleFactor: number;
  readonly mobile: boolean;
} | null {
  const mobile = user_agent !== null;
  if (!mobile && width >= leastWindow) return null;
  return { width, height, deviceScaleFactor: device_pixel_ratio, mobile };
}

export function deviceArguments({ device_pixel_ratio, width, height, languages, color_scheme }: Device): string[] {
  return [
    `--window-size=${width},${height}`,
    `--force-device-scale-factor=${device_pixel_ratio}`,
    `--lang=${languages[0]}`,
    ...(languages.join() === usualDevice.languages.join() ? [] : [`--accept-lang=${languages.join(",")}`]),
    ...(color_scheme === "dark" ? ["--blink-settings=preferredColorScheme=0"] : []),
  ];
}
