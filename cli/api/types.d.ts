// What `import { openLab } from "trilane"` gives: the types of the npm package, which bring no others.

export interface LabOptions {
  /** As `--link`: "slow-4g", "3mbit/50ms,loss=1%", "down=8mbit,up=1mbit,rtt=60ms". */
  readonly link: string;
  /** Servers of this machine at the link's other end: "localhost:3000". */
  readonly reach?: string | readonly string[];
  /** Or a recording's origins. */
  readonly recording?: string;
  /** Or the internet, without private networks unless `allowLocalNetwork`. */
  readonly outside?: boolean;
  readonly allowLocalNetwork?: boolean;
  /** The browser's path. Default: the one that Trilane measures with. */
  readonly browser?: string;
  /** The folder of recordings. Default: as for the command line. */
  readonly home?: string;
}

/** Settings of a link by their names: `{ down: "1mbit", loss: "2%" }`. */
export type LinkChange = Readonly<Record<string, string>>;

export interface DirectionStats {
  /** null: unlimited. */
  readonly rate_bps: number | null;
  readonly packets_in: number;
  readonly bytes_in: number;
  readonly packets_out: number;
  readonly bytes_out: number;
  readonly queue_packets: number;
  readonly queue_bytes: number;
}

/** Counted since the browser's start, in IP packets. */
export interface LinkStats {
  /** What the link is now, in short form. */
  readonly link: string;
  readonly changes: number;
  readonly down: DirectionStats;
  readonly up: DirectionStats;
}

export interface Lab extends AsyncDisposable {
  /** A program to start in place of the browser: each one started has a link of its own. */
  readonly executablePath: string;
  /** What may be reached, as a sentence. */
  readonly reaches: string;
  /** Changes the links of running browsers, and those of later ones. A text is another link, settings change the one there is. */
  change(change: string | LinkChange): Promise<void>;
  /** Of each running browser. */
  stats(): Promise<LinkStats[]>;
  /** Ends browsers that still run, and removes the program. */
  close(): Promise<void>;
}

export function openLab(options: LabOptions): Promise<Lab>;
