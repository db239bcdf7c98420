// The part of the time axis that the list of requests shows: zooming about a point, moving, never beyond the load. Pure.
import { roundStep } from "../../figures/scale.ts";

export interface Window {
  readonly from_ms: number;
  readonly to_ms: number;
}

/** Nothing shorter can be looked at: the browser has no finer times. */
const shortest_ms = 1;

export function wholeWindow(end_ms: number): Window {
  return { from_ms: 0, to_ms: end_ms * 1.02 };
}

function within(window: Window, whole: Window): Window {
  const span = Math.min(window.to_ms - window.from_ms, whole.to_ms - whole.from_ms);
  const from_ms = Math.max(whole.from_ms, Math.min(window.from_ms, whole.to_ms - span));
  return { from_ms, to_ms: from_ms + span };
}

/** `factor` below 1 shows less time; `about` is the share of the width that stays where it is, 0 to 1. */
export function zoomed(window: Window, whole: Window, factor: number, about: number): Window {
  const span = Math.max(shortest_ms, (window.to_ms - window.from_ms) * factor);
  const still_ms = window.from_ms + about * (window.to_ms - window.from_ms);
  return within({ from_ms: still_ms - about * span, to_ms: still_ms + (1 - about) * span }, whole);
}

/** By a share of what is shown; positive is later. */
export function moved(window: Window, whole: Window, share: number): Window {
  const by_ms = (window.to_ms - window.from_ms) * share;
  return within({ from_ms: window.from_ms + by_ms, to_ms: window.to_ms + by_ms }, whole);
}

/** Between two times in any order. */
export function chosenWindow(a_ms: number, b_ms: number, whole: Window): Window {
  const [from_ms, to_ms] = [Math.min(a_ms, b_ms), Math.max(a_ms, b_ms)];
  return within({ from_ms, to_ms: Math.max(to_ms, from_ms + shortest_ms) }, whole);
}

/** Round times within the window, at least 64 pixels apart. */
export function ticksOf({ from_ms, to_ms }: Window, width_px: number): number[] {
  const step = roundStep(to_ms - from_ms, Math.max(1, Math.floor(width_px / 64)));
  const ticks: number[] = [];
  for (let index = Math.ceil(from_ms / step - 1e-9); index * step <= to_ms; index++)
    ticks.push(Number((index * step).toPrecision(12)));
  return ticks;
}
