// An error that a person can do something about: a stable code, what happened, and the remedy. Everything that the
// service worker answers with `ok: false` is one.
import type { ErrorCode, Failure } from "../actions.ts";

export class FailureError extends Error {
  override readonly name = "FailureError";
  readonly failure: Failure;

  constructor(code: ErrorCode | (string & {}), message: string, remedy: string) {
    super(message);
    this.failure = { code, message, remedy };
  }
}

/** What to answer for whatever was thrown. */
export function failureOf(error: unknown): Failure {
  if (error instanceof FailureError) return error.failure;
  if (error instanceof DOMException && error.name === "QuotaExceededError")
    return {
      code: "history-full",
      message: "The browser has no space left for Trilane's history.",
      remedy: "Remove profiles or races from the history, or free space on the disk.",
    };
  if (error instanceof DOMException && error.name === "VersionError")
    return {
      code: "history-newer",
      message: "The history was written by a newer Trilane.",
      remedy: "Update the extension.",
    };
  return {
    code: "failed",
    message: error instanceof Error ? error.message : String(error),
    remedy: "Try again; if it fails again, reload the extension.",
  };
}
