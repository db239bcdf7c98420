// Whether a page is raced as it was recorded or as a model of it (`--as`): decides, says so in one line, and has the model
// made. Which bodies a recording lacks is counted here; what a model is made of is model_page.ts's.
import type { Argv } from "yargs";
import type { PlanPage } from "../../schemas/generated/sweep_plan.ts";
import type { ArchivedExchange, Recording, RecordingDetail } from "../archive/archive.ts";
import { withArchive } from "../archive/client.ts";
import { UserError } from "../errors.ts";
import { ensureSynth } from "../synth/ensure.ts";
import { type ComputeOptions, defineCompute } from "./compute_option.ts";
import { ensureModel, isModel, loadEventOf } from "./model_recording.ts";
import { modelRequest, withoutFragment } from "./model_request.ts";
import type { Compute } from "./script_source.ts";

export const asChoices = ["auto", "recorded", "model"] as const;
export type As = (typeof asChoices)[number];

export interface AsOptions extends ComputeOptions {
  as: string | undefined;
}

export function defineAs<Options>(yargs: Argv<Options>): Argv<Options & AsOptions> {
  return defineCompute(
    yargs.option("as", {
      type: "string",
      describe:
        "recorded: the recorded bodies; model: a page of the same shape; auto (default): a model where bodies are missing, or a trial load asks for too little or too much",
    }),
  ) as unknown as Argv<Options & AsOptions>;
}

export function readAs(given: string): As {
  const as = asChoices.find((known) => known === given);
  if (as) return as;
  throw new UserError(`--as must be one of ${asChoices.join(", ")} (got ${JSON.stringify(given)})`);
}

export interface BodyCount {
  /** Responses before the load event that have a body. */
  readonly responses: number;
  /** Those whose body the recording does not have, or has only in part. */
  readonly missing: number;
  /** Documents, scripts and stylesheets among them: without these a page does not ask for what it asked for. */
  readonly askers: number;
  readonly hasDocument: boolean;
}

const isMissing = ({ body_origin, recorded }: ArchivedExchange): boolean =>
  body_origin === "filled" || recorded.cut_off === true;

export function countBodies({ recording, exchanges }: RecordingDetail): BodyCount {
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
    askers: missing.filter(asks).length,
    hasDocument: document === undefined || !isMissing(document.exchange),
  };
}

/** So much of a page may be asked for by what is missing, as a load may lack of its recording. */
const bearableShare = 0.05;

const needsModel = ({ responses, askers, hasDocument }: BodyCount): boolean =>
  !hasDocument || askers > bearableShare * responses;

const missingWords = ({ responses, missing }: BodyCount): string =>
  `bodies are missing or cut off for ${missing} of ${responses} responses`;

export interface ModelChoice {
  readonly as: As;
  readonly compute: Compute;
  /** Why loads of a recording that has its bodies would not count for what they ask for; empty: they would. Absent: not tried. */
  readonly outside?: (home: string, recording: Recording) => Promise<readonly string[]>;
  /** Given the line that says what is raced in a page's place. */
  readonly say: (line: string) => void;
}

/** The page, or the model to take its place. UserError where it is to be raced as recorded and cannot be. */
export async function chosenPage(
  home: string,
  page: PlanPage,
  { as, compute, outside, say }: ModelChoice,
): Promise<PlanPage> {
  // What Trilane made is whole.
  if (typeof page !== "string" && as !== "model") return page;
  return await withArchive(home, async (archive) => {
    const name = typeof page === "string" ? page : (await ensureSynth(archive, page.synth)).name;
    const recording = (await archive.list()).find((each) => each.name === name);
    // What is not there is named where the pages are made ready.
    if (!recording || isModel(recording)) return page;
    if (as !== "model" && recording.source.startsWith("synth: ")) return page;
    const bodies = countBodies(await archive.show(name));
    const isNeeded = needsModel(bodies);
    if (as === "recorded" && isNeeded)
      throw new UserError(`${name}: ${missingWords(bodies)}: it cannot be raced as recorded, use --as model`);
    if (as === "recorded") return page;
    const [missed] = as === "auto" && !isNeeded ? ((await outside?.(home, recording)) ?? []) : [];
    if (as === "auto" && !isNeeded && missed === undefined) return page;
    const model = await ensureModel(archive, name, compute);
    const why = isNeeded ? `${missingWords(bodies)}: ` : missed === undefined ? "" : `as recorded it ${missed}: `;
    say(`${name}: ${why}racing a modelled page, ${model.name}${isNeeded ? " (--as recorded refuses)" : ""}`);
    return model.name;
  });
}
