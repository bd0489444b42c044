import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

import { runShell, type ShellEnd } from "./run-shell.ts";

/**
 * Replaces /etc, /usr/local and /var/lib by copies in this mount namespace, and stops at the first failure.
 * Then it creates the files by which the installer recognizes systemd, and waits until its input ends.
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

/**
 * Replaces systemctl: records its calls, and starts and stops the unit's command. With the file `kill`, it kills the
 * installer before the next start.
 */
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
  enable)
    if [ "$3" = gantry-agent ] && [ -f $state/kill ]; then
      rm $state/kill
      kill -9 $PPID
    fi ;;
  restart)
    stop
    command=$(sed -n 's/^ExecStart=//p' $unit) user=$(sed -n 's/^User=//p' $unit)
    HOME=/var/lib/gantry setsid setpriv --reuid "$user" --regid "$user" --init-groups --no-new-privs $command >>$state/log 2>&1 </dev/null &
    echo $! > $state/pid ;;
  disable) stop ;;
  show) cat $state/pid 2>/dev/null || echo 0 ;;
  is-failed) ! kill -0 "$(cat $state/pid)" 2>/dev/null ;;
esac`;

/** Root's view of a machine with systemd, in its own mount namespace, so that it does not change this machine. */
export class ServiceMachine {
  readonly #holder: ChildProcess;

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  /** @returns `null` without root, or if the kernel does not allow it */
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

  /** Ends its processes and discards all changes. */
  async close(): Promise<void> {
    await this.run("systemctl disable --now gantry-agent");
    const closed = once(this.#holder, "close");
    this.#holder.stdin?.end();
    await closed;
  }
}
