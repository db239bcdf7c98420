// The colours of lanes, flows, phases and improvements in light and dark, as CSS. Text on them has a contrast of 4.5:1 or more:
// test/cli/report/figures.test.ts computes it.
import { allLanes, type Lane, labelParts, laneFacts } from "../../cli/base/lanes.ts";

export type Rgb = readonly [number, number, number];

export function parseColour(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio of WCAG 2. */
export function contrast(a: Rgb, b: Rgb): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Marks of a protocol's lanes: Okabe and Ito's, which colour-blind readers tell apart. */
export const laneColours: Readonly<Record<"h1" | "h2" | "h3", string>> = {
  h1: "#e69f00",
  h2: "#0072b2",
  h3: "#009e73",
};

// The same hues, bright enough on a dark page.
const darkLaneColours: typeof laneColours = { h1: "#e69f00", h2: "#4da3dc", h3: "#1fbf93" };

/**
 * Marks of flows that share a link, in this order: Okabe and Ito's, but for their yellow, which is lost on white. Each flow
 * also has a number. No more than these, or people of some colour visions could not tell them apart.
 */
export const flowColours: Readonly<Record<"light" | "dark", readonly string[]>> = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#16191d", "#7818d8"],
  dark: ["#4da3dc", "#f0803c", "#1fbf93", "#e09ac2", "#e69f00", "#a6dcff", "#e9ebee", "#f0e442"],
};

/** Of flows that are QUIC or TCP, in place of these: QUIC has h3's hue, TCP h2's, a second one of its kind is dark (bright on dark). */
const transportColours = {
  light: { quic: ["#009e73", "#00513b"], tcp: ["#0072b2", "#00304d"] },
  dark: { quic: ["#1fbf93", "#9cf0d7"], tcp: ["#4da3dc", "#c3e6ff"] },
} as const;
const mostOfTransport = transportColours.light.quic.length;
type Transport = keyof typeof transportColours.light;

const transportOf = (name: string): Transport | null => {
  const [, word] = /^(?:\d+\*)?(quic|tcp|tls)\b/.exec(name) ?? [];
  return word === undefined ? null : word === "quic" ? "quic" : "tcp";
};

/** A figure's class that colours flows by their transport; empty if there are more of one than a hue has shades. `flows`: all of a mix. */
export function flowHues(flows: readonly { readonly number: number; readonly name: string }[]): string {
  const of = flows.map(({ number, name }) => ({ number, transport: transportOf(name) }));
  const sizes = [...Map.groupBy(of, ({ transport }) => transport)];
  if (sizes.some(([transport, { length }]) => transport === null || length > mostOfTransport)) return "";
  const shade = ({ number, transport }: (typeof of)[number]): number =>
    of.filter((other) => other.transport === transport && other.number < number).length + 1;
  return of.map((flow) => `${flow.transport}-${flow.number}-${shade(flow)}`).join(" ");
}

function transportRules(theme: "light" | "dark"): string[] {
  return Object.entries<readonly string[]>(transportColours[theme]).flatMap(([transport, shades]) =>
    shades.flatMap((colour, shade) =>
      flowColours[theme].map((_, flow) => {
        const name = `.${transport}-${flow + 1}-${shade + 1}`;
        return `${name} .flow-${flow + 1},${name}.flow-${flow + 1}{--lane:${colour}}`;
      }),
    ),
  );
}

/** Marks with nothing inside, lines of that style. */
const hollow = (dash: string): string => `--dot:var(--paper);--rim:var(--lane);--rim-width:1.4;--dash:${dash}`;

function laneRule(lane: Lane, colours: typeof laneColours): string {
  const { family, dash } = laneFacts[lane];
  return `.lane-${lane}{--lane:${colours[family]}${dash === undefined ? "" : `;${hollow(dash)}`}}`;
}

/** Line styles of lanes that differ in settings or browser alone: the first one's is solid. */
const settingsDashes = ["6 3", "2 3", "8 2 2 2", "12 3"] as const;

/** Of a lane's marks in a figure that shows `among`: lanes with settings or a browser of their own share their protocol's hue. */
export function laneClass(label: string, among: readonly string[] = [label]): string {
  const parts = labelParts(label);
  if (!parts || parts.lane === label) return `lane-${label}`;
  const alike = among.filter((other) => labelParts(other)?.lane === parts.lane);
  const place = Math.min(alike.indexOf(label), settingsDashes.length);
  return `lane-${label} hue-${laneFacts[parts.lane].family}${place > 0 ? ` settings-${place}` : ""}`;
}

