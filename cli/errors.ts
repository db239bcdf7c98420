// The ways a command ends badly, each one line that names the thing and the remedy. Prints nothing itself.

/** Input that cannot be taken: exit status 2. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** A recording's name is taken. */
export class NameTakenError extends UserError {}

/** A run that failed through no fault of the input: exit status 1. */
export class RunError extends Error {
  override readonly name = "RunError";
}

/** Asked to end before its work was done, and worth running again: exit status 75, sysexits.h's EX_TEMPFAIL. */
export class EndedEarlyError extends RunError {}
export const endedEarlyStatus = 75;

/** The disk is full: what was asked for can be asked for again when there is room. */
export class NoRoomError extends RunError {}

/** Another process holds what is to be written: it can be written when that lets go. */
export class LockedError extends RunError {}
