// Files and folders that this process must not leave behind, however it ends: by itself, by an exit that waits for nothing,
// or by a signal without another listener. (Killed with -9 it leaves them.) Removes; makes nothing.
import { rmSync } from "node:fs";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const paths = new Set<string>();

function removeAll(): void {
  for (const path of paths) rmSync(path, { recursive: true, force: true });
  paths.clear();
}

/** Who else listens ends the process in its own way, and comes by our `exit`. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  removeAll();
  process.off(signal, onSignal);
  process.kill(process.pid, signal);
}

/** Until the returned function is called, which removes nothing. */
export function removedAtEnd(path: string): () => void {
  if (paths.size === 0) {
    process.on("exit", removeAll);
    for (const signal of signals) process.on(signal, onSignal);
  }
  paths.add(path);
  return () => {
    paths.delete(path);
    if (paths.size > 0) return;
    process.off("exit", removeAll);
    for (const signal of signals) process.off(signal, onSignal);
  };
}
