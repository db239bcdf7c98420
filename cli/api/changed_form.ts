// A link's short form with some of its settings changed, as text: `10mbit/50ms` and { down: "1mbit" }. The language itself is
// trilane-shaper's; this only knows which settings are halves of others. Reads no file and checks nothing.
import type { LinkChange } from "./types.d.ts";

/** A setting of both directions replaces those of one. */
const halves: Readonly<Record<string, readonly string[]>> = {
  rate: ["down", "up"],
  rtt: ["delay_down", "delay_up"],
};

const halvesOf = (key: string): readonly string[] => halves[key] ?? [`${key}_down`, `${key}_up`];

export function changedForm(form: string, change: LinkChange): string {
  const parts = form.split(",");
  // RATE/RTT, or a name.
  const [first = ""] = parts;
  const base = first.includes("=") ? [] : [first];
  const settings = new Map(
    parts.slice(base.length).map((part) => {
      const at = part.indexOf("=");
      return [part.slice(0, at), part.slice(at + 1)];
    }),
  );
  for (const [key, value] of Object.entries(change)) {
    for (const half of halvesOf(key)) settings.delete(half);
    settings.set(key, value);
  }
  return [...base, ...[...settings].map(([key, value]) => `${key}=${value}`)].join(",");
}
