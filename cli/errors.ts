// The two ways a command ends badly, each one line that names the thing and the remedy. Prints nothing itself.

/** Input that cannot be taken: exit status 2. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** A run that failed through no fault of the input: exit status 1. */
export class RunError extends Error {
  override readonly name = "RunError";
}
