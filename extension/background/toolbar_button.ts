// What the toolbar's button shows while no popup is open: that a page is being profiled, and that it could not be.
import type { Failure } from "../actions.ts";

const working = "#0072B2";
const trouble = "#B3261E";

/** null: as it was. */
async function show(text: string, colour: string | null, title: string): Promise<void> {
  await Promise.all([
    chrome.action.setBadgeText({ text }),
    chrome.action.setTitle({ title }),
    ...(colour === null ? [] : [chrome.action.setBadgeBackgroundColor({ color: colour })]),
  ]).catch(() => {});
}

export const showProfiling = (): Promise<void> => show("…", working, "Trilane is profiling this page");

export function showProfiled(error: Failure | null): Promise<void> {
  return error ? show("!", trouble, `${error.message} ${error.remedy}`) : show("", null, "Profile this page");
}