/** The phases of a request in their order, in the colours of DevTools and WebPageTest. */
export const phases = [
  { key: "blocked", label: "blocked", light: "#a6a6a6", dark: "#8a8a8a" },
  { key: "dns", label: "DNS", light: "#1b9aaa", dark: "#2fb3c4" },
  { key: "connect", label: "connect", light: "#f08a24", dark: "#f79a3e" },
  { key: "ssl", label: "TLS", light: "#9254c8", dark: "#b07be0" },
  { key: "send", label: "send", light: "#d0d0d0", dark: "#c8c8c8" },
  { key: "wait", label: "wait", light: "#3fae49", dark: "#54c45f" },
  { key: "receive", label: "receive", light: "#2f7fd6", dark: "#5a9fea" },
] as const;

export type PhaseKey = (typeof phases)[number]["key"];

/** Steps of an improvement to either side of 0. */
export const improvementSteps = 10;

const scales = {
  light: {
    better: ["#ffffff", "#c9def0", "#7ab3dc", "#2a78b8", "#0a3f7a"],
    worse: ["#ffffff", "#fbd9b5", "#f6a655", "#d9680f", "#8a3606"],
  },
  dark: {
    better: ["#2a2d31", "#1f4566", "#1f6299", "#3f8fcb", "#9cc9ec"],
    worse: ["#2a2d31", "#5e3a1a", "#90500f", "#d07a26", "#f7bd82"],
  },
} as const;

const ink: Rgb = [17, 17, 17];
const paper: Rgb = [255, 255, 255];

function between(stops: readonly string[], share: number): Rgb {
  const position = share * (stops.length - 1);
  const below = Math.min(Math.floor(position), stops.length - 2);
  const low = parseColour(stops[below] as string);
  const high = parseColour(stops[below + 1] as string);
  const rest = position - below;
  return [0, 1, 2].map((channel) =>
    Math.round((low[channel] as number) + ((high[channel] as number) - (low[channel] as number)) * rest),
  ) as unknown as Rgb;
}

/** Fill and text of one step, -10 (worst) to 10 (best). */
export function improvementColours(step: number, theme: "light" | "dark"): { fill: Rgb; text: Rgb } {
  const fill = between(scales[theme][step < 0 ? "worse" : "better"], Math.abs(step) / improvementSteps);
  return { fill, text: contrast(fill, ink) >= contrast(fill, paper) ? ink : paper };
}

/** The step of an improvement on a scale that ends at `end` %. Only exactly 0 is white. */
export function improvementStep(percent: number, end: number): number {
  const step = Math.round((Math.abs(percent) / end) * improvementSteps);
  return Math.sign(percent) * Math.min(improvementSteps, Math.max(percent === 0 ? 0 : 1, step));
}

export function stepClass(step: number): string {
  return step < 0 ? `w${-step}` : step > 0 ? `b${step}` : "b0";
}

const css = (colour: Rgb): string => `#${colour.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;

function themeCss(theme: "light" | "dark"): string {
  const colours = theme === "light" ? laneColours : darkLaneColours;
  const rules = [
    ...allLanes.map((lane) => laneRule(lane, colours)),
    ...Object.entries(colours).map(([family, colour]) => `.hue-${family}{--lane:${colour}}`),
    ...settingsDashes.map((dash, index) => `.settings-${index + 1}{${hollow(dash)}}`),
    ...flowColours[theme].map((colour, index) => `.flow-${index + 1}{--lane:${colour}}`),
    ...transportRules(theme),
    ...phases.map((phase) => `.ph-${phase.key}{fill:${phase[theme]}}`),
    ".awaited{fill-opacity:.3}",
  ];
  for (let step = -improvementSteps; step <= improvementSteps; step++) {
    const { fill, text } = improvementColours(step, theme);
    rules.push(
      `.${stepClass(step)}{fill:${css(fill)}}.${stepClass(step)}~*{--on:${css(text)}}.${stepClass(step)}+text{fill:var(--on)}`,
    );
  }
  return rules.join("\n");
}

/** Rules for both themes; paper is light, whatever the screen is. */
export function coloursCss(): string {
  return `${themeCss("light")}\n@media screen and (prefers-color-scheme: dark){\n${themeCss("dark")}\n}\n`;
}
