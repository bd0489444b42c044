import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { type DebianRelease, debianRootPath } from "../../../scripts/shared/debian-root.ts";
import { runShell, type ShellEnd } from "../../support/run-shell.ts";

const TREES = "/sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd";

/**
 * In its own mount and process namespaces, so that everything is removed with the machine, however it ends: the kernel
 * ends every process of a namespace with its first process, which is this shell. In its own control group,
 * because otherwise two machines have the same group for units of the same name.
 */
const BOOT = `set -eu
for tree in ${TREES}; do
  if [ -e $tree/cgroup.procs ]; then mkdir $tree/$NAME && echo $$ > $tree/$NAME/cgroup.procs || true; fi
done
mount -t tmpfs -o mode=755 none /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o "lowerdir=$ROOT,upperdir=/mnt/upper,workdir=/mnt/work" /mnt/root
while true; do
  code=0
  # Not quoted, because it is a list.
  systemd-nspawn --quiet --directory=/mnt/root --machine="$NAME" --register=no --keep-unit --bind-ro="$NODE:/usr/local/bin/node" --resolv-conf=bind-host --timezone=off --link-journal=no $OPTIONS --boot || code=$?
  # The machine reboots.
  [ $code -eq 133 ] || exit $code
done`;

/**
 * What containers without root need in nspawn: version 2 of control groups, a network namespace with settings of its own,
 * and system calls that nspawn refuses otherwise. An overlay cannot have its folders on another overlay, so the agent's
 * folder is a real one.
 */
