// The product's version, as package.json has it.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8"));

export const version =
  typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "unknown";
