// Generated from ../error.schema.json by `npm run generate`: change the schema instead.

/**
 * What a command that fails prints on standard error with --json.
 */
export interface CommandError {
  schema: "trilane/error/1";
  /**
   * The exit status.
   */
  status: number;
  /**
   * One line: the thing, its value and the remedy.
   */
  message: string;
  /**
   * Where in the program it arose, with --debug.
   */
  stack?: string[];
}
