import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

import { runShell, type ShellEnd } from "./run-shell.ts";

/**
 * Makes /etc, /usr/local and /var/lib copies that only this mount namespace sees, and stops at the first that it cannot.
 * Then it has what a machine run by systemd has, as far as the installer looks at it, and waits for its input to end.
 */
const PROLOGUE = `set -eu
mount -t tmpfs none /mnt
for folder in /etc /usr/local /var/lib; do
  mkdir -p "/mnt$folder/upper" "/mnt$folder/work"
  mount -t overlay overlay -o "lowerdir=$folder,upperdir=/mnt$folder/upper,workdir=/mnt$folder/work" "$folder"
done
mkdir -p /run/systemd
mount -t tmpfs none /run/systemd
mkdir -p /run/systemd/system /run/systemd/fake
touch /usr/local/bin/node
mount --bind "$NODE" /usr/local/bin/node
printf '%s' "$SYSTEMCTL" > /usr/local/bin/systemctl
printf '#!/bin/sh\\ntail -n 12 /run/systemd/fake/log' > /usr/local/bin/journalctl
chmod 755 /usr/local/bin/systemctl /usr/local/bin/journalctl
echo ready
exec cat`;

/** What stands behind the installer's calls of systemctl: it notes them, and starts and stops what the unit says. */
const SYSTEMCTL = `#!/bin/sh
state=/run/systemd/fake unit=/etc/systemd/system/gantry-agent.service
echo "$*" >> $state/calls
stop() {
  [ -f $state/pid ] || return 0
  kill "$(cat $state/pid)" 2>/dev/null
  while kill -0 "$(cat $state/pid)" 2>/dev/null; do sleep 0.05; done
  rm $state/pid
}
case $1 in
  restart)
    stop
    command=$(sed -n 's/^ExecStart=//p' $unit) user=$(sed -n 's/^User=//p' $unit)
    HOME=/var/lib/gantry setsid setpriv --reuid "$user" --regid "$user" --init-groups --no-new-privs $command >>$state/log 2>&1 </dev/null &
    echo $! > $state/pid ;;
  disable) stop ;;
  show) cat $state/pid 2>/dev/null || echo 0 ;;
  is-failed) ! kill -0 "$(cat $state/pid)" 2>/dev/null ;;
esac`;

/** Root's view of a machine that systemd runs, in a mount namespace of its own: nothing in it changes this machine. */
export class ServiceMachine {
  readonly #holder: ChildProcess;

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  /** @returns `null` where this cannot be made: without root, or where the kernel does not allow it */
  static async create(): Promise<ServiceMachine | null> {
    if (process.getuid?.() !== 0) return null;
    const holder = spawn("unshare", ["--mount", "sh", "-c", PROLOGUE], {
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", NODE: process.execPath, SYSTEMCTL },
      stdio: ["pipe", "pipe", "ignore"],
    });
    const isReady = await Promise.race([
      once(holder.stdout, "data").then(() => true),
      once(holder, "close").then(() => false),
      once(holder, "error").then(() => false),
    ]);
    return isReady ? new ServiceMachine(holder) : null;
  }

  async run(line: string, env: Readonly<Record<string, string>> = {}, input = ""): Promise<ShellEnd> {
    return await runShell(["nsenter", "-t", `${this.#holder.pid}`, "--mount", "sh", "-c", line], {
      input,
      env: { PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/nowhere", ...env },
    });
  }

  /** Ends what still runs in it, and with it everything that was changed. */
  async close(): Promise<void> {
    await this.run("systemctl disable --now gantry-agent");
    const closed = once(this.#holder, "close");
    this.#holder.stdin?.end();
    await closed;
  }
}
