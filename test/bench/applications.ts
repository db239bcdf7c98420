// MediaWiki and WordPress of Debian with data of their own in a folder, for a live site (test/e2e/live_site.ts) to serve through
// PHP: each one page with pictures, that its database and PHP make anew at each load. Nothing of the system's is touched.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../cli/base/errors.ts";
import { jpegOfSize } from "../../cli/recording/fill/jpeg.ts";
import { type LiveProgram, withPrograms } from "./live_programs.ts";

const mediawiki = "/usr/share/mediawiki";
const wordpress = "/usr/share/wordpress";
const pictures_bytes = [4_000, 9_000, 16_000, 25_000, 40_000, 60_000] as const;
const password = "a-password-of-the-bench";

export interface Application {
  readonly name: "MediaWiki" | "WordPress";
  /** For live_site.ts. */
  readonly root: string;
  /** Below its host. */
  readonly path: string;
  /** Files beside the root, as a path of URLs and a folder. */
  readonly files: { readonly path: string; readonly folder: string } | null;
}

export interface Applications {
  readonly all: readonly Application[];
  readonly programs: readonly LiveProgram[];
  readonly phpSocket: string;
}

function phpServer(): string | null {
  return readdirSync("/usr/sbin").find((name) => /^php-fpm[\d.]*$/.test(name)) ?? null;
}

/** UserError naming what is to be installed. */
export function refuseWithoutApplications(): void {
  const needed: readonly (readonly [string, boolean])[] = [
    ["mediawiki", existsSync(join(mediawiki, "index.php"))],
    ["wordpress", existsSync(join(wordpress, "wp-load.php"))],
    ["wordpress-theme-twentytwentythree", existsSync(join(wordpress, "wp-content/themes/twentytwentythree"))],
    ["php-fpm", phpServer() !== null],
    ["mariadb-server", existsSync("/usr/sbin/mariadbd")],
  ];
  const modules = needed.every(([, there]) => there) ? execFileSync("php", ["-m"], { encoding: "utf8" }) : "";
  const extensions = ["sqlite3", "mysqli", "intl", "mbstring", "xml", "apcu"].filter(
    (name) => modules !== "" && !new RegExp(`^${name}$`, "m").test(modules),
  );
  const packages = [
    ...needed.filter(([, there]) => !there).map(([name]) => name),
    ...extensions.map((name) => `php-${name === "mysqli" ? "mysql" : name}`),
  ];
  if (packages.length > 0)
    throw new UserError(`applications: MediaWiki and WordPress need more: apt install ${packages.join(" ")}`);
}

function run(program: string, words: readonly string[], environment: Record<string, string> = {}): void {
  try {
    execFileSync(program, words, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environment } });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: Buffer; stderr?: Buffer };
    throw new UserError(
      `applications: ${program} ${words[0] ?? ""}: ${`${stdout}\n${stderr}`.trim().split("\n").at(-1)}`,
    );
  }
}

function writePictures(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  return pictures_bytes.map((bytes, index) => {
    const name = `Picture${index + 1}.jpg`;
    const picture = jpegOfSize(bytes, name, { width: 320, height: 240 });
    if (picture === null) throw new Error(`no picture of ${bytes} bytes`);
    writeFileSync(join(folder, name), picture.bytes);
    return name;
  });
}

const paragraph = "A page that is made of what a database holds, so that its server takes a while to answer. ";

function makeMediaWiki(folder: string): Application {
  const own = join(folder, "mediawiki");
  const images = join(own, "images");
  mkdirSync(images, { recursive: true });
  const maintenance = (name: string): string => join(mediawiki, "maintenance", name);
  const names = writePictures(join(own, "sources"));
  const database = ["--dbtype", "sqlite", "--dbpath", own, "--dbname", "wiki"];
  const site = ["--server", "https://mediawiki.test", "--scriptpath", "", "--confpath", own, "--pass", password];
  run("php", [maintenance("install.php"), ...database, ...site, "--skins", "Vector", "Bench", "Admin"]);
  const settings = join(own, "LocalSettings.php");
  const more = `
$wgServer = "https://" . ($_SERVER["HTTP_HOST"] ?? "mediawiki.test");
$wgCanonicalServer = $wgServer;
$wgUploadDirectory = "${images}";
$wgUploadPath = "/images";
$wgEnableUploads = true;
$wgMainCacheType = CACHE_ACCEL;
$wgJobRunRate = 0;
`;
  writeFileSync(settings, more, { flag: "a" });
  run("php", [maintenance("importImages.php"), "--conf", settings, "--user", "Admin", join(own, "sources")]);
  const sections = names.map((name, at) => `== Section ${at + 1} ==\n[[File:${name}]]\n${paragraph.repeat(20)}`);
  const text = `${sections.join("\n\n")}\n`;
  const words = [maintenance("edit.php"), "--conf", settings, "--user", "Admin", "Bench"];
  execFileSync("php", words, { input: text, stdio: ["pipe", "ignore", "pipe"] });
  return {
    name: "MediaWiki",
    root: mediawiki,
    path: "index.php?title=Bench",
    files: { path: "/images", folder: images },
  };
}

