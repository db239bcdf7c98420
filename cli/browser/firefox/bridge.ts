// Firefox has no pipe: it listens on a port of its own loopback, which is the lab's. This runs beside it there, as its parent, and hands
// messages on between that WebSocket and descriptors 3 and 4, each ended by a NUL, as Chromium's pipe has them. Understands none of them.

/** The text of a Node program: it may use nothing from outside itself. Its words: how long Firefox may take to end, then its command line. */
async function bridge(): Promise<void> {
  const { spawn } = await import("node:child_process");
  const { Socket } = await import("node:net");
  const { constants } = await import("node:os");
  const [patience_ms, program = "", ...words] = process.argv.slice(1);
  // A socket and no file: a read that is under way would keep this process from its end.
  const commands = new Socket({ fd: 3, readable: true, writable: false });
  const messages = new Socket({ fd: 4, readable: false, writable: true });
  const firefox = spawn(program, words, { stdio: ["ignore", "ignore", "pipe"] });
  // Its profile is thrown away, so it need not tidy up first; but it must be gone, so that no process is left.
  let isEnded = false;
  const end = (): void => {
    isEnded = true;
    firefox.kill("SIGKILL");
  };
  firefox.on("error", (error) => {
    console.error(error.message);
    process.exit(1);
  });
  firefox.on("exit", (code, signal) => {
    if (isEnded) process.exit(0);
    if (signal !== null) console.error(`Firefox was killed (${signal})`);
    // As a shell reports it.
    process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
  });
  process.on("SIGTERM", end);
  commands.on("close", end);
  commands.on("error", () => {});
  messages.on("error", () => {});
  let said = "";
  const url = await new Promise<string>((resolve) => {
    firefox.stderr.on("data", (chunk: Buffer) => {
      process.stderr.write(chunk);
      said = (said + chunk.toString("latin1")).slice(-4096);
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const socket = new WebSocket(`${url}/session`);
  socket.binaryType = "arraybuffer";
  socket.addEventListener("close", () => setTimeout(end, Number(patience_ms)));
  socket.addEventListener("message", ({ data }) => void messages.write(`${String(data)}\0`));
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  let rest = "";
  const decoder = new TextDecoder();
  commands.on("data", (chunk: Buffer) => {
    const messages = (rest + decoder.decode(chunk, { stream: true })).split("\0");
    rest = messages.pop() ?? "";
    for (const message of messages) socket.send(message);
  });
}

/** Before Firefox's program and words. `patience_ms`: so long it may take to end after it has closed the connection. */
export const bridgeCommand = (patience_ms = 500): string[] => [
  process.execPath,
  "--disable-warning=ExperimentalWarning",
  "--input-type=module",
  "--eval",
  `await (${bridge})()`,
  "--",
  String(patience_ms),
];
