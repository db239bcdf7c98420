// Generated from ../completion.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane completion --json` prints.
 */
export interface Completion {
  schema: "trilane/completion/1";
  shell: "bash" | "zsh" | "fish";
  /**
   * For the shell to read.
   */
  script: string;
}
