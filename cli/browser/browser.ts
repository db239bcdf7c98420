// Chromium started through any command line that ends in it, spoken to over its pipe. The only importer of puppeteer-core. Knows nothing
// of pages, lanes and links.
import type { CDPSession, Connection } from "puppeteer-core";
import { type Exit, killedBy } from "../base/process_group.ts";
import { type Pipe, StartError, type Started, type StartOptions, startOnPipe } from "./pipe_program.ts";

export type { CDPSession, Connection, StartOptions };
export { type Exit, killedBy, StartError };

export interface RunningBrowser extends Started {
  readonly connection: Connection;
}

/** Starts the program and speaks to its browser. StartError where that fails; then nothing of it is left. */
export async function startBrowser(options: StartOptions, signal?: AbortSignal): Promise<RunningBrowser> {
  // Only here and before the browser: half of the command line's start would be its loading.
  const { connect } = await import("puppeteer-core");
  const connected = async (transport: Pipe): Promise<Connection> => {
    const browser = await connect({
      transport,
      // Pages are watched through sessions of our own: puppeteer's would turn on domains that cost the page time.
      targetFilter: () => false,
      defaultViewport: null,
      networkEnabled: false,
      issuesEnabled: false,
      protocolTimeout: 0,
    });
    const connection = (await browser.target().createCDPSession()).connection();
    if (!connection) throw new StartError("it closed the connection", null);
    return connection;
  };
  const { peer, ...started } = await startOnPipe(
    options,
    {
      // Chromium writes an event's name first.
      ofNetwork: '{"method":"Network.',
      connect: connected,
      close: (connection) => void connection.send("Browser.close").catch(() => {}),
    },
    signal,
  );
  return { ...started, connection: peer };
}
