// Chromium's command line and environment for looking around: the lane's as in a measured load, but with a window, the
// extension allowed, and whatever it takes to reach the user's display. Pure; starts nothing.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { UserError } from "../../base/errors.ts";
import { type ChromiumOptions, chromiumArguments, chromiumEnvironment } from "../../browser/chromium.ts";

const onlyWithoutWindow = ["--headless=new", "--hide-scrollbars", "--mute-audio"];

interface LookAround extends ChromiumOptions {
  readonly headless: boolean;
}

export function visibleArguments(options: LookAround): string[] {
  const left = new Set(["--disable-extensions", ...(options.headless ? [] : onlyWithoutWindow)]);
  const words = chromiumArguments(options).filter((word) => !left.has(word));
  return [
    ...words.slice(0, -1),
    // The extension comes over the pipe: Chrome takes none from the command line.
    "--enable-unsafe-extension-debugging",
    // No bar that warns of the arguments above.
    "--test-type",
    ...words.slice(-1),
  ];
}

/** Where a desktop is, in the variables that lead to it. */
const desktopVariables = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE"];

/** UserError where there is no display that a lab can reach. */
export function visibleEnvironment(
  profile: string,
  temporary: string,
  inherited: NodeJS.ProcessEnv,
): Record<string, string> {
  const { DISPLAY: display, WAYLAND_DISPLAY: wayland } = inherited;
  if (!display && !wayland)
    throw new UserError(
      "no display (neither DISPLAY nor WAYLAND_DISPLAY is set): start it from a desktop, or add --headless",
    );
  if (!wayland && display && !/^(unix)?:\d/.test(display))
    throw new UserError(
      `DISPLAY=${display}: is reached over a network, which a lab has not: use a local display, or add --headless`,
    );
  const variables = desktopVariables.flatMap((name) => {
    const value = inherited[name];
    return value ? [[name, value] as const] : [];
  });
  const authority = join(inherited.HOME || homedir(), ".Xauthority");
  return {
    ...chromiumEnvironment(profile, temporary, inherited),
    ...(existsSync(authority) ? { XAUTHORITY: authority } : {}),
    ...Object.fromEntries(variables),
  };
}

/** Why a browser did not start, in plain words where it is for its display. `stderr`: all that it said. */
export function startFailure(message: string, stderr: string, inherited: NodeJS.ProcessEnv): string {
  // Chromium's words: ozone (X11, Wayland) finds no one, or is not let in.
  if (!/platform failed to initialize|missing x server|cannot open display/i.test(stderr))
    return `the browser did not start: ${message}`;
  const displays = ["DISPLAY", "WAYLAND_DISPLAY"].flatMap((name) =>
    inherited[name] ? [`${name}=${inherited[name]}`] : [],
  );
  return `the display (${displays.join(", ")}) cannot be reached: start it from a desktop that runs, or add --headless`;
}
