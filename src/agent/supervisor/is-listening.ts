import { execFile } from "node:child_process";

import type { Instance } from "#agent/supervisor/instance.ts";
import { livingPids } from "#build/process/process-table.ts";
import { hasSocket, socketsListeningOn } from "#node/tcp-sockets.ts";

/** Whether a process of the instance listens on a TCP port. */
export async function isListening(instance: Instance, port: number): Promise<boolean> {
  if (livingPids().length === 0) return isListeningByLsof(instance, port);
  const sockets = socketsListeningOn(port);
  if (sockets.size === 0) return false;
  return (await instance.members()).some((pid) => hasSocket(pid, sockets));
}

const LSOF_MS = 5_000;

/** Without /proc, as on macOS. Finds only the processes of the leader's group. */
async function isListeningByLsof(instance: Instance, port: number): Promise<boolean> {
  const group = instance.leader()?.pid;
  const args = ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fg"];
  const output = await new Promise<string>((resolve) =>
    execFile("lsof", args, { timeout: LSOF_MS }, (_error, stdout) => resolve(stdout)),
  );
  return output.split("\n").includes(`g${group}`);
}