const CONTAINERS = {
  environment: { SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1", SYSTEMD_NSPAWN_API_VFS_WRITABLE: "network" },
  options: (data: string) => [
    "--system-call-filter=@keyring",
    "--system-call-filter=bpf",
    `--bind=${data}:/var/lib/gantry`,
  ],
};

/** The agent's folder is a disk of its own there, so an administrator has given it to the agent's user. */
const OWN_DISK =
  "useradd --system --user-group --home-dir /var/lib/gantry --no-create-home --shell /usr/sbin/nologin gantry && chown gantry:gantry /var/lib/gantry && chmod 750 /var/lib/gantry";

/** The machine's last processes can still be ending. */
const REMOVE_GROUPS = `for tree in ${TREES}; do
  for try in $(seq 50); do
    [ -e "$tree/$NAME" ] || break
    find "$tree/$NAME" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
  done
done`;

const BOOT_MS = 240_000;
const POLL_MS = 100;
let count = 0;

/**
 * A Debian with its own systemd, booted by systemd-nspawn. Its changes are lost at the end. It shares the network of
 * this machine, including the ports.
 */
export class DebianMachine {
  readonly #nspawn: ChildProcess;
  readonly #name: string;
  readonly #console: () => string;
  /** A folder of this machine that is the agent's folder there; null: it is part of the machine. */
  readonly #data: string | null;
  #leader = 0;

  private constructor(name: string, nspawn: ChildProcess, console: () => string, data: string | null) {
    this.#name = name;
    this.#nspawn = nspawn;
    this.#console = console;
    this.#data = data;
  }

  /** @param release trixie can run containers */
  static async boot(release: DebianRelease = "bookworm"): Promise<DebianMachine> {
    count += 1;
    const name = `gantry-${process.pid}-${count}`;
    const data = release === "trixie" ? mkdtempSync(join(tmpdir(), `${name}-`)) : null;
    const nspawn = spawn(
      "setpriv",
      [
        ...["--pdeathsig", "KILL"],
        ...[
          "unshare",
          "--mount",
          "--propagation",
          "private",
          "--pid",
          "--fork",
          "--kill-child",
          "--mount-proc",
        ],
        ...["sh", "-c", BOOT],
      ],
      {
        env: {
          PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
          ROOT: debianRootPath(release),
          NODE: process.execPath,
          NAME: name,
          OPTIONS: data === null ? "" : CONTAINERS.options(data).join(" "),
          ...(data === null ? {} : CONTAINERS.environment),
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let console = "";
    for (const stream of [nspawn.stdout, nspawn.stderr])
      stream.on("data", (chunk: Buffer) => (console += chunk.toString()));
    const machine = new DebianMachine(name, nspawn, () => console, data);
    await machine.#waitUntilUp();
    // The device of nspawn is closed to users. A device of this machine must not be bound: its mode would change here.
    if (data !== null) await machine.tell(`chmod 666 /dev/net/tun; ${OWN_DISK}`);
    return machine;
  }

  async #waitUntilUp(): Promise<void> {
    for (let waitedMs = 0; waitedMs < BOOT_MS; waitedMs += POLL_MS) {
      await pause(POLL_MS);
      if (this.#nspawn.exitCode !== null || this.#nspawn.signalCode !== null) break;
      this.#leader = this.#findLeader();
      if (this.#leader === 0) continue;
      const { output } = await this.run("systemctl is-system-running");
      if (/^(running|degraded)$/m.test(output)) return;
    }
    await this.close();
    throw new Error(`the machine does not start:\n${this.#console()}`);
  }

  /** Reboots the machine with its files, as a server does. */
  async reboot(): Promise<void> {
    await this.#restart("systemctl reboot");
  }

  /** Boots the machine again after all its processes ended at the same moment. */
  async cutPower(): Promise<void> {
    await this.#restart("systemctl reboot --force --force");
  }

  async #restart(line: string): Promise<void> {
    const before = this.#leader;
    await this.run(line);
    for (let waitedMs = 0; waitedMs < BOOT_MS && this.#findLeader() === before; waitedMs += POLL_MS)
      await pause(POLL_MS);
    await this.#waitUntilUp();
  }

  /** unshare → the shell → nspawn → the machine's first process; 0 while there is none. */
  #findLeader(): number {
    return [1, 2, 3].reduce(childOf, this.#nspawn.pid ?? 0);
  }

  /** The path of the machine's file system, as this machine sees it. */
  get root(): string {
    return `/proc/${this.#leader}/root`;
  }

  /** Runs a shell line in the machine as root. */
  async run(line: string, env: Readonly<Record<string, string>> = {}, input = ""): Promise<ShellEnd> {
    return await runShell(["nsenter", "--target", `${this.#leader}`, "--all", "--", "sh", "-c", line], {
      input,
      env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root", ...env },
    });
  }

  /** Runs a shell line and returns its output. @throws when it fails */
  async tell(line: string): Promise<string> {
    const { code, output } = await this.run(line);
    if (code !== 0) throw new Error(`${line}: ${code}\n${output}`);
    return output.trim();
  }

  async write(path: string, text: string): Promise<void> {
    const { code, output } = await this.run(`mkdir -p "$(dirname ${path})" && cat > ${path}`, {}, text);
    if (code !== 0) throw new Error(output);
  }

  /** Writes the policy of a server whose projects may read the repositories in /srv. The installer keeps it. */
  async allowLocalRepositories(): Promise<void> {
    const policy = { version: 1, repositories: ["remote", "/srv/**"], commits: "any", balance: "any" };
    await this.write("/etc/gantry/policy.json", JSON.stringify(policy));
  }

  /** As `allowLocalRepositories`, with the strict policy of the installer. */
  async allowLocalRepositoriesStrictly(): Promise<void> {
    const template = new URL("../../../src/agent/install/strict-policy.json", import.meta.url);
    const policy = JSON.parse(readFileSync(template, "utf8"));
    const repositories = ["remote", "/srv/**"];
    await this.write("/etc/gantry/policy.json", JSON.stringify({ ...policy, repositories }));
  }

  async close(): Promise<void> {
    if (this.#nspawn.exitCode === null && this.#nspawn.signalCode === null) {
      const closed = once(this.#nspawn, "close");
      // An orderly shutdown is not needed.
      this.#nspawn.kill("SIGKILL");
      await closed;
    }
    await runShell(["sh", "-c", REMOVE_GROUPS], { env: { PATH: "/usr/bin:/bin", NAME: this.#name } });
    if (this.#data !== null) rmSync(this.#data, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The pid of a process's first child; 0 if it has none. */
function childOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ")[0]);
  } catch {
    return 0;
  }
}
