// Firefox has no pipe: it listens on a port of its own loopback, which is the lab's. This runs beside it there, as its parent, and hands
// messages on between that WebSocket and descriptors 3 and 4, each ended by a NUL, as Chromium's pipe has them. Understands none of them.

/** The text of a Node program: it may use nothing from outside itself. Its words: how long Firefox may take to end, then its command line. */
async function bridge(): Promise<void> {
  const { spawn } = await import("node:child_process");
  const { Socket } = await import("node:net");
  const [patience_ms, program = "", ...words] = process.argv.slice(1);
  // A socket and no file: a read that is under way would keep this process from its end.
  const asked = new Socket({ fd: 3, readable: true, writable: false });
  const told = new Socket({ fd: 4, readable: false, writable: true });
  const firefox = spawn(program, words, { stdio: ["ignore", "ignore", "pipe"] });
  const end = (status: number): void => {
    firefox.kill("SIGKILL");
    process.exit(status);
  };
  firefox.on("error", (error) => {
    console.error(error.message);
    end(1);
  });
  firefox.on("exit", (code, signal) => {
    if (signal !== null) console.error(`Firefox was killed (${signal})`);
    process.exit(code ?? 1);
  });
  process.on("SIGTERM", () => end(0));
  asked.on("close", () => end(0));
  asked.on("error", () => {});
  told.on("error", () => {});
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
  socket.addEventListener("close", () => setTimeout(end, Number(patience_ms), 0));
  socket.addEventListener("message", ({ data }) => void told.write(`${String(data)}\0`));
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  let rest = "";
  const decoder = new TextDecoder();
  asked.on("data", (chunk: Buffer) => {
    const messages = (rest + decoder.decode(chunk, { stream: true })).split("\0");
    rest = messages.pop() ?? "";
    for (const message of messages) socket.send(message);
  });
}

/** Before Firefox's program and words. `patience_ms`: it may tidy up its profile so long; of a load's nothing is kept. */
export const bridgeCommand = (patience_ms = 0): string[] => [
  process.execPath,
  "--disable-warning=ExperimentalWarning",
  "--input-type=module",
  "--eval",
  `await (${bridge})()`,
  "--",
  String(patience_ms),
];
