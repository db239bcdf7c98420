// Generated from ../shell.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane shell --json` writes to standard error before its command runs: what the command can reach.
 */
export interface ShellNote {
  schema: "trilane/shell/1";
  /**
   * Short form, canonical.
   */
  link: string;
  /**
   * null: none is served.
   */
  recording: string | null;
  /**
   * Origins, or the far end's addresses.
   */
  reachable: string[];
  /**
   * null: no name resolves.
   */
  nameserver: string | null;
}
