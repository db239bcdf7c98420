// The process that runs a sweep or uses a folder, named so that its death can be seen, also after a restart of the machine
// or when its number has been given to another process. Reads /proc; stores nothing.
import { readFileSync, readlinkSync } from "node:fs";

export interface Owner {
  readonly pid: number;
  /** Clock ticks from boot to the process's start: distinguishes two processes that had the same number. */
  readonly start_ticks: string;
  readonly boot_id: string;
  /** Numbers of processes mean something only within one PID namespace (a container). */
  readonly pid_namespace: string;
}

/** Start time of a process, or null where there is none of that number. A zombie has ended. */
function startTicks(pid: number | "self"): string | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null;
  }
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, ticks] = [fields[0], fields[19]];
  return state === "Z" || state === "X" || ticks === undefined ? null : ticks;
}

function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

export function thisProcess(): Owner {
  return {
    pid: process.pid,
    start_ticks: startTicks("self") ?? "",
    boot_id: bootId(),
    pid_namespace: readlinkSync("/proc/self/ns/pid"),
  };
}

/**
 * What is known of an owner by its number. Of a process in another container on the same boot that does not say if it lives: of who runs a sweep, the locks
 * on its file do (cli/results/store/ended_owners.ts).
 */
export function stateOf(owner: Owner): "this" | "alive" | "dead" | "unknown" {
  const self = thisProcess();
  if (owner.boot_id !== self.boot_id) return "dead";
  if (owner.pid_namespace !== self.pid_namespace) return "unknown";
  if (owner.pid === self.pid && owner.start_ticks === self.start_ticks) return "this";
  // Somebody may have come into a namespace of his own and kept the /proc of the outer one, whose numbers are others.
  if (readlinkSync("/proc/self") !== String(self.pid)) return "unknown";
  return startTicks(owner.pid) === owner.start_ticks ? "alive" : "dead";
}

export function parseOwner(text: string): Owner {
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && "pid" in value && "start_ticks" in value) return value as Owner;
  throw new Error(`unreadable name of a process: ${text}`);
}
