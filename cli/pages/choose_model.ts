// Whether a page is raced as it was recorded or as a model of it (`--as`): decides, says so in one line, and has the model
// made. Which bodies a recording lacks is counted here; whether its loads count is a trial load's to say, which the caller
// makes; what a model is made of is model_page.ts's.

import { withoutFragment } from "../../extension/capture/url_without_credentials.ts";
import type { PlanPage } from "../../schemas/generated/sweep_plan.ts";
import { UserError } from "../base/errors.ts";
import { shellWord } from "../base/shell_word.ts";
import { cachedBeforeIn } from "../browser/device.ts";
import { isCoverageReason } from "../load/metrics/coverage.ts";
import type { Archive, ArchivedExchange, Recording, RecordingDetail } from "../recording/archive/archive.ts";
import { withArchive } from "../recording/archive/client.ts";
import { isModel, isSynthetic } from "../recording/archive/recording_source.ts";
import type { Compute } from "../recording/model/compute_option.ts";
import { refuseCircle, refuseDeadEnd } from "../recording/model/dead_end.ts";
import { ensureModel, loadEventOf, modelRecording } from "../recording/model/model_recording.ts";
import { modelRequest } from "../recording/model/model_request.ts";
import { ensureSynth } from "../recording/synth/synthetic.ts";
import { type As, asChoices } from "../sweep/plan/as_option.ts";
import type { ModelFinding } from "../sweep/plan/model_trial.ts";
import type { TrialFinding } from "./trial_finding.ts";

interface BodyCount {
  /** Responses before the load event that have a body. */
  readonly responses: number;
  /** Those whose body the recording does not have, or has only in part. */
  readonly missing: number;
  /** Documents, scripts and stylesheets among the responses: what makes a page ask for the rest. */
  readonly askers: number;
  readonly missingAskers: number;
  readonly hasDocument: boolean;
}

const isMissing = ({ body_origin, recorded }: ArchivedExchange): boolean =>
  body_origin === "filled" || recorded.cut_off === true;

function countBodies({ recording, exchanges }: RecordingDetail): BodyCount {
  const load_ms = loadEventOf(recording);
  const start = withoutFragment(recording.url);
  const counted = exchanges
    .map((exchange, index) => ({ exchange, request: modelRequest(exchange, index) }))
    .filter(
      ({ exchange, request: { sent_ms } }) =>
        exchange.body_size > 0 && exchange.status < 300 && (load_ms === null || sent_ms === null || sent_ms < load_ms),
    );
  const missing = counted.filter(({ exchange }) => isMissing(exchange));
  const asks = ({ request: { kind } }: (typeof counted)[number]): boolean =>
    kind === "document" || kind === "script" || kind === "stylesheet";
  const document =
    counted.find(({ request: { kind, url } }) => kind === "document" && url === start) ??
    counted.find(({ request: { kind } }) => kind === "document");
  return {
    responses: counted.length,
    missing: missing.length,
    askers: counted.filter(asks).length,
    missingAskers: missing.filter(asks).length,
    hasDocument: document === undefined || !isMissing(document.exchange),
  };
}

/** Without its document, or with next to nothing that asks, no load can be one of the page: a trial would be wasted. */
const missingShareTooHigh = 0.9;

const cannotCount = ({ askers, missingAskers, hasDocument }: BodyCount): boolean =>
  !hasDocument || (missingAskers > 0 && missingAskers >= missingShareTooHigh * askers);

/** What a warm cache answered without an entry is in no file. */
const coldAdvice = "its browser had a warm cache: to race it as recorded, export the HAR again with the cache disabled";

/** Requests of a model's that one line names. */
const mostNamed = 3;

/** So much of a page may be requested by what is missing, as a load may lack of its recording; with more only a trial can tell. */
const bearableShare = 0.05;

const lacksAskers = ({ responses, missingAskers }: BodyCount): boolean => missingAskers > bearableShare * responses;

const missingWords = ({ responses, missing }: BodyCount): string =>
  `bodies are missing or cut off for ${missing} of ${responses} responses`;

/** Why a recording cannot be raced as recorded, whatever a trial load would show; null: it may be. */
export function recordedRefusal(detail: RecordingDetail): string | null {
  const bodies = countBodies(detail);
  const { name } = detail.recording;
  return cannotCount(bodies)
    ? `${name}: ${missingWords(bodies)}: it cannot be raced as recorded, use --as model`
    : null;
}

