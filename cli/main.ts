// `trilane`: lets Node keep what it compiles, so that the next start takes less than half as long, and goes on in command_line.ts.
// Kept in the checkout, which only those can write whose code runs here anyway; a checkout that cannot be written is left as it is.
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { version } from "./base/version.ts";

enableCompileCache(join(import.meta.dirname, "..", "build", "compile-cache"));
// A bundle's places are then those of its sources.
if (process.argv.includes("--debug")) process.setSourceMapsEnabled(true);
const words = process.argv.slice(2).join(" ");
// Scripts ask for nothing as often, and all else takes twice as long to load.
if (words === "--version" || words === "-V") process.stdout.write(`${version}\n`);
else await import("./command_line.ts");
