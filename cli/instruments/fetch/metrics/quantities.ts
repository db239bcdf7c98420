// The numbers of one fetch that figures and tables show: metrics of its record as the registry has them, and what processors did for it. A
// number that there is not is null; the record says why. So are an object's if it did not come whole.
import { type FetchMetric, metrics } from "../../../registry/metrics.ts";
import type { Unit } from "../../../registry/units.ts";
import { metricOf } from "./fetch_metrics.ts";
import type { Fetched } from "./fetched.ts";

export interface QuantityFacts {
  readonly title: string;
  /** In sentences and on axes. */
  readonly noun: string;
  readonly meaning: string;
  readonly unit: Unit;
  /** Of what it is one number, apart from noise: a connection to the host, or the object. */
  readonly of: "host" | "object";
  readonly value: (fetched: Fetched) => number | null;
}

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/** CPU time of the client, ms. */
const clientCpu = ({ record }: Fetched): number | null => {
  const us = sum(record.cpu_user_us, record.cpu_system_us);
  return us === null ? null : us / 1000;
};

const serverCpu = ({ cost }: Fetched): number | null =>
  cost?.server ? (cost.server.cpu_user_us + cost.server.cpu_system_us) / 1000 : null;

/** The least that is worth dividing by: of a body of a kilobyte all cost is the connection's. */
const leastMegabytes = 0.1;

function perMegabyte({ record: { body_bytes: bytes } }: Fetched, value: number | null): number | null {
  return value === null || bytes === null || bytes < leastMegabytes * 1e6 ? null : value / (bytes / 1e6);
}

function cpuUse(fetched: Fetched): number | null {
  const [cpu_ms, { download_ms }] = [clientCpu(fetched), fetched.record];
  return cpu_ms === null || !download_ms ? null : cpu_ms / download_ms;
}

/** A metric of the record, as the registry has it. */
function ofRecord(
  name: FetchMetric,
  of: QuantityFacts["of"],
  noun: string,
  title: string = metrics.fetch[name].title,
): QuantityFacts {
  const { meaning, unit } = metrics.fetch[name];
  const heading = title.charAt(0).toUpperCase() + title.slice(1);
  return { title: heading, noun, meaning, unit, of, value: ({ record }) => metricOf(record, name) };
}

const facts = {
  dns_ms: ofRecord("dns_ms", "host", "name resolution"),
  connect_ms: ofRecord("connect_ms", "host", "connection"),
  tls_ms: ofRecord("tls_ms", "host", "TLS handshake"),
  established_ms: ofRecord("established_ms", "host", "connection establishment", "connection established"),
  first_byte_ms: ofRecord("first_byte_ms", "object", "time to first byte"),
  download_ms: ofRecord("download_ms", "object", "download time"),
  throughput_bps: ofRecord("throughput_bps", "object", "throughput"),
  rtt_min_ms: ofRecord("rtt_min_ms", "host", "least round trip", "least RTT"),
  certificate_bytes: ofRecord("certificate_bytes", "host", "certificate chain"),
  client_cpu_ms: {
    ...{ title: "CPU, client", noun: "CPU time of the client", unit: "ms", of: "object" },
    meaning: "User and system time of trilane-fetch for the object, from its name to its last byte.",
    value: clientCpu,
  },
  client_cpu_per_mb_ms: {
    ...{ title: "CPU per MB, client", noun: "CPU time of the client per MB", unit: "ms", of: "object" },
    meaning: "The same over the megabytes of the body; of bodies of 100 kB and more.",
    value: (fetched) => perMegabyte(fetched, clientCpu(fetched)),
  },
  client_cpu_use: {
    ...{ title: "CPU use, client", noun: "CPU use of the client", unit: "ratio", of: "object" },
    meaning: "Its CPU time over the download time: 1 is one CPU, all the time.",
    value: cpuUse,
  },
  client_switches: {
    ...{ title: "Context switches, client", noun: "context switches of the client", unit: "times", of: "object" },
    meaning: "Voluntary and involuntary.",
    value: ({ record }) => sum(record.context_switches_voluntary, record.context_switches_involuntary),
  },
  client_cycles: {
    ...{ title: "Cycles, client", noun: "cycles of the client", unit: "times", of: "object" },
    meaning: "Of the CPU, in user mode and in the kernel, where Linux lets a program count them.",
    value: ({ record }) => record.cycles,
  },
  server_cpu_ms: {
    ...{ title: "CPU, server", noun: "CPU time of the server", unit: "ms", of: "object" },
    meaning: "User and system time of trilane-replay while the object’s connection was open.",
    value: serverCpu,
  },
  server_cpu_per_mb_ms: {
    ...{ title: "CPU per MB, server", noun: "CPU time of the server per MB", unit: "ms", of: "object" },
    meaning: "The same over the megabytes of the body; of bodies of 100 kB and more.",
    value: (fetched) => perMegabyte(fetched, serverCpu(fetched)),
  },
  server_switches: {
    ...{ title: "Context switches, server", noun: "context switches of the server", unit: "times", of: "object" },
    meaning: "Voluntary and involuntary.",
    value: ({ cost }) =>
      cost?.server ? cost.server.context_switches_voluntary + cost.server.context_switches_involuntary : null,
  },
  server_cycles: {
    ...{ title: "Cycles, server", noun: "cycles of the server", unit: "times", of: "object" },
    meaning: "As of the client.",
    value: ({ cost }) => cost?.server?.cycles ?? null,
  },
} as const satisfies Readonly<Record<string, QuantityFacts>>;

export type Quantity = keyof typeof facts;

/** What was spent until an object failed is not what it costs: of a refused connection that is next to nothing. */
const ofWhole = (each: QuantityFacts): QuantityFacts =>
  each.of === "host"
    ? each
    : { ...each, value: (fetched) => (fetched.record.error === null ? each.value(fetched) : null) };

/** In the order in which people read them. */
export const quantities = Object.fromEntries(
  Object.entries(facts).map(([name, each]) => [name, ofWhole(each)]),
) as Readonly<Record<Quantity, QuantityFacts>>;
