// Whether a profile in JSON says just what its short form does: what the form would drop or replace is named, with its
// place, instead of being taken for something else. Pure.
import { type LinkProfile, refuse } from "./link.ts";

type Json = unknown;

function isObject(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What one read of the files alone would tell, and the sums, which the form does not have. */
function withoutFigures(profile: LinkProfile): Json {
  const direction = ({ trace, jitter, loss_model, ...rest }: LinkProfile["down"]): Json => {
    const isLossFile = loss_model !== undefined && "file" in loss_model;
    return {
      ...rest,
      ...(trace ? { rate_bps: null, trace: { ...trace, sha256: undefined } } : {}),
      ...(jitter ? { jitter: "file" in jitter ? { file: jitter.file } : jitter } : {}),
      ...(loss_model ? { loss_model: isLossFile ? { file: loss_model.file } : loss_model } : {}),
      ...(isLossFile ? { loss: 0 } : {}),
    };
  };
  const { switch: other } = profile;
  const link = other ? { ...other.link, down: direction(other.link.down), up: direction(other.link.up) } : undefined;
  return {
    ...profile,
    down: direction(profile.down),
    up: direction(profile.up),
    ...(other ? { switch: { ...other, link } } : {}),
  };
}

/** Times are whole nanoseconds; what is computed, as a third of something, has 12 digits. */
function isSameNumber(key: string, a: number, b: number): boolean {
  const isTime = key === "ms" || key.endsWith("_ms");
  // Each way is rounded, up to the half of a whole round trip.
  if (isTime && a > 0 && b > 0 && Math.abs(a - b) <= 2e-6) return true;
  return a.toPrecision(12) === b.toPrecision(12);
}

const shown = (value: Json): string => (isObject(value) || Array.isArray(value) ? "something else" : String(value));

function compare(place: string, key: string, said: Json, meant: Json): void {
  if (typeof said === "number" && typeof meant === "number" && isSameNumber(key, said, meant)) return;
  if (said === meant) return;
  if (meant === undefined) throw refuse(`${place} does not go with the rest, or says nothing: take it out`);
  const below = place === "" ? "" : `${place}.`;
  if (Array.isArray(said) && Array.isArray(meant)) {
    said.forEach((value, index) => {
      compare(`${place}[${index}]`, key, value, meant[index]);
    });
  } else if (isObject(said) && isObject(meant)) {
    for (const name of Object.keys(said)) compare(`${below}${name}`, name, said[name], meant[name]);
  } else {
    throw refuse(`${place} is ${shown(said)}, but from the rest follows ${shown(meant)}: correct it`);
  }
}

/** UserError with the place in `said` that its form, read as `meant`, says otherwise. */
export function refuseContradictions(said: LinkProfile, meant: LinkProfile): void {
  for (const side of ["down", "up"] as const) {
    const { rate_steps, delay_steps } = said[side];
    for (const [name, steps] of Object.entries({ rate_steps, delay_steps })) {
      const at_ms = steps?.[0].at_ms ?? 0;
      if (at_ms !== 0) throw refuse(`${side}.${name}[0].at_ms is ${at_ms}: the first step is at 0`);
    }
  }
  compare("", "", withoutFigures(said), withoutFigures(meant));
}
