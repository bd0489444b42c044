import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";

import { findProgram } from "../../scripts/shared/find-program.ts";
import { freePort } from "./free-port.ts";

/** A real sshd on loopback that serves git repositories, each only to the keys that were added to it. */
export type SshServer = {
  readonly port: number;
  /** The ssh address of a repository. */
  url(repository: string): string;
  /** Lets a public key read these repositories, and no others. */
  allow(publicKey: string, ...repositories: readonly string[]): void;
  /** The fingerprint of the server's own key. */
  hostFingerprint(): string;
  /** Replaces the server's own key, as a new server or an attacker on the way would. */
  replaceHostKey(type?: "ed25519" | "ecdsa"): Promise<void>;
  close(): Promise<void>;
};

/** @param folder an empty folder for the server's files */
export async function serveSsh(folder: string): Promise<SshServer> {
  const sshd = await findProgram(["sshd"]);
  if (sshd === null) throw new Error("sshd is not installed");
  mkdirSync(folder, { recursive: true });
  // sshd wants this folder when it is started by root.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true });
  const port = await freePort();
  const hostKey = join(folder, "host-key");
  const allowed = join(folder, "authorized_keys");
  const serve = join(folder, "serve");
  writeFileSync(allowed, "");
  const lines = new Map<string, string>();
  // As on a git host, a key gives access to its own repositories only.
  writeFileSync(
    serve,
    `#!/bin/sh
for one; do
  if [ "$SSH_ORIGINAL_COMMAND" = "git-upload-pack '$one'" ]; then exec git-upload-pack "$one"; fi
done
echo "ERROR: Repository not found." >&2
exit 1
`,
  );
  chmodSync(serve, 0o755);
  const config = join(folder, "sshd_config");
  writeFileSync(
    config,
    [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${hostKey}`,
      `PidFile ${join(folder, "sshd.pid")}`,
      `AuthorizedKeysFile ${allowed}`,
      "StrictModes no",
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      "PermitRootLogin prohibit-password",
      "UsePAM no",
      "AcceptEnv GIT_PROTOCOL",
      // Many tests connect at once.
      "MaxStartups 100",
      "",
    ].join("\n"),
  );

  let running: ReturnType<typeof spawn> | null = null;
  const start = async (): Promise<void> => {
    const child = spawn(sshd, ["-D", "-e", "-f", config], { stdio: "ignore" });
    running = child;
    for (let tries = 0; tries < 1_000; tries += 1) {
      if (await answers(port)) return;
      if (child.exitCode !== null) throw new Error(`sshd ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("sshd did not start");
  };
  const stop = async (): Promise<void> => {
    const child = running;
    running = null;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill();
    await ended;
  };
  const makeHostKey = (type: string): void => {
    rmSync(hostKey, { force: true });
    rmSync(`${hostKey}.pub`, { force: true });
    execFileSync("ssh-keygen", ["-q", "-t", type, "-N", "", "-f", hostKey]);
  };
  makeHostKey("ed25519");
  await start();
  return {
    port,
    url: (repository) => `ssh://${userInfo().username}@127.0.0.1:${port}${repository}`,
    allow(publicKey, ...repositories) {
      lines.set(publicKey, `restrict,command="${[serve, ...repositories].join(" ")}" ${publicKey}\n`);
      writeFileSync(allowed, [...lines.values()].join(""));
    },
    hostFingerprint: () =>
      execFileSync("ssh-keygen", ["-l", "-f", `${hostKey}.pub`], { encoding: "utf8" }).split(" ")[1] ?? "",
    async replaceHostKey(type = "ed25519") {
      await stop();
      makeHostKey(type);
      await start();
    },
    close: stop,
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
