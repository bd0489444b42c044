import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";

import * as z from "zod/mini";

import { readNotes } from "#agent/apps/instance-notes.ts";
import { unreadableReason } from "#agent/lib/unreadable-reason.ts";
import { commitFile, discardPrepared, prepareFile, preparedPath } from "#agent/workspace/prepared-file.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { ReleaseVersion } from "#contract/agent-order.ts";
import {
  AllProcessSettings,
  DrainSeconds,
  InstanceName,
  ProcessName,
  WEB,
} from "#contract/endpoints/processes/schemas.ts";
import { HealthCheck } from "#contract/endpoints/projects/settings.ts";
import { ResolvedProcess } from "#contract/processes/resolve-processes.ts";
import { storedAs } from "#contract/stored.ts";
import { attempt } from "#node/attempt.ts";
import { hasCode } from "#node/has-code.ts";

/**
 * The processes and instances of a project that must run. `desired.json` is in force. A run or a correction prepares
 * `desired.next.json`, which replaces the other after its verdict.
 */
const Desired = z.object({
  /** The run whose verdict makes it true; `null` for a correction. */
  run_id: z.nullable(z.string()),
  /** The version of the deployment, and the release that it runs. */
  version: ReleaseVersion,
  release: ReleaseVersion,
  processes: z.array(ResolvedProcess),
  instances: z.array(z.object({ name: InstanceName, process: ProcessName })),
  /** The instances that it replaced: they drain from the verdict on. */
  replaced: z.array(InstanceName),
  drain_seconds: DrainSeconds,
  /** `processes` was resolved from these settings and the release. A correction has no order, so it uses them again. */
  settings: AllProcessSettings,
  domain: z.string(),
  health_check: z.nullable(HealthCheck),
});
export type Desired = z.infer<typeof Desired>;
const storedDesired = storedAs(Desired);

function parse(path: string): Desired {
  return storedDesired.parse(JSON.parse(readFileSync(path, "utf8")));
}

function read(path: string): Desired | null {
  return attempt(() => parse(path), null);
}

/**
 * For reports, where a file that cannot be read counts as none.
 * @returns `null` for a project without processes. Synchronous, as the notes of its instances are.
 */
export function readDesired({ desired }: ProjectFolder): Desired | null {
  return read(desired);
}

/**
 * As `readDesired`, for what stops instances or leads requests away from them: a file that cannot be read does not mean
 * that nothing must run.
 * @throws when the file exists and cannot be read
 */
export function requireDesired(folder: ProjectFolder): Desired | null {
  try {
    return parse(folder.desired);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    const reason = unreadableReason(error);
    throw new Error(`${folder.desired} cannot be read: ${reason}. The next deployment replaces it`, {
      cause: error,
    });
  }
}

export function readNextDesired(folder: ProjectFolder): Desired | null {
  return read(preparedPath(folder.desired));
}

/** Stores what a run is about to make true. @throws when the disk is full */
export function prepareDesired(folder: ProjectFolder, next: Desired): Promise<void> {
  return prepareFile(folder.desired, next);
}

/** Makes the prepared state true. Safe to repeat, and needs no space on the disk. */
export function commitDesired(folder: ProjectFolder): Promise<void> {
  return commitFile(folder.desired);
}

/** Drops the prepared state. */
export function discardNextDesired(folder: ProjectFolder): Promise<void> {
  return discardPrepared(folder.desired);
}

/** Makes nothing of the project run from now on. */
export async function removeDesired(folder: ProjectFolder): Promise<void> {
  await discardNextDesired(folder);
  await rm(folder.desired, { force: true });
}

/** Whether a project has instances, or must have some. True if that cannot be read. */
export function hasInstances(folder: ProjectFolder): boolean {
  return existsSync(folder.desired) || readNotes(folder).length > 0;
}

/** Whether a project's domain leads to instances. */
export function isApp({ processes }: Pick<Desired, "processes">): boolean {
  return processes.some(({ name }) => name === WEB);
}
