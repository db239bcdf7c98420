// Which of a HAR's exchanges went over one connection: the producers' names for it. Pure.

import { numberField, textField } from "../../base/json_fields.ts";
import type { HarEntry } from "./har.ts";

/** HAR's own field may hold the server's port, as browsers write it: that distinguishes no connection from another. Null: not known. */
export function connectionOf({ raw, url }: HarEntry): string | number | null {
  const named = textField(raw, "connection");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return textField(raw, "_connectionId") ?? (named === port ? null : named) ?? numberField(raw, "_socket");
}
