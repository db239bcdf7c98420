// How trilane-host is, and what it says of this machine: its version, links, doctor.

import type { Links } from "../../schemas/generated/links.ts";
import type { HostState } from "../actions.ts";
import { FailureError, failureOf } from "./failure.ts";
import { askHost, messageSchema } from "./native_port.ts";

const helloTimeout_ms = 10_000;
const commandTimeout_ms = 120_000;
const needed = ["links", "profile", "race"] as const;

/** FailureError where it is not one that this extension can talk to. */
export async function greetHost(): Promise<{ version: string; features: string[] }> {
  const { version, schema, features } = await askHost("hello", {}, { timeout_ms: helloTimeout_ms });
  const known = Array.isArray(features) ? features.filter((each): each is string => typeof each === "string") : [];
  const name = typeof version === "string" ? version : "of an unknown version";
  const missing = needed.filter((feature) => !known.includes(feature));
  if (schema !== messageSchema || missing.length > 0)
    throw new FailureError(
      "host-version",
      `Trilane's helper is ${name}, and this extension ${TRILANE_VERSION} cannot work with it.`,
      "Update both to the same version: in Trilane's folder run `npm run setup`, then reload the extension.",
    );
  return { version: name, features: known };
}

export async function hostState(): Promise<HostState> {
  try {
    return { state: "ready", ...(await greetHost()) };
  } catch (error) {
    const failure = failureOf(error);
    const isMissing = failure.code === "host-missing" || failure.code === "host-permission";
    return { state: isMissing ? "missing" : failure.code === "host-version" ? "other-version" : "failed", ...failure };
  }
}

export async function hostLinks(): Promise<Links["links"]> {
  const { result } = await askHost("links", {}, { timeout_ms: commandTimeout_ms });
  const { links } = (result ?? {}) as Partial<Links>;
  if (!Array.isArray(links))
    throw new FailureError("host-garbage", "Trilane's helper lists no links.", "Run `cli/trilane install-host` again.");
  return links;
}

export async function hostDoctor(): Promise<unknown> {
  return (await askHost("doctor", {}, { timeout_ms: commandTimeout_ms })).result;
}
