// What a meter makes of a link's counters, and how it draws it: numbers that are right, lines that fit.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ShaperStats, ShaperStatsDirection } from "../../../../cli/link/control_client.ts";
import { plotLines, plotted } from "../../../../cli/link/meter/plot.ts";
import { type Look, lookBetween, meterLine } from "../../../../cli/link/meter/samples.ts";
import { StatusRow, type TerminalPort, type TerminalSize } from "../../../../cli/link/meter/status_row.ts";
import { formatRate } from "../../../../cli/registry/units.ts";

const none = { queue: 0, aqm: 0, loss: 0, off: 0, not_ip: 0, refused: 0 };

function direction(change: Partial<ShaperStatsDirection> = {}): ShaperStatsDirection {
  return {
    rate_bps: 8_000_000,
    packets_in: 0,
    bytes_in: 0,
    packets_out: 0,
    bytes_out: 0,
    queue_packets: 0,
    queue_bytes: 0,
    held_packets: 0,
    marks: 0,
    drops: none,
    ...change,
  };
}

function stats(
  now_ns: number,
  down: Partial<ShaperStatsDirection> = {},
  up: Partial<ShaperStatsDirection> = {},
): ShaperStats {
  return {
    schema: "trilane/shaper-stats/1",
    start_ns: 1e9,
    now_ns,
    link: "rate=8mbit,rtt=40ms",
    changes: 0,
    down: direction(down),
    up: direction(up),
  };
}

describe("from counters to samples", () => {
  test("the rate is what was delivered between two looks, drops likewise", () => {
    const before = stats(2e9, { bytes_out: 1000, drops: { ...none, queue: 3, not_ip: 9 } });
    const after = stats(2.5e9, {
      bytes_out: 251_000,
      queue_bytes: 3000,
      queue_packets: 2,
      drops: { ...none, queue: 4, aqm: 1, loss: 2, not_ip: 20 },
    });
    const look = lookBetween(before, after);
    assert.deepEqual(look.down, { rate_bps: 4_000_000, queue_bytes: 3000, queue_packets: 2, drops: 4 });
    assert.equal(look.dropped.down, 7);
    assert.equal(look.at_ns, 1.5e9);
  });

  test("two looks at the same time are no rate", () => {
    assert.equal(lookBetween(stats(2e9), stats(2e9, { bytes_out: 100 })).down.rate_bps, 0);
  });

  test("rates have three significant figures and the nearest unit", () => {
    const shown = [0, 12_345, 999_499, 999_500, 2_934_000, 80_000_000, 999_400_000, 999_600_000].map(formatRate);
    assert.deepEqual(shown, [
      "0 Mbit/s",
      "12.3 kbit/s",
      "999 kbit/s",
      "1 Mbit/s",
      "2.93 Mbit/s",
      "80 Mbit/s",
      "999 Mbit/s",
      "1 Gbit/s",
    ]);
  });

  test("one line says both directions", () => {
    const look = lookBetween(
      stats(2e9),
      stats(3e9, { bytes_out: 366_750, queue_packets: 12, queue_bytes: 18_000, drops: { ...none, queue: 1 } }),
    );
    const expected = "down 2.93 Mbit/s, queue 12 packets, 18 kB, 1 drop | up 0 Mbit/s, queue empty, 0 drops";
    assert.equal(meterLine(look), expected);
  });
});

/** A look each 100 ms, the n-th with rate n/count of the link's and n packets queued. */
function ramp(count: number): Look[] {
  return Array.from({ length: count }, (_, n) => {
    const before = stats(2e9 + n * 1e8);
    const after = stats(2e9 + (n + 1) * 1e8, {
      bytes_out: (100_000 * (n + 1)) / count,
      queue_bytes: n * 1500,
      queue_packets: n,
      drops: { ...none, queue: n % 5 === 0 ? n : 0 },
    });
    return lookBetween(before, after);
  });
}

const plain = (_what: string, text: string) => text;