export interface ModelChoice {
  /** undefined: as `trilane import --as` said, else auto. */
  readonly as: As | undefined;
  readonly compute: Compute;
  /** Absent: nothing is tried, and what lacks bodies that ask for more is taken for what does not count. */
  readonly trial?: (home: string, recording: Recording) => Promise<TrialFinding>;
  /** Absent: a model is loaded as it was made. */
  readonly modelTrial?: (home: string, model: Recording) => Promise<ModelFinding>;
  /** Given the line that says what is raced in a page's place. */
  readonly say: (line: string) => void;
}

const notedAs = ({ notes }: Recording): As | undefined => asChoices.find((known) => known === notes.as);

/** Why its loads would not count; null: nothing says so. */
async function whyNotRecorded(
  home: string,
  detail: RecordingDetail,
  trial: ModelChoice["trial"],
): Promise<string | null> {
  const bodies = countBodies(detail);
  const words = missingWords(bodies);
  if (cannotCount(bodies)) return words;
  if (!trial) return lacksAskers(bodies) ? words : null;
  const { outside, failure } = await trial(home, detail.recording);
  const [reason] = outside;
  if (reason !== undefined) return isCoverageReason(reason) ? `as recorded it ${reason}` : `as recorded, ${reason}`;
  // Of a page that has what it asks with, a failed trial says nothing: its loads say it themselves.
  return failure !== null && lacksAskers(bodies) ? `${words}, and a trial load failed (${failure})` : null;
}

/**
 * The recording's model, of which a load asks for all its requests: what a load of the first one misses is fetched by the page's own
 * script in the second. UserError if that does not help.
 */
async function triedModel(archive: Archive, home: string, of: Recording, choice: ModelChoice): Promise<Recording> {
  const { compute, modelTrial } = choice;
  const { name, url } = of;
  const model = await ensureModel(archive, name, compute);
  if (!modelTrial) return model;
  const first = await modelTrial(home, model);
  const direct = new Set(first.missed.map(({ key }) => key));
  const mended =
    direct.size === 0 ? model : (await modelRecording(archive, { name, compute, replace: true, direct })).recording;
  const found = mended === model ? first : await modelTrial(home, mended);
  if (found.missed.length === 0 && found.reason === null) return mended;
  const urls = found.missed.map((each) => each.url);
  const more = urls.length > mostNamed ? ` and ${urls.length - mostNamed} more` : "";
  const what =
    urls.length > 0
      ? `does not ask for ${urls.slice(0, mostNamed).join(", ")}${more}`
      : `of it is not valid: ${found.reason}`;
  throw new UserError(
    `${name}: no model of it can be loaded: a load ${what}: record the page live with \`trilane record ${shellWord(url)}\``,
  );
}

/** The page, or the model to take its place. UserError where it is to be raced as recorded and cannot be. */
export async function chosenPage(home: string, page: PlanPage, choice: ModelChoice): Promise<PlanPage> {
  const { trial, say } = choice;
  // What Trilane made is whole.
  if (typeof page !== "string" && choice.as !== "model") return page;
  return await withArchive(home, async (archive) => {
    const name = typeof page === "string" ? page : (await ensureSynth(archive, page.synth)).name;
    const recording = (await archive.list()).find((each) => each.name === name);
    // What is not there is named where the pages are made ready.
    if (!recording || isModel(recording)) return page;
    const as = choice.as ?? notedAs(recording) ?? "auto";
    if (as !== "model" && isSynthetic(recording)) return page;
    const detail = await archive.show(name);
    refuseCircle(detail);
    const why = as === "model" ? null : await whyNotRecorded(home, detail, trial);
    if (as !== "model" && why === null) {
      const bodies = countBodies(detail);
      if (as === "auto" && trial && lacksAskers(bodies))
        say(`${name}: ${missingWords(bodies)}, but a trial load asks for the rest: racing it as recorded`);
      return page;
    }
    refuseDeadEnd(detail);
    if (as === "recorded") throw new UserError(`${name}: ${why}: it cannot be raced as recorded, use --as model`);
    const model = await triedModel(archive, home, recording, choice);
    const warm = why !== null && cachedBeforeIn(recording.notes) > 0 ? `; ${coldAdvice}` : "";
    say(`${name}: ${why === null ? "" : `${why}: `}racing a modelled page, ${model.name}${warm}`);
    return model.name;
  });
}
