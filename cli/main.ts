// `trilane`: lets Node keep what it compiles, so that the next start takes less than half as long, and goes on in command_line.ts.
// Kept in the checkout, which only those can write whose code runs here anyway; a checkout that cannot be written is left as it is.
import { enableCompileCache } from "node:module";
import { join } from "node:path";

enableCompileCache(join(import.meta.dirname, "..", "build", "compile-cache"));
await import("./command_line.ts");
