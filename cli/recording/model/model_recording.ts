// From a recording in the archive to its model, a recording of its own: reads the exchanges, writes the model's. Bodies that
// stay are not copied. What a model is made of is model_page.ts's.
import { imageSize } from "image-size";
import { UserError } from "../../base/errors.ts";
import type { Archive, ArchivedExchange, JsonObject, Recording } from "../archive/archive.ts";
import { isModel, modelPrefix } from "../archive/recording_source.ts";
import { contentEncoding } from "../fill/content_encoding.ts";
import type { Dimensions } from "../fill/jpeg.ts";
import type { Compute } from "./compute_option.ts";
import { refuseDeadEnd } from "./dead_end.ts";
import { type ModelFacts, modelPage } from "./model_page.ts";
import { headerOf } from "./model_request.ts";

// How large a picture is, by its own first bytes: a browser asks for what is large and in sight first, and over HTTP/1.1 the
// order is what decides how six connections are used. Reads bodies from the archive; lays nothing out.

/** Headers, profiles and thumbnails stand before a JPEG's frame. */
const head_bytes = 256 * 1024;

/** In CSS pixels as if a page named no others; null: no picture that is known. */
function dimensionsOf(head: Uint8Array): Dimensions | null {
  try {
    const { width, height } = imageSize(head);
    return width > 0 && height > 0 ? { width: Math.round(width), height: Math.round(height) } : null;
  } catch {
    // Cut off, or of no format that it knows.
    return null;
  }
}

async function headOf(archive: Archive, sha256: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of archive.body(sha256)) {
    pieces.push(piece);
    length += piece.length;
    if (length >= head_bytes) break;
  }
  return Buffer.concat(pieces);
}

/** By place among the exchanges. */
async function imageDimensions(
  archive: Archive,
  exchanges: readonly ArchivedExchange[],
): Promise<Map<number, Dimensions>> {
  const found = new Map<number, Dimensions>();
  for (const [index, { response_headers, body_sha256, body_size }] of exchanges.entries()) {
    const type = headerOf(response_headers, "content-type") ?? "";
    if (body_sha256 === null || body_size === 0 || !/^\s*image\//i.test(type)) continue;
    if (contentEncoding(headerOf(response_headers, "content-encoding") ?? "") !== null) continue;
    const dimensions = dimensionsOf(await headOf(archive, body_sha256));
    if (dimensions) found.set(index, dimensions);
  }
  return found;
}

interface ModelRequested {
  /** The recording's name. */
  readonly name: string;
  /** What to call the model; default: modelName(). */
  readonly as?: string | undefined;
  readonly compute: Compute;
  readonly replace: boolean;
  /** Keys (requestKey) of what a load of an earlier model did not ask for. */
  readonly direct?: ReadonlySet<string>;
}

/** Raise it whenever the same recording would give another model. */
const modelVersion = 7;

const longestName = 100;

export function modelName(name: string, compute: Compute): string {
  const ending = compute === "timer" ? "-model" : `-model-${compute}`;
  return `${name.slice(0, longestName - ending.length)}${ending}`;
}

/** When its load event came, in the exchanges' time; null: not known. */
export function loadEventOf({ notes }: Pick<Recording, "notes">): number | null {
  const { load_event_ms } = notes;
  return typeof load_event_ms === "number" ? load_event_ms : null;
}

async function requestBodiesOf(archive: Archive, exchanges: readonly ArchivedExchange[]): Promise<Map<number, Buffer>> {
  const bodies = new Map<number, Buffer>();
  for (const [index, { request_body_sha256 }] of exchanges.entries()) {
    if (request_body_sha256 === null) continue;
    const pieces: Buffer[] = [];
    for await (const piece of archive.body(request_body_sha256)) pieces.push(piece);
    bodies.set(index, Buffer.concat(pieces));
  }
  return bodies;
}

interface ModelNotes {
  readonly of: string;
  readonly compute: Compute;
  readonly version: number;
}

function madeFrom({ digest }: Recording, compute: Compute): ModelNotes {
  return { of: digest, compute, version: modelVersion };
}

/** Whether the model was made of the very recording, in the same way. */
function isCurrent(model: Recording, recording: Recording, compute: Compute): boolean {
  const wanted = madeFrom(recording, compute);
  const noted = model.notes.model;
  if (typeof noted !== "object" || noted === null || Array.isArray(noted)) return false;
  const facts = noted as JsonObject;
  return facts.of === wanted.of && facts.compute === compute && facts.version === modelVersion;
}

export interface Modelled {
  readonly recording: Recording;
  readonly facts: ModelFacts;
}

/** UserError for a model of a model, for what has no page to model, and where the name is taken and `replace` is not wanted. */
export async function modelRecording(archive: Archive, wanted: ModelRequested): Promise<Modelled> {
  const detail = await archive.show(wanted.name);
  const { recording, exchanges } = detail;
  if (isModel(recording))
    throw new UserError(`recording ${wanted.name} is a model itself: name the recording it is of`);
  if (exchanges.length === 0) throw new UserError(`recording ${wanted.name} has no exchange to model`);
  refuseDeadEnd(detail);
  const { compute, replace, direct } = wanted;
  const load_ms = loadEventOf(recording);
  const requestBodies = await requestBodiesOf(archive, exchanges);
  const images = await imageDimensions(archive, exchanges);
  const page = modelPage({ url: recording.url, exchanges, load_ms, compute, requestBodies, images, direct });
  // How requests failed and when the load event came is true of the model too.
  const { failed_urls, failures, load_event_ms } = recording.notes;
  const notes: JsonObject = {
    ...(failed_urls === undefined ? {} : { failed_urls }),
    ...(failures === undefined ? {} : { failures }),
    ...(load_event_ms === undefined ? {} : { load_event_ms }),
    model: { ...madeFrom(recording, compute), recording: recording.name, ...page.facts },
  };
  const written = await archive.write(
    {
      name: wanted.as ?? modelName(wanted.name, compute),
      url: recording.url,
      source: `${modelPrefix}${recording.name} (${recording.source})`,
      notes,
      replace,
    },
    async (writer) => {
      for (const { index, exchange, body } of page.exchanges) {
        const recorded = exchanges[index];
        const kept = recorded?.body_sha256 ?? null;
        const request = recorded?.request_body_sha256 ?? null;
        await writer.add({
          exchange,
          ...(body ? { body } : kept !== null ? { body: { sha256: kept } } : {}),
          ...(request !== null ? { requestBody: { sha256: request } } : {}),
        });
      }
    },
  );
  return { recording: written, facts: page.facts };
}

/** The recording's model: the one in the archive, where it is still of this recording, or a new one. */
export async function ensureModel(archive: Archive, name: string, compute: Compute): Promise<Recording> {
  const recordings = await archive.list();
  const recording = recordings.find((each) => each.name === name);
  if (!recording) throw new UserError(`no recording is called ${name}`);
  const as = modelName(name, compute);
  const before = recordings.find((each) => each.name === as);
  if (before && isCurrent(before, recording, compute)) return before;
  if (before && !isModel(before))
    throw new UserError(`recording ${as} is no model of ${name}: rename or remove it, the model is to have its name`);
  return (await modelRecording(archive, { name, compute, replace: before !== undefined })).recording;
}
