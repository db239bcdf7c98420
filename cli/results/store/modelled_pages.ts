// Which of a sweep's pages are modelled, for whoever names them: kept with the sweep, so that a report needs no archive. Pure.

import { isRecord, numberField, textField } from "../../base/json_fields.ts";
import type { Recording } from "../../recording/archive/archive.ts";
import { isModel } from "../../recording/archive/recording_source.ts";
import { environmentTexts } from "./sweep_recordings.ts";
import type { Environment } from "./sweep_rows.ts";

const keyPrefix = "modelled page ";

/** As the model's notes name them, and for a reader. */
const sources = {
  initiator: "the recorded initiators",
  referer: "Referer headers",
  timing: "the requests' timing",
} as const;

function sentenceOf({ name, notes }: Recording): string {
  const model = isRecord(notes.model) ? notes.model : {};
  const knownBy = isRecord(model.known_by) ? model.known_by : {};
  const known = Object.entries(sources).map(([how, words]) => ({ words, amount: numberField(knownBy, how) ?? 0 }));
  const all = known.reduce((sum, { amount }) => sum + amount, 0);
  const shares = known
    .filter(({ amount }) => amount > 0)
    .map(({ words, amount }) => `${words} (${Math.round((100 * amount) / all)} %)`);
  const order = shares.length === 0 ? "" : ` What requests what comes from ${shares.join(", ")}.`;
  const compute = textField(model, "compute");
  const computation =
    compute === "none"
      ? "Its scripts compute nothing"
      : `Its scripts spend their recorded computation by ${compute === "busy" ? "work" : "timers"}`;
  return `${name} is a modelled page in place of ${textField(model, "recording") ?? "a recording"}: the same hosts, requests and sizes, with made-up bodies that only request one another.${order} ${computation}.`;
}

/** For the sweep's environment. */
export function modelledEnvironment(recordings: Iterable<Recording>): Environment {
  return Object.fromEntries(
    [...recordings].filter(isModel).map((recording) => [`${keyPrefix}${recording.name}`, sentenceOf(recording)]),
  );
}

/** Of the sweep's modelled pages, what is to be said of each. */
export const modelledPages = ({ environment }: { environment: Environment }): ReadonlyMap<string, string> =>
  environmentTexts(environment, keyPrefix);
