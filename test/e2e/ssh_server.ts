// An sshd for a test: of the user who runs it, on a free port of the loopback, with keys of its own, so that no other way in is
// opened and none of the user's is used.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./slurm_cluster.ts";

export interface SshServer {
  /** `ssh` and its options; it knows the hosts that were asked for. */
  readonly command: string;
  stop(): Promise<void>;
}

const program = "/usr/sbin/sshd";
/** sshd wants it when it is started as root, where Debian's own has not made it yet. */
const privilegeFolder = "/run/sshd";

/** Why there can be none here; null: there can. */
export function noSshServer(): string | null {
  if (!existsSync(program)) return "no sshd here (apt install openssh-server)";
  const parallel = spawnSync("parallel", ["--version"], { encoding: "utf8" });
  return parallel.stdout?.startsWith("GNU parallel") ? null : "no GNU parallel here (apt install parallel)";
}

/** All `hosts` are this machine. Null where it lets nobody in within a minute (a locked account, say). */
export async function startSshServer(folder: string, hosts: readonly string[]): Promise<SshServer | null> {
  const at = (name: string): string => join(folder, name);
  for (const key of ["host", "user"])
    spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at(key)], { stdio: "ignore" });
  const port = await freePort();
  writeFileSync(at("authorized_keys"), readFileSync(at("user.pub")), { mode: 0o600 });
  writeFileSync(at("known_hosts"), `trilane-test ${readFileSync(at("host.pub"), "utf8")}`);
  const server = [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${at("host")}`,
    `AuthorizedKeysFile ${at("authorized_keys")}`,
    `PidFile ${at("pid")}`,
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    "PermitRootLogin prohibit-password",
  ];
  writeFileSync(at("sshd_config"), `${server.join("\n")}\n`);
  const client = [
    `Host ${hosts.join(" ")}`,
    "HostName 127.0.0.1",
    `Port ${port}`,
    "HostKeyAlias trilane-test",
    `IdentityFile ${at("user")}`,
    "IdentitiesOnly yes",
    `UserKnownHostsFile ${at("known_hosts")}`,
  ];
  writeFileSync(at("config"), `${client.join("\n")}\n`);
  const ours = process.getuid?.() === 0 && !existsSync(privilegeFolder);
  if (ours) mkdirSync(privilegeFolder, { mode: 0o755 });
  const child = spawn(program, ["-D", "-e", "-f", at("sshd_config")], { stdio: "ignore" });
  const command = `ssh -F ${at("config")}`;
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) {
      const closed = once(child, "close");
      child.kill();
      await closed;
    }
    if (ours) rmSync(privilegeFolder, { recursive: true, force: true });
  };
  for (const end_ms = performance.now() + 60_000; performance.now() < end_ms; await delay(100)) {
    const [ssh = "", ...words] = command.split(" ");
    if (spawnSync(ssh, [...words, "-o", "BatchMode=yes", hosts[0] ?? "", "true"], { timeout: 10_000 }).status === 0)
      return { command, stop };
  }
  await stop();
  return null;
}
