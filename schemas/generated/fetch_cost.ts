// Generated from ../fetch-cost.schema.json by `npm run generate`: change the schema instead.

/**
 * As strace counts them, the one with the most time first.
 */
export type SystemCalls = SystemCall[];
/**
 * What one fetched object cost beside what trilane-fetch says itself (schemas/fetch-record.schema.json): the server's share, where the server is a lab's, and system calls, where they were counted. Of what is null `unavailable` has the reason, by its name.
 */
export interface FetchCost {
  schema: "trilane/fetch-cost/1";
  /**
   * trilane-replay, while the object's connection was open.
   */
  server: ProcessCost | null;
  /**
   * Of all of trilane-fetch, its start and end included.
   */
  client_calls: SystemCalls | null;
  /**
   * Of all of trilane-replay, its start and end included; not of what runs in its lab.
   */
  server_calls: SystemCalls | null;
  unavailable: {
    [k: string]: string;
  };
}
/**
 * CPU time and context switches as getrusage counts them.
 */
export interface ProcessCost {
  cpu_user_us: number;
  cpu_system_us: number;
  context_switches_voluntary: number;
  context_switches_involuntary: number;
  /**
   * Of the CPU, in user mode and in the kernel, where Linux lets it count them (perf_event_open).
   */
  cycles: number | null;
  /**
   * Why there are none.
   */
  cycles_missing: string | null;
}
export interface SystemCall {
  name: string;
  calls: number;
  errors: number;
  /**
   * CPU time in the kernel, to microseconds.
   */
  seconds: number;
}
