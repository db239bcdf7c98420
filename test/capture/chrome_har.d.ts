// chrome-har has no types of its own.
declare module "chrome-har" {
  export function harFromMessages(messages: readonly { method: string; params: unknown }[]): {
    log: { entries: unknown[] };
  };
}
