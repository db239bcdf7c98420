// The command line of trilane-fetch for one object. Composes it; starts nothing.
import { programPath } from "../../base/programs.ts";
import type { FetchVariant } from "../../results/store/results.ts";
import type { FetchPlan } from "../plan/plan.ts";

export interface ClientRequest extends FetchVariant {
  readonly plan: FetchPlan;
  readonly object: string;
  /** Certificates to trust; null: the system's, or any where the plan verifies none. */
  readonly ca: string | null;
  /** Whether the host's HTTPS records are to be looked up. */
  readonly askHttpsRecord: boolean;
}

const orNothing = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [name, String(value)];

export function clientWords({ plan, object, lane, tls, ip, ca, askHttpsRecord }: ClientRequest): string[] {
  const { connect, verify, follow, timeout_s, max_body_bytes, user_agent } = plan;
  return [
    programPath("trilane-fetch"),
    ...["--lane", lane, "--ip", String(ip)],
    ...(tls === "1.3" ? [] : ["--tls", tls]),
    ...orNothing("--connect", connect),
    ...(verify ? orNothing("--ca", ca ?? undefined) : ["--insecure"]),
    ...(follow > 0 ? ["--follow", String(follow)] : []),
    ...["--timeout", String(timeout_s)],
    ...orNothing("--max-body", max_body_bytes),
    ...orNothing("--user-agent", user_agent),
    ...(askHttpsRecord ? [] : ["--no-https-record"]),
    object,
  ];
}
