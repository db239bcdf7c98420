// What stops a sweep or a recording at once: signals, which drop the load in flight and keep what is stored, and a reader of our output that
// goes away (`trilane list | head`).
import { constants } from "node:os";

/**
 * What a reader that went away ends. It is no error of ours, and ends what only prints as done, or as failed where that is known already. Work that a signal ends
 * cleanly (a race, a sweep) ends as by the terminal's closing: what is stored is kept, and the exit status says that it is not
 * done.
 */
export function closedPipe(program: NodeJS.Process): { isClosed(): boolean; close(): void } {
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    if (program.listenerCount("SIGHUP") === 0) program.exit(program.exitCode ?? 0);
    program.emit("SIGHUP", "SIGHUP");
  };
  return { isClosed: () => closed, close };
}

/** Ctrl-C, a service manager's stop, and a terminal that was closed. */
const stops = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export type Stop = (typeof stops)[number];

/** npm passes on the Ctrl-C that the terminal has sent to us already: what follows so soon is the same one. */
const sameSignal_ms = 300;

interface Interruption {
  readonly signal: AbortSignal;
  received(): Stop | null;
  ignore(): void;
}

/** The first signal stops cleanly, for `reason` if given; a second one, while the lab is being taken down, ends at once. */
export function watchSignals(reason?: Error): Interruption {
  const stop = new AbortController();
  let received: Stop | null = null;
  let receivedAt_ms = 0;
  const ignore = () => {
    for (const name of stops) process.removeListener(name, onSignal);
  };
  const onSignal = (name: NodeJS.Signals) => {
    const now_ms = performance.now();
    if (received !== null) {
      // An exit, not a death by the signal, which would leave the load's folder behind.
      if (now_ms - receivedAt_ms > sameSignal_ms) process.exit(128 + constants.signals[name]);
      return;
    }
    received = stops.find((stop) => stop === name) ?? "SIGINT";
    receivedAt_ms = now_ms;
    stop.abort(reason);
  };
  for (const name of stops) process.on(name, onSignal);
  return { signal: stop.signal, received: () => received, ignore };
}
