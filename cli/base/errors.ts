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

/** Done, but with no answer: exit status 3. */
export class UndecidedError extends RunError {}

/** Ended by request before its work was done, and worth running again: exit status 75, sysexits.h's EX_TEMPFAIL. */
export class EndedEarlyError extends RunError {}
export const endedEarlyStatus = 75;

/** The disk is full: the same can be done again when there is room. */
export class NoRoomError extends RunError {}

/** Another process holds what is to be written: it can be written when that lets go. */
export class LockedError extends RunError {}

/** A piece of a package's bundle that was there when the command began: packages replace all of them. */
const isLostPiece = (error: Error): boolean =>
  "code" in error &&
  error.code === "ERR_MODULE_NOT_FOUND" &&
  "url" in error &&
  /\/build\/cli\/[\w-]+\.js$/.test(String(error.url));

/** One line and exit status for an error that names a thing the user can mend; null for a fault of ours. */
export function explain(error: unknown): { line: string; status: number } | null {
  if (error instanceof UserError) return { line: error.message, status: 2 };
  if (error instanceof UndecidedError) return { line: error.message, status: 3 };
  if (error instanceof EndedEarlyError) return { line: error.message, status: endedEarlyStatus };
  if (error instanceof RunError) return { line: error.message, status: 1 };
  if (error instanceof Error && isLostPiece(error))
    return {
      line: "Trilane was upgraded or removed while this ran: run the command again; what was measured is stored",
      status: endedEarlyStatus,
    };
  if (!(error instanceof Error) || !("syscall" in error)) return null;
  const { code, path, dest, syscall, message } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const where = path ? `${path}: ` : "";
  // A copy has no room for what it writes, not for what it reads.
  if (code === "ENOSPC")
    return {
      line: `${dest ? `${dest}: ` : where}no space left: free some, or name another folder with --home`,
      status: 1,
    };
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return {
      line: `${where}may not be written or read: correct its permissions, or name another file, or folder with --home`,
      status: 2,
    };
  if (path && (code === "ENOTDIR" || (code === "EEXIST" && syscall === "mkdir")))
    return { line: `${where}is not a folder: name another`, status: 2 };
  if (code === "ENOENT") return { line: `${where}no such file or folder: name another`, status: 2 };
  return { line: message, status: 1 };
}
