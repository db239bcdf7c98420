// Where tests and benchmarks keep what they fetch or build once: Trilane's own cache (cli/install/quic.sh keeps quiche there).
import { homedir } from "node:os";
import { join } from "node:path";

export function cacheFolder(): string {
  const { TRILANE_CACHE, XDG_CACHE_HOME } = process.env;
  return TRILANE_CACHE || join(XDG_CACHE_HOME || join(homedir(), ".cache"), "trilane");
}
