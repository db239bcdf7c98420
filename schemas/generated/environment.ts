// Generated from ../environment.schema.json by `npm run generate`: change the schema instead.

/**
 * What a load ran with: enough to say whether two results may be compared.
 */
export interface Environment {
  /**
   * By product: trilane, node, browser, quiche, ...
   */
  versions: {
    [k: string]: string;
  };
  /**
   * Of the browser's program; absent where that is a script, and from loads of before it was told.
   */
  browser_sha256?: string;
  kernel: string;
  architecture: string;
  cpu: string;
  cpus: number;
  memory_bytes: number;
  congestion_control: CongestionControl;
  command_lines: CommandLines;
}
/**
 * Of the servers; null: no report told.
 */
export interface CongestionControl {
  tcp: string | null;
  quic: string | null;
}
/**
 * With $HOME_FOLDER, $PROFILE, $REPORTS in place of this load's own folders.
 */
export interface CommandLines {
  replay: string[];
  shaper: string[];
  browser: string[];
}
