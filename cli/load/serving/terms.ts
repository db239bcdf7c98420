// A serving in words, for tables and for the terminal: what is not as it is by default. Pure.
import { type Serving, stockServing } from "./serving.ts";
import { type ServerSetting, serverSettings } from "./settings.ts";

export const thinkName = "server think time";

/** "20 ms", "as recorded": a word's or a switch's own, or that of a number. */
function termOf({ row }: ServerSetting, value: unknown): string {
  const number = typeof value === "object" && value !== null ? Object.values(value)[0] : undefined;
  return number === undefined
    ? (row[String(value)] ?? String(value))
    : (row.value ?? "{}").replace("{}", String(number));
}

/** Each setting of the origins with its value; the transports' are a table of their own. */
export function servingTerms(serving: Serving): [name: string, value: string][] {
  const servers = serverSettings.map((each): [string, string] => [
    each.row.name ?? each.name,
    termOf(each, serving[each.name]),
  ]);
  return [...servers, ["transports", serving.transport.preset]];
}

/** What is not as by default, in a line; "" where all is. */
export function servingLine(serving: Serving): string {
  const stock = new Map(servingTerms(stockServing));
  return servingTerms(serving)
    .filter(([name, value]) => stock.get(name) !== value)
    .map(([name, value]) => `${name}: ${value}`)
    .join("; ");
}