function makeDatabase(folder: string): LiveProgram {
  const data = join(folder, "mariadb");
  const socket = join(folder, "mariadb.sock");
  mkdirSync(data, { recursive: true });
  const user = process.getuid?.() === 0 ? ["--user=root"] : [];
  run("mariadb-install-db", [
    "--no-defaults",
    ...user,
    `--datadir=${data}`,
    "--auth-root-authentication-method=normal",
  ]);
  const places = [`--datadir=${data}`, `--socket=${socket}`, `--pid-file=${join(folder, "mariadb.pid")}`];
  return {
    command: ["/usr/sbin/mariadbd", "--no-defaults", ...places, "--skip-networking", "--skip-grant-tables"],
    socket,
  };
}

async function makeWordPress(folder: string, database: LiveProgram): Promise<Application> {
  const root = join(folder, "wordpress");
  // It finds its configuration, themes and uploads beside itself.
  run("cp", ["-rL", wordpress, root]);
  const uploads = writePictures(join(root, "wp-content", "uploads"));
  const configuration = `<?php
define('DB_NAME', 'wordpress'); define('DB_USER', 'root'); define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:${database.socket}'); define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
define('WP_HOME', 'https://' . ($_SERVER['HTTP_HOST'] ?? 'wordpress.test')); define('WP_SITEURL', WP_HOME);
define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true); define('AUTOMATIC_UPDATER_DISABLED', true);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`;
  writeFileSync(join(root, "wp-config.php"), configuration);
  const figures = uploads
    .map((name) => `<p>${paragraph.repeat(6)}</p><img src="/wp-content/uploads/${name}">`)
    .join("");
  const install = join(folder, "install_wordpress.php");
  writeFileSync(
    install,
    `<?php
mysqli_query(mysqli_connect('localhost', 'root', '', '', 0, '${database.socket}'), 'CREATE DATABASE wordpress');
define('WP_INSTALLING', true); $_SERVER['HTTP_HOST'] = 'wordpress.test';
require '${root}/wp-load.php'; require ABSPATH . 'wp-admin/includes/upgrade.php';
function wp_mail() { return true; }
wp_install('Bench', 'admin', 'admin@wordpress.test', true, '', '${password}');
switch_theme('twentytwentythree');
wp_insert_post(['post_title' => 'Bench', 'post_name' => 'bench', 'post_status' => 'publish', 'post_content' => '${figures}']);
`,
  );
  await withPrograms([database], () => run("php", [install]));
  return { name: "WordPress", root, path: "?name=bench", files: null };
}

/** Makes both, and what serves them, in `folder`. Takes half a minute. */
export async function makeApplications(folder: string): Promise<Applications> {
  refuseWithoutApplications();
  mkdirSync(folder, { recursive: true });
  const database = makeDatabase(folder);
  const all = [makeMediaWiki(folder), await makeWordPress(folder, database)];
  const phpSocket = join(folder, "php.sock");
  const configuration = join(folder, "php-fpm.conf");
  writeFileSync(
    configuration,
    `[global]
error_log = ${join(folder, "php-fpm.log")}
daemonize = no
[www]
listen = ${phpSocket}
pm = static
pm.max_children = 4
env[MW_CONFIG_FILE] = ${join(folder, "mediawiki", "LocalSettings.php")}
`,
  );
  return {
    all,
    phpSocket,
    programs: [
      database,
      {
        command: [join("/usr/sbin", phpServer() ?? ""), "--nodaemonize", "--fpm-config", configuration],
        socket: phpSocket,
      },
    ],
  };
}

/** A live server's directives for PHP and for an application's own files. */
export function phpDirectives(program: "nginx" | "caddy", phpSocket: string, files: Application["files"]): string {
  if (program === "caddy") {
    const own = files ? `handle_path ${files.path}/* {\n root * ${files.folder}\n file_server\n }\n` : "";
    return `${own} php_fastcgi unix/${phpSocket}`;
  }
  const own = files ? `location ${files.path}/ { alias ${files.folder}/; }` : "";
  return `index index.php;
    ${own}
    location ~ \\.php(/|$) {
      include /etc/nginx/fastcgi_params;
      fastcgi_split_path_info ^(.+?\\.php)(/.*)?$;
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_param PATH_INFO $fastcgi_path_info;
      fastcgi_pass unix:${phpSocket};
    }`;
}
