// Two names of one thing in a plan are one too many. Pure.
import { UserError } from "../../base/errors.ts";

/** Two names of one thing would be measured, and counted, as two. */
export function refuseSame(named: readonly { readonly name: string; readonly key: string }[], what: string): void {
  const names = new Map<string, string>();
  for (const { name, key } of named) {
    const before = names.get(key);
    if (before === name) throw new UserError(`${what} ${name} stands there twice: name it once`);
    if (before !== undefined) throw new UserError(`${what} ${name} is the same as ${before}: name one of them`);
    names.set(key, name);
  }
}
