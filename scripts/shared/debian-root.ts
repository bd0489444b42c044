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

/**
 * The packages of a small server, which the installer needs too. Node comes from this machine: Debian's Node is too old.
 */
const basics = [
  "systemd",
  "systemd-sysv",
  "dbus",
  "procps",
  "curl",
  "git",
  "openssh-client",
  "ca-certificates",
] as const;

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

/** The root file systems of the server tests, by the Debian release. */
const roots = {
  /** Apps of every language. */
  bookworm: {
    packages: [
      ...basics,
      // The tools of other languages than JavaScript, without the compilers: the gems of the tests are compiled.
      ...["ruby", "bundler", "tzdata", "libxslt1.1", "libsass-dev"],
      ...["php-cli", "php-fpm", "php-xml", "php-mbstring", "php-curl", "php-sqlite3", "composer", "unzip"],
      ...["python3-venv", "golang-go"],
    ],
    // Run by mmdebstrap, with the root file system as `$1`. PHP-FPM's own service serves no test.
    hook: `chroot "$1" sh -c "$UNPACK_FRAMEWORKS" && chroot "$1" systemctl disable php8.2-fpm`,
    environment: { UNPACK_FRAMEWORKS: unpackFrameworks },
  },
  /** Containers, with a registry, and a Debian as a tar to make base images from: Docker Hub is not asked. */
  trixie: {
    packages: [...basics, "podman", "buildah", "crun", "uidmap", "passt", "skopeo", "docker-registry"],
    hook: `chroot "$1" systemctl disable docker-registry &&
      mkdir -p "$1/usr/local/share/images" &&
      mmdebstrap --quiet --variant=minbase --include=ca-certificates trixie "$1/usr/local/share/images/debian.tar"`,
    environment: {},
  },
} as const;

export type DebianRelease = keyof typeof roots;

/** The folder of a root file system, which is kept between runs. Its name has a hash of the content. */
export function debianRootPath(release: DebianRelease): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const { packages, hook, environment } = roots[release];
  const id = createHash("sha256")
    .update([release, ...packages, hook, ...Object.values(environment)].join(" "))
    .digest("hex")
    .slice(0, 12);
  return join(cache, "gantry", `debian-${release}-${id}`);
}

/**
 * Creates the root file systems that do not exist, and installs the programs that boot them.
 * @throws Problem with what to do if that is not possible here
 */
export async function ensureDebianRoots(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Problem(advice);
  if (!(await haveTools())) {
    print("Installing mmdebstrap and systemd-container for the server tests");
    await installPackages(["mmdebstrap", "systemd-container"], haveTools, advice);
  }
  for (const release of ["bookworm", "trixie"] as const) await ensureRoot(release);
}

async function ensureRoot(release: DebianRelease): Promise<void> {
  const root = debianRootPath(release);
  if (existsSync(join(root, "etc/os-release"))) return;
  print(`Creating a Debian (${release}) for the server tests. This takes about two minutes, once.`);
  const { packages, hook, environment } = roots[release];
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
      { env: environment },
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
