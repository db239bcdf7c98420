// The line that `trilane shell --meter` shows while its command runs: at the bottom of the terminal, or as plain lines
// every few seconds where there is none. Never holds up the command, whose terminal it is.
import { say } from "../../base/terminal_text.ts";
import { LinkControl, type ShaperStats } from "../control_client.ts";
import { lookBetween, meterLine } from "./samples.ts";
import { openTerminal, StatusRow } from "./status_row.ts";

const look_ms = 500;
const looksForSize = 4;
const plain_ms = 5000;
const connect_ms = 50;

interface Out {
  show(line: string): void;
  look(): void;
  close(): void;
}

function plainOut(): Out {
  let printed_ms = performance.now();
  return {
    show(line) {
      if (performance.now() - printed_ms < plain_ms) return;
      printed_ms = performance.now();
      say(`trilane: ${line}`);
    },
    look: () => undefined,
    close: () => undefined,
  };
}

interface LiveLine {
  close(): void;
}

/** The socket need not be there yet: the lab is only being made. */
export function openLiveLine(socket: string): LiveLine {
  const terminal = process.stderr.isTTY ? openTerminal() : null;
  const out: Out = terminal ? new StatusRow(terminal) : plainOut();
  let control: LinkControl | null = null;
  let before: ShaperStats | null = null;
  let looks = 0;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const step = async (): Promise<number> => {
    if (!control) {
      const connected = await LinkControl.connect(socket).catch(() => null);
      if (closed) connected?.close();
      else control = connected;
      return connect_ms;
    }
    const stats = await control.stats();
    if (closed) return 0;
    if (looks++ % looksForSize === 0) out.look();
    if (before) out.show(meterLine(lookBetween(before, stats)));
    before = stats;
    return look_ms;
  };
  const next = (delay_ms: number): void => {
    if (closed) return;
    timer = setTimeout(() => {
      // An end of the lab shows in the command's own end.
      step().then(next, () => undefined);
    }, delay_ms);
    timer.unref();
  };
  next(0);

  return {
    close() {
      closed = true;
      clearTimeout(timer);
      control?.close();
      out.close();
    },
  };
}
