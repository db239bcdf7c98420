// Firefox's command line and environment, whatever the lane: headless, with a profile and a temporary folder of its own.
import type { Device } from "../device.ts";

export const firefoxWords = (program: string, profile: string, { width, height }: Device): string[] => [
  ...[program, "--headless", "--no-remote", "--profile", profile],
  ...["--remote-debugging-port", "0", "--remote-allow-system-access"],
  ...["--width", String(width), "--height", String(height), "about:blank"],
];

export function firefoxEnvironment(profile: string, temporary: string): Record<string, string> {
  const { env } = process;
  return {
    PATH: env.PATH ?? "/usr/bin:/bin",
    HOME: profile,
    TMPDIR: temporary,
    LANG: "en_US.UTF-8",
    DBUS_SESSION_BUS_ADDRESS: "disabled:",
    DBUS_SYSTEM_BUS_ADDRESS: "disabled:",
    MOZ_CRASHREPORTER_DISABLE: "1",
    ...(env.TZ ? { TZ: env.TZ } : {}),
    ...(env.TRILANE_DEBUG ? { TRILANE_DEBUG: env.TRILANE_DEBUG } : {}),
  };
}
