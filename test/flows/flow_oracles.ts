// The same flows by programs that are not ours: iperf3 for TCP (both ends), aioquic for QUIC (the client), ngtcp2 for QUIC (both ends).
// What they measure, in bit/s at the receiver's application. Compares nothing.
import { spawnSync } from "node:child_process";
import { mkdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../cli/base/errors.ts";
import { programPath } from "../../cli/base/programs.ts";
import { flow, output, runFlowLab } from "./flow_lab.ts";

/** How long to send, and how much of that at the beginning not to count. */
export interface Spans {
  readonly seconds: number;
  readonly skipped_s: number;
}

function demand(program: string, words: readonly string[], remedy: string): void {
  if (spawnSync(program, words, { stdio: "ignore" }).status !== 0) throw new UserError(`no ${program} here: ${remedy}`);
}

/** Until a server of QUIC is there: a client has no answer before, nor a refusal that would say so. */
export const onUdp443 = `until grep -q ":01BB " /proc/net/udp; do kill -0 $! || exit 1; sleep 0.02; done; `;

/** `far` in a network of its own, and behind the link from it, once it is `there`, `near`: shell commands. */
export async function behindLink(link: string, far: string, near: string, there = ""): Promise<string> {
  const script = `${far} & trap "kill $!" EXIT; ${there}TRILANE_LAB=$(readlink /proc/self/ns/net) "$0" --link "$1" -- sh -c "$2"`;
  const lab = ["unshare", "-U", "--map-user=1000", "--map-group=1000", "-n", "--keep-caps", "bash", "-c", script];
  return await output([...lab, programPath("trilane-shaper"), link, near]);
}

/** A server in a new network is there when its port answers; clients of TCP are refused until then. */
const whenReady = (command: string): string => `for i in $(seq 100); do ${command} && exit; sleep 0.2; done; exit 1`;

interface IperfReport {
  readonly end: { readonly sum_received: { readonly bits_per_second: number } };
}

/** One TCP flow downwards. */
export async function iperf3Goodput_bps(
  link: string,
  congestion: string,
  { seconds, skipped_s }: Spans,
): Promise<number> {
  demand("iperf3", ["--version"], "install it: apt install iperf3");
  const client = `iperf3 -c 100.64.0.1 -R -J -C ${congestion} -O ${skipped_s} -t ${seconds - skipped_s}`;
  const near = whenReady(`out=$(${client}) && printf %s \\"$out\\"`).replaceAll('\\"', '"');
  const report: IperfReport = JSON.parse(await behindLink(link, "iperf3 -s -1 >/dev/null", near));
  return report.end.sum_received.bits_per_second;
}

const aioquicClient = join(import.meta.dirname, "quic_flow_client.py");

/** Error with the remedy if aioquic is not there: before anything that would run beside it begins. */
export function demandAioquic(): void {
  demand("python3", ["-c", "import aioquic"], "install aioquic for the python3 of your PATH: pip install aioquic");
}

/** One QUIC flow downwards, from our far end, as aioquic receives it. `folder` is not there yet. */
export async function aioquicGoodput_bps(
  folder: string,
  link: string,
  words: string,
  { seconds, skipped_s }: Spans,
): Promise<number> {
  demandAioquic();
  const client = ["python3", aioquicClient, "100.64.0.1", "20001", String(seconds)];
  const { printed } = await runFlowLab(folder, { link, flows: [flow(words)], for_s: seconds + 5, client });
  const { ticks } = JSON.parse(printed) as { ticks: [number, number][] };
  const [from, to] = [ticks.findLast(([time_s]) => time_s <= skipped_s), ticks.at(-1)];
  if (!from || !to) throw new Error("aioquic's client printed no ticks");
  return ((to[1] - from[1]) * 8) / (to[0] - from[0]);
}

/** A download of so many bytes over HTTP/3 by ngtcp2's client from ngtcp2's server. `folder` is not there yet. */
export async function ngtcp2Goodput_bps(folder: string, link: string, size_bytes: number): Promise<number> {
  const remedy = "install it: apt install ngtcp2-client ngtcp2-server";
  demand("gtlsclient", ["--help"], remedy);
  demand("gtlsserver", ["--help"], remedy);
  await mkdir(folder);
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  await output(["openssl", ...words, "-keyout", key, "-out", certificate, "-subj", "/CN=far.trilane"]);
  await writeFile(join(folder, "body"), "");
  await truncate(join(folder, "body"), size_bytes);
  const server = `gtlsserver -q --no-quic-dump --no-http-dump -d ${folder} 100.64.0.1 443 ${key} ${certificate} >/dev/null 2>&1`;
  const windows = "--max-data=64M --max-stream-data-bidi-local=64M --max-window=64M --max-stream-window=64M";
  const client = `gtlsclient -q --no-quic-dump --no-http-dump --exit-on-all-streams-close ${windows} 100.64.0.1 443 https://far.trilane/body`;
  // The client's own words go nowhere; the time is the shell's.
  const timed = `a=$(date +%s%N); ${client} >/dev/null 2>&1; echo $(($(date +%s%N) - a))`;
  const took_ns = Number(await behindLink(link, server, timed, onUdp443));
  return (size_bytes * 8) / (took_ns / 1e9);
}
