// HOME/calibration.json: what `trilane calibrate` found, for sweeps to use. Reads and writes; measures nothing.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Calibration } from "../../../schemas/generated/calibration.ts";
import { atomicWrite } from "../../base/atomic_write.ts";
import { schemaValidator } from "../../base/schema_error.ts";

export function calibrationPath(home: string): string {
  return join(home, "calibration.json");
}

/** Null if there is none that can be read, or it was made on another machine: then loads run one after another. */
export function readCalibration(home: string, machine: string): Calibration | null {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(calibrationPath(home), "utf8"));
  } catch {
    return null;
  }
  const isCalibration = schemaValidator<Calibration>("calibration");
  return isCalibration(document) && document.machine === machine ? document : null;
}

export async function writeCalibration(home: string, calibration: Calibration): Promise<void> {
  await atomicWrite(calibrationPath(home), `${JSON.stringify(calibration, null, 2)}\n`);
}
