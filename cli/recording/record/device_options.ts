// The options that say on which device a page is to be loaded, for every command that brings one into the archive.
import { UserError } from "../../base/errors.ts";
import type { OptionsOf, OptionTable } from "../../base/option_table.ts";
import { type Device, deviceBounds, isSide, namedDevices } from "../../browser/device.ts";

type DeviceOptions = OptionsOf<typeof defineDevice>;

export const deviceOptionNames: readonly (keyof DeviceOptions)[] = ["device", "device-pixel-ratio", "window"];

/** For every command that brings a page into the archive. */
export const defineDevice = (table: OptionTable<unknown>) =>
  table
    .option("device", {
      choices: Object.keys(namedDevices),
      describe:
        "the device that the page is for, which its loads are then made with (default: as recorded, else desktop)",
    })
    .option("device-pixel-ratio", {
      type: "number",
      range: deviceBounds.ratio,
      describe: "device pixels for each pixel of CSS, which decides the pictures that a page asks for",
    })
    .option("window", { placeholder: "WIDTHxHEIGHT", describe: "the browser's window, in pixels of CSS, as 1440x900" });

/** What was requested of a device; empty: nothing. */
export function chosenDevice(options: DeviceOptions): Partial<Device> {
  const { device, window, "device-pixel-ratio": ratio } = options;
  const [, width, height] = /^(\d+)x(\d+)$/i.exec(window ?? "") ?? [];
  const sides = { width: Number(width), height: Number(height) };
  if (window !== undefined && !(isSide(sides.width) && isSide(sides.height)))
    throw new UserError(
      `--window ${JSON.stringify(window)}: write WIDTHxHEIGHT, each from ${deviceBounds.side.least} to ${deviceBounds.side.most}, as 1440x900`,
    );
  return {
    ...(device === undefined ? {} : (namedDevices as Readonly<Record<string, Partial<Device>>>)[device]),
    ...(ratio === undefined ? {} : { device_pixel_ratio: ratio }),
    ...(window === undefined ? {} : sides),
  };
}
