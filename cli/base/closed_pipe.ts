// What happens when the reader of our output goes away (`trilane list | head`). Touches no stream.

/**
 * It is no error of ours, and ends what only prints as done, or as failed where that is known already. Work that a signal ends
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
