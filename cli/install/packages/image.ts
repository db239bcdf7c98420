// `npm run packages -- --image`: a container image of Debian with Chromium, fonts and the Debian package, as an OCI layout in one tar
// that podman and Docker load. Made without a daemon: mmdebstrap makes the files, the rest is three JSON documents. The same package
// and the same archive of Debian give the same bytes.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { UserError } from "../../base/errors.ts";
import { version } from "../../base/version.ts";
import { isInstalled } from "../requirements.ts";
import { makeTree } from "./debian.ts";

const suite = "trixie";
const included = ["ca-certificates", "chromium", "fonts-liberation", "iputils-ping", "passt"];
/** Documents that are of no use in a container. */
const excluded = ["/usr/share/man/*", "/usr/share/doc/*", "/usr/share/locale/*", "/usr/share/lintian/*"];
const user = 1000;

async function makeFiles(deb: string, path: string, epoch_s: number): Promise<void> {
  const inside = `/tmp/${basename(deb)}`;
  const options = [
    ...["--mode=auto", "--variant=minbase", `--include=${included.join(",")}`],
    ...excluded.map((each) => `--dpkgopt=path-exclude=${each}`),
    "--dpkgopt=path-include=/usr/share/doc/*/copyright",
    '--aptopt=APT::Install-Recommends "false"',
    `--customize-hook=upload ${deb} ${inside}`,
    `--customize-hook=chroot "$1" dpkg -i ${inside} && rm "$1${inside}"`,
    `--customize-hook=chroot "$1" useradd --uid ${user} --create-home trilane && chroot "$1" install -d -o ${user} -g ${user} /data`,
  ];
  await makeTree({ suite, path, options }, epoch_s);
}

interface Blob {
  readonly digest: string;
  readonly size: number;
}

const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** The layer: gzip of the files' tar, with the sums of both. */
async function makeLayer(tar: string, folder: string): Promise<Blob & { readonly diffId: string }> {
  const [whole, packed] = [createHash("sha256"), createHash("sha256")];
  const counted = (hash: ReturnType<typeof createHash>) =>
    new Transform({
      transform(chunk: Buffer, _, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
  const path = join(folder, "layer");
  // gzip's own program: the same bytes whatever zlib Node has.
  const gzip = spawn("gzip", ["-6n"], { stdio: ["pipe", "pipe", "inherit"] });
  await Promise.all([
    pipeline(createReadStream(tar), counted(whole), gzip.stdin),
    pipeline(gzip.stdout, counted(packed), createWriteStream(path)),
  ]);
  const digest = packed.digest("hex");
  renameSync(path, join(folder, digest));
  return { digest, size: statSync(join(folder, digest)).size, diffId: whole.digest("hex") };
}

/** The documents of OCI's image format 1.1, and Docker's own list of them for those before version 25. */
async function makeLayout(tar: string, folder: string, epoch_s: number): Promise<void> {
  const blobs = join(folder, "blobs", "sha256");
  mkdirSync(blobs, { recursive: true });
  const layer = await makeLayer(tar, blobs);
  const write = (document: unknown): Blob => {
    const text = JSON.stringify(document);
    const digest = sha256(text);
    writeFileSync(join(blobs, digest), text);
    return { digest, size: Buffer.byteLength(text) };
  };
  const of = (type: string, { digest, size }: Blob) => ({
    mediaType: `application/vnd.oci.image.${type}`,
    digest: `sha256:${digest}`,
    size,
  });
  const created = new Date(epoch_s * 1000).toISOString();
  const config = write({
    created,
    architecture: "amd64",
    os: "linux",
    config: {
      User: `${user}:${user}`,
      Env: ["PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/home/trilane", "TRILANE_HOME=/data"],
      Entrypoint: ["/usr/bin/trilane"],
      Cmd: ["--help"],
      WorkingDir: "/data",
      Volumes: { "/data": {} },
      Labels: { "org.opencontainers.image.title": "Trilane", "org.opencontainers.image.version": version },
    },
    rootfs: { type: "layers", diff_ids: [`sha256:${layer.diffId}`] },
    history: [{ created, created_by: "npm run packages -- --image" }],
  });
  const manifest = write({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: of("config.v1+json", config),
    layers: [of("layer.v1.tar+gzip", layer)],
  });
  const name = `trilane:${version}`;
  const index = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [
      {
        ...of("manifest.v1+json", manifest),
        annotations: {
          "org.opencontainers.image.ref.name": version,
          // What podman and newer Dockers call it: of the other alone podman makes a name.
          "io.containerd.image.name": `docker.io/library/${name}`,
        },
      },
    ],
  };
  writeFileSync(join(folder, "index.json"), JSON.stringify(index));
  writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  const blob = ({ digest }: Blob): string => `blobs/sha256/${digest}`;
  writeFileSync(
    join(folder, "manifest.json"),
    JSON.stringify([{ Config: blob(config), RepoTags: [name], Layers: [blob(layer)] }]),
  );
}

/** Writes `trilane-VERSION-image.tar` into `out`. UserError if mmdebstrap is missing. */
export async function makeImage(deb: string, work: string, out: string, epoch_s: number): Promise<void> {
  if (!isInstalled("mmdebstrap"))
    throw new UserError("--image needs mmdebstrap, which makes the image's files: install it (apt install mmdebstrap)");
  const files = join(work, "files.tar");
  await makeFiles(deb, files, epoch_s);
  const layout = join(work, "layout");
  mkdirSync(layout);
  await makeLayout(files, layout, epoch_s);
  rmSync(files);
  const path = join(out, `trilane-${version}-image.tar`);
  const dates = ["--sort=name", `--mtime=@${epoch_s}`, "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"];
  execFileSync("tar", [...dates, "-C", layout, "-cf", path, "blobs", "index.json", "manifest.json", "oci-layout"]);
}
