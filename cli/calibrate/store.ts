// HOME/calibration.json: what `trilane calibrate` found, for sweeps to use. Reads and writes; measures nothing.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import type { Calibration } from "../../schemas/generated/calibration.ts";
import { checkout } from "../programs.ts";
import { writeWhole } from "../report/write_whole.ts";

export function calibrationPath(home: string): string {
  return join(home, "calibration.json");
}

/** Null where there is none, it is not one, or it was made on another machine: then loads run one after another. */
export function readCalibration(home: string, machine: string): Calibration | null {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(calibrationPath(home), "utf8"));
  } catch {
    return null;
  }
  const ajv = addFormats.default(new Ajv());
  const isCalibration = ajv.compile<Calibration>(
    JSON.parse(readFileSync(join(checkout, "schemas", "calibration.schema.json"), "utf8")),
  );
  return isCalibration(document) && document.machine === machine ? document : null;
}

export async function writeCalibration(home: string, calibration: Calibration): Promise<void> {
  await writeWhole(calibrationPath(home), `${JSON.stringify(calibration, null, 2)}\n`);
}
