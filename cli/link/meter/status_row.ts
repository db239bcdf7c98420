// A line of ours at the bottom of a terminal that a command is using. The terminal is made to scroll above that row,
// and its size is given to the command as a row less, so that neither a shell nor a full-screen program writes there.
// Does not know what the line says.
import { spawnSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** What a status row does to a terminal: the real one, or a test's. */
export interface TerminalPort {
  write(text: string): void;
  /** null: unknown. */
  size(): TerminalSize | null;
  setRows(rows: number): void;
  close(): void;
}

const terminalPath = "/dev/tty";
// Less would leave the command nothing.
const leastRows = 4;

/** The terminal of this process; null where there is none. */
export function openTerminal(): TerminalPort | null {
  let fd: number;
  try {
    fd = openSync(terminalPath, "w");
  } catch {
    return null;
  }
  const stty = (...words: string[]) => spawnSync("stty", ["-F", terminalPath, ...words], { encoding: "utf8" });
  return {
    write: (text) => {
      try {
        writeSync(fd, text);
      } catch {
        // The terminal was closed; the command notices that itself.
      }
    },
    size: () => {
      const [rows, columns] = (stty("size").stdout ?? "").trim().split(" ").map(Number);
      return rows && columns ? { rows, columns } : null;
    },
    setRows: (rows) => {
      stty("rows", String(rows));
    },
    close: () => closeSync(fd),
  };
}

export class StatusRow {
  readonly #terminal: TerminalPort;
  /** The terminal's own rows, of which the last is ours. 0: none is. */
  #rows = 0;
  #columns = 0;

  constructor(terminal: TerminalPort) {
    this.#terminal = terminal;
    this.#take(terminal.size());
  }

  /** Looks whether the terminal was resized: then the command was given all of it. */
  look(): void {
    const size = this.#terminal.size();
    if (!size) return;
    if (this.#rows > 0 && size.rows === this.#rows - 1) this.#columns = size.columns;
    else this.#take(size);
  }

  show(line: string): void {
    if (this.#rows === 0) return;
    const text = line.length < this.#columns ? line : `${line.slice(0, Math.max(0, this.#columns - 2))}…`;
    // Saved and restored around it: the cursor is the command's.
    this.#terminal.write(`\x1b7\x1b[${this.#rows};1H\x1b[0;7m${text.padEnd(this.#columns - 1)}\x1b[0m\x1b8`);
  }

  /** Gives the row back. */
  close(): void {
    if (this.#rows > 0) {
      this.#terminal.setRows(this.#rows);
      this.#terminal.write(`\x1b7\x1b[r\x1b[${this.#rows};1H\x1b[2K\x1b8`);
      this.#rows = 0;
    }
    this.#terminal.close();
  }

  #take(size: TerminalSize | null): void {
    if (!size || size.rows < leastRows) {
      this.#rows = 0;
      return;
    }
    this.#rows = size.rows;
    this.#columns = size.columns;
    // A line's end first, so that a cursor on the last row leaves it; setting the region moves the cursor.
    this.#terminal.write(`\n\x1b[A\x1b7\x1b[1;${size.rows - 1}r\x1b8`);
    this.#terminal.setRows(size.rows - 1);
  }
}
