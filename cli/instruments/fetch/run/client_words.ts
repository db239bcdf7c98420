// The command line of trilane-fetch for one object, or for none, to see if it takes the rest, which a trial does before there
// is a sweep.

import { RunError, UserError } from "../../../base/errors.ts";
import { programPath } from "../../../base/programs.ts";
import { ProgramFailure, runProgram } from "../../../base/run_program.ts";
import { bareLane } from "../metrics/fetched.ts";
import { type FetchPlan, variantsOf } from "../plan/plan.ts";
import type { FetchVariant } from "../store/fetch_runs.ts";

export interface ClientRequest extends FetchVariant {
  readonly plan: FetchPlan;
  readonly object: string;
  /** Certificates to trust; null: the system's, or any where the plan verifies none. */
  readonly ca: string | null;
  /** Whether the host's HTTPS records are to be looked up. */
  readonly askHttpsRecord: boolean;
}

/** How long a connection may take to be established, within the object's time. */
export const connectTimeout_s = 10;

const orNothing = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [name, String(value)];

function optionWords({ plan, lane, tls, ip, ca, askHttpsRecord }: Omit<ClientRequest, "object">): string[] {
  const { connect, verify, follow, timeout_s, max_body_bytes, user_agent } = plan;
  return [
    programPath("trilane-fetch"),
    ...["--lane", bareLane(lane), "--ip", String(ip)],
    ...(tls === "1.3" ? [] : ["--tls", tls]),
    ...orNothing("--connect", connect),
    ...(verify ? orNothing("--ca", ca ?? undefined) : ["--insecure"]),
    ...(follow > 0 ? ["--follow", String(follow)] : []),
    ...["--timeout", String(timeout_s), "--connect-timeout", String(connectTimeout_s)],
    ...orNothing("--max-body", max_body_bytes),
    ...orNothing("--user-agent", user_agent),
    ...(askHttpsRecord ? [] : ["--no-https-record"]),
  ];
}

/** `qlogs`: a folder for those of QUIC connections; null: none are written. */
export const clientWords = (request: ClientRequest, qlogs: string | null): string[] => [
  ...optionWords(request),
  ...(qlogs === null ? [] : ["--qlog", qlogs]),
  request.object,
];

/** Of no object: the client says what it does not take, and ends. */
const trialWords = (request: Omit<ClientRequest, "object">): string[] => [
  ...optionWords(request),
  ...["--urls", "/dev/null"],
];

// Whether trilane-fetch takes what a plan says of its fetches, before there is a sweep: it alone knows what a user agent, an address or a
// file of certificates may be. It is started once, with no object.

/** `inLab`: its certificates are not the plan's. UserError with what the client says; RunError where it does not run at all. */
export async function tryClient(plan: FetchPlan, inLab: boolean): Promise<void> {
  const [variant] = variantsOf(plan);
  if (!variant) return;
  const trusting = inLab ? { ...plan, verify: false } : plan;
  const [program = "", ...words] = trialWords({
    ...{ plan: trusting, ...variant },
    ...{ ca: plan.ca ?? null, askHttpsRecord: false },
  });
  try {
    await runProgram(program, words, { timeout_ms: 10_000 });
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    const said = error.lastLine.replace(/^trilane-fetch: /, "") || error.message;
    throw error.status === 2 ? new UserError(said) : new RunError(said);
  }
}
