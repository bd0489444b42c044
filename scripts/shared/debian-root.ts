import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { installPackages, lastLines } from "./apt.ts";
import { missingPrograms } from "./find-program.ts";
import { Problem } from "./problem.ts";
import { runCommand } from "./run-command.ts";
import { print } from "./terminal.ts";

const release = "bookworm";
/**
 * A small server's packages, and the packages that the installer needs. Node comes from this machine: Debian's Node is
 * too old.
 */
const packages = [
  "systemd",
  "systemd-sysv",
  "dbus",
  "procps",
  "curl",
  "git",
  "openssh-client",
  "ca-certificates",
  // The tools of other languages than JavaScript, without the compilers: the gems of the tests are compiled.
  ...["ruby", "bundler", "tzdata", "libxslt1.1", "libsass-dev"],
  ...["php-cli", "php-fpm", "php-xml", "php-mbstring", "php-curl", "php-sqlite3", "composer", "unzip"],
  ...["python3-venv", "golang-go"],
];

/**
 * Unpacks Debian's packages of frameworks into a folder, without installing them: tests make a registry from it. An
 * empty status file makes apt select installed packages too.
 */
const unpackFrameworks = `set -eu
mkdir -p /usr/local/share/packages
cd "$(mktemp -d)"
apt-get -o Dir::State::status=/dev/null --simulate --no-install-recommends install \\
  php-laravel-framework ruby-rails puma jekyll ruby-sinatra python3-django python3-flask python3-gunicorn python3-setuptools python3-wheel \\
  ruby-sqlite3 ruby-pg ruby-sass-rails ruby-byebug python3-whitenoise python3-dj-database-url python3-psycopg2 |
  awk '$1 == "Inst" && $2 ~ /^((php|ruby|python3)-.*|jekyll|puma|racc|rake)$/ { print $2 }' |
  xargs apt-get --quiet --option APT::Sandbox::User=root download
for deb in *.deb; do
  folder=/usr/local/share/packages/\${deb%%_*}
  dpkg-deb --extract "$deb" "$folder"
  dpkg-deb --field "$deb" > "$folder/control"
  rm -rf "$folder/usr/share/doc" "$deb"
done`;

const tools = ["mmdebstrap", "systemd-nspawn"];
const advice =
  "The server tests boot a Debian with systemd-nspawn. Run them as root on Debian, with: apt-get install mmdebstrap systemd-container";

/** A hook of mmdebstrap, which runs it with the root file system as `$1`. PHP-FPM's own service serves no test. */
const hook = `chroot "$1" sh -c "$UNPACK_FRAMEWORKS" && chroot "$1" systemctl disable php8.2-fpm`;

/** The folder of the root file system, which is kept between runs. Its name has a hash of the content. */
export function debianRootPath(): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const id = createHash("sha256")
    .update([release, ...packages, unpackFrameworks, hook].join(" "))
    .digest("hex")
    .slice(0, 12);
  return join(cache, "gantry", `debian-${id}`);
}

/**
 * Creates the root file system if it does not exist, and installs the programs that boot it.
 * @throws Problem with what to do if that is not possible here
 */
export async function ensureDebianRoot(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Problem(advice);
  if (!(await haveTools())) {
    print("Installing mmdebstrap and systemd-container for the server tests");
    await installPackages(["mmdebstrap", "systemd-container"], haveTools, advice);
  }
  const root = debianRootPath();
  if (existsSync(join(root, "etc/os-release"))) return;
  print("Creating a Debian for the server tests. This takes about two minutes, once.");
  const draft = `${root}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  try {
    const made = await runCommand(
      [
        "mmdebstrap",
        "--variant=minbase",
        `--include=${packages.join(",")}`,
        `--customize-hook=${hook}`,
        release,
        draft,
      ],
      { env: { UNPACK_FRAMEWORKS: unpackFrameworks } },
    );
    if (made.code !== 0) throw new Problem(`mmdebstrap failed:\n${lastLines(made)}`);
    // The rename fails if a parallel run was faster.
    await rename(draft, root).catch((error: unknown) => {
      if (!existsSync(root)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function haveTools(): Promise<boolean> {
  return (await missingPrograms(tools)).length === 0;
}