describe("the plot", () => {
  test("fits into any terminal", () => {
    for (const columns of [20, 40, 80, 200])
      for (const rows of [3, 10, 24, 60]) {
        const lines = plotLines(ramp(300), { columns, rows }, plain);
        assert.ok(lines.length <= rows, `${lines.length} lines in ${rows}`);
        for (const line of lines) assert.ok(line.length <= columns, `${line.length} characters in ${columns}: ${line}`);
      }
  });

  test("rises with the rate to the top row at the link's own, and shows the latest looks", () => {
    const columns = 80;
    const lines = plotLines(ramp(plotted(columns)), { columns, rows: 24 }, plain);
    assert.match(lines[1] ?? "", /^down {2}8 Mbit\/s of 8 Mbit\/s {2}queue 65 packets, 97\.5 kB/);
    const area = (row: number) => (lines[row] ?? "").split("┤")[1] ?? "";
    assert.equal(area(2).at(-1), "█");
    assert.equal(area(2).at(0), " ");
    const lowest = area(7);
    assert.match(lowest, /^▁+▂+▃+▄+▅+▆+▇+█+$/);
    assert.equal(lowest.length, plotted(columns));
    // A rate that is not 0 can be seen, and one that is 0 cannot.
    const up = lines.findIndex((line) => line.startsWith("up"));
    assert.match(lines[up + 6] ?? "", /┤ +$/);
  });

  test("marks drops in their place", () => {
    const lines = plotLines(ramp(16), { columns: 80, rows: 24 }, plain);
    const marks = lines.find((line) => line.includes("drops ") && !line.includes("queue"))?.slice(13);
    assert.equal(marks?.trimEnd(), "     5    +    +");
  });

  test("colours a piece without changing what it says", () => {
    const bare = (line: string) => line.replaceAll(/<[a-z]+>/g, "");
    const painted = plotLines(ramp(30), { columns: 80, rows: 24 }, (what, text) => `<${what}>${text}`);
    assert.deepEqual(painted.map(bare), plotLines(ramp(30), { columns: 80, rows: 24 }, plain));
  });
});

class FakeTerminal implements TerminalPort {
  written = "";
  rowsSet: number[] = [];
  closed = false;
  current: TerminalSize | null;

  constructor(size: TerminalSize | null) {
    this.current = size;
  }
  write(text: string): void {
    this.written += text;
  }
  size(): TerminalSize | null {
    return this.current;
  }
  setRows(rows: number): void {
    this.rowsSet.push(rows);
    if (this.current) this.current = { ...this.current, rows };
  }
  close(): void {
    this.closed = true;
  }
}

describe("the row at the bottom of a command's terminal", () => {
  test("the command gets a row less while it lasts, and all back", () => {
    const terminal = new FakeTerminal({ rows: 24, columns: 40 });
    const row = new StatusRow(terminal);
    assert.deepEqual(terminal.rowsSet, [23]);
    assert.ok(terminal.written.includes("\x1b[1;23r"));
    row.look(); // its own doing is no resize
    assert.deepEqual(terminal.rowsSet, [23]);
    row.show("hello");
    assert.ok(terminal.written.endsWith(`\x1b7\x1b[24;1H\x1b[0;7m${"hello".padEnd(39)}\x1b[0m\x1b8`));
    row.close();
    assert.deepEqual([terminal.rowsSet, terminal.closed], [[23, 24], true]);
    assert.ok(terminal.written.includes("\x1b[r"));
  });

  test("follows a resize, and cuts what does not fit", () => {
    const terminal = new FakeTerminal({ rows: 24, columns: 40 });
    const row = new StatusRow(terminal);
    terminal.current = { rows: 50, columns: 10 };
    row.look();
    assert.deepEqual(terminal.rowsSet, [23, 49]);
    row.show("a line that is too long");
    assert.ok(terminal.written.endsWith("\x1b[50;1H\x1b[0;7ma line t…\x1b[0m\x1b8"));
    row.close();
    assert.equal(terminal.rowsSet.at(-1), 50);
  });

  test("a terminal of few rows, or of unknown size, is left alone", () => {
    for (const size of [{ rows: 3, columns: 80 }, null]) {
      const terminal = new FakeTerminal(size);
      const row = new StatusRow(terminal);
      row.show("hello");
      row.close();
      assert.deepEqual([terminal.written, terminal.rowsSet, terminal.closed], ["", [], true]);
    }
  });
});
