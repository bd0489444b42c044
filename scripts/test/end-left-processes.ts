/**
 * Runs beside a run of the tests, in a session of its own, and ends every process that the run leaves. It waits for the end of
 * its stdin, which comes however the run ends: by itself, by Ctrl-C or by a kill of its whole process group. Supervisors and
 * the builds' daemons have sessions of their own, so no signal to the run's group reaches them.
 *
 * Usage: node end-left-processes.ts FOLDER, where FOLDER has the run's temporary files
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

import { attempt } from "#node/attempt.ts";
import { readProcessStat, sendSignal } from "#node/processes.ts";

const [, , folder = ""] = process.argv;
if (folder === "") throw new Error("the folder of the run is missing");

/** A process that is being killed may start another one, so one round is not enough. */
const MOST_ROUNDS = 100;
const ROUND_MS = 50;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
process.stdin.on("error", () => undefined);
for await (const _ of process.stdin) void _;

for (let round = 0; round < MOST_ROUNDS; round += 1) {
  const left = processesOfRun();
  if (left.length === 0) break;
  for (const pid of left) sendSignal(pid, "SIGKILL");
  await pause(ROUND_MS);
}
for (const path of mountsOfRun()) spawnSync("umount", ["--lazy", path]);
attempt(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }), undefined);

/** The processes with the folder in their environment, such as in TMPDIR, or else in their command line or as their cwd. */
function processesOfRun(): number[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid) || pid === process.pid || readProcessStat(pid)?.isDead !== false)
        return false;
      const texts = [
        attempt(() => readFileSync(`/proc/${pid}/environ`, "latin1"), ""),
        attempt(() => readFileSync(`/proc/${pid}/cmdline`, "latin1"), ""),
        `${attempt(() => readlinkSync(`/proc/${pid}/cwd`), "")}/`,
      ];
      return texts.some((text) => text.includes(`${folder}/`) || text.includes(`${folder}\0`));
    });
}

function mountsOfRun(): string[] {
  const mounts = attempt(() => readFileSync("/proc/self/mounts", "utf8"), "").split("\n");
  return mounts.map((line) => line.split(" ")[1] ?? "").filter((path) => path.startsWith(`${folder}/`));
}
