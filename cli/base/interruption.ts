// The signals that stop a sweep or a recording at once: the load in flight is dropped, what is stored is kept.
import { constants } from "node:os";

/** Ctrl-C, a service manager's stop, and a terminal that was closed. */
const stops = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export type Stop = (typeof stops)[number];

/** npm passes on the Ctrl-C that the terminal has sent to us already: what follows so soon is the same one. */
const sameSignal_ms = 300;

export interface Interruption {
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
