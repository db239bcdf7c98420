// What strace wrote, and which connection of the server's report is an object's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serverCost } from "../../../../../cli/instruments/fetch/run/fetch_cost.ts";
import { straceSummary } from "../../../../../cli/instruments/fetch/run/strace.ts";

const table = `% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 99.00    9.900000     4950000         2         1 wait4
 76.90    0.012300          15       812        12 recvmsg
 17.30    0.002768           9       300           epoll_wait
  4.80    0.000768          12        64           sendmsg
  0.00    0.000000           0         3           read
  0.00    0.000000           0         7         7 openat
------ ----------- ----------- --------- --------- ----------------
100.00    0.015836           0      1186        19 total
`;

test("calls with their times, the costliest first, without the total", () => {
  const calls = straceSummary(table);
  assert.deepEqual(calls?.slice(0, 2), [
    { name: "recvmsg", calls: 812, errors: 12, seconds: 0.0123 },
    { name: "epoll_wait", calls: 300, errors: 0, seconds: 0.002768 },
  ]);
  assert.deepEqual(
    calls?.map(({ name }) => name),
    ["recvmsg", "epoll_wait", "sendmsg", "openat", "read"],
  );
  assert.equal(calls?.find(({ name }) => name === "openat")?.errors, 7);
});

test("what the traced program printed before it is none of it, and text without a table is none", () => {
  assert.equal(straceSummary(`9.9 0.1 1 2 lies\n${table}`)?.length, 5);
  assert.equal(straceSummary(""), null);
  assert.equal(straceSummary("strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted\n"), null);
});

const cost = (cpu_user_us: number) => ({
  ...{ cpu_user_us, cpu_system_us: 1, context_switches_voluntary: 1, context_switches_involuntary: 0 },
  ...{ cycles: null, cycles_missing: "none" },
});
const connection = (lane: "h1" | "h2" | "h3", opened_ns: number, cpu: number) => ({
  ...{ lane, local_address: "192.0.2.1", local_port: 443, opened_ns, cost: cost(cpu) },
});

test("the object's connection is the first after it began: not the one that got the ticket", () => {
  const connections = [
    connection("h3", 100, 1),
    connection("h2", 205, 2),
    connection("h3", 210, 3),
    connection("h3", 300, 4),
  ];
  const found = serverCost(connections, { start_ns: 200, lane: "h3-0rtt", reused: false });
  assert.deepEqual(found, { cost: cost(3) });
  assert.deepEqual(serverCost(connections, { start_ns: 200, lane: "h2", reused: false }), { cost: cost(2) });
});

test("without a connection there is a reason", () => {
  assert.match(JSON.stringify(serverCost([], { start_ns: 1, lane: "h1", reused: false })), /no connection for it/);
  assert.match(
    JSON.stringify(serverCost([], { start_ns: null, lane: "h1", reused: false })),
    /no connection was begun/,
  );
  assert.match(
    JSON.stringify(serverCost([connection("h1", 2, 1)], { start_ns: 1, lane: "h1", reused: true })),
    /others/,
  );
  const { cost: _, ...silent } = connection("h1", 2, 1);
  assert.match(JSON.stringify(serverCost([silent], { start_ns: 1, lane: "h1", reused: false })), /did not say/);
});
