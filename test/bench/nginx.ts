// nginx as a yardstick for our server: one process that serves a folder over TLS, tuned as one would for a benchmark.
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../cli/base/errors.ts";

export const nginxPath = "/usr/sbin/nginx";

/** A certificate of its own for one name, with a key of the kind that ours have (ECDSA, P-256). */
function makeCertificate(folder: string, host: string): void {
  const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"];
  const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
  const { status, stderr } = spawnSync("openssl", [...words, ...files, "-subj", `/CN=${host}`], { encoding: "utf8" });
  if (status !== 0) throw new UserError(`openssl made no certificate for nginx: ${stderr}`);
}

/** Writes all that nginx needs into `folder`, and returns the command that serves `root` on a port. */
export async function nginxCommand(folder: string, root: string, host: string, port: number): Promise<string[]> {
  makeCertificate(folder, host);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path ${join(folder, name)};`)
    .join("\n");
  const config = `
daemon off;
master_process off;
pid ${join(folder, "nginx.pid")};
error_log stderr error;
events { worker_connections 1024; }
http {
${temporary}
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  open_file_cache max=100;
  open_file_cache_valid 1h;
  default_type application/octet-stream;
  ssl_protocols TLSv1.3;
  server {
    listen ${port} ssl http2;
    ssl_certificate ${join(folder, "cert.pem")};
    ssl_certificate_key ${join(folder, "key.pem")};
    root ${root};
  }
}
`;
  const file = join(folder, "nginx.conf");
  await writeFile(file, config);
  return [nginxPath, "-e", "stderr", "-c", file];
}
