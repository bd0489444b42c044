import type { DeploymentId, IdGenerator, ProjectId } from "#contract/ids.ts";
import type { EventEffect, PlaceEffect } from "#domain/lane/deployment-events.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import type { NewEvent } from "#worker/db/changes/change-writes.ts";
import { type StoredChange, storedChange, type StoredEntry } from "#worker/db/changes/stored-change.ts";
import type { NewPush } from "#worker/db/pushes/push-records.ts";
import { recordOf } from "#worker/objects/project-lane/deployment-record.ts";
import { deploymentTarget } from "#worker/views/audit-view.ts";
import { eventDeployment, eventProject } from "#worker/views/event-view.ts";

type Place = { readonly projectId: ProjectId; readonly url: string | null };

/** The event of a deployment's change. @param now Unix milliseconds */
export function deploymentEvent(
  { event: type, deployment, plan, actor, replacedBy }: EventEffect,
  { projectId, url }: Place,
  ids: IdGenerator,
  now: number,
): NewEvent {
  const { name, repository } = plan;
  const project = eventProject({ id: projectId, name, repository, url });
  const data = {
    project,
    deployment: eventDeployment(recordOf(deployment, projectId), now),
    replaced_by: replacedBy ?? null,
  };
  return { id: ids.event(), type, data, actor, createdAt: now };
}

/** The event of a server that is behind, or is no longer. @param now Unix milliseconds */
export function placeEvent(
  { event: type, server, live, projectName }: PlaceEffect,
  projectId: ProjectId,
  ids: IdGenerator,
  now: number,
): NewEvent {
  const data = { project: { id: projectId, name: projectName }, server, live };
  return { id: ids.event(), type, data, actor: SYSTEM, createdAt: now };
}

/** The entry of a request that has started a deployment, and the ledger's row of a push; null: neither is to be written. */
export function startChange(
  audit: StoredEntry | null,
  ledgerRow: NewPush | undefined,
  { id, version }: { readonly id: DeploymentId; readonly version: number },
): StoredChange | null {
  if (audit === null && ledgerRow === undefined) return null;
  const target = deploymentTarget({ id, version });
  return {
    ...storedChange(null, audit === null ? null : { ...audit, target }),
    ...(ledgerRow === undefined ? {} : { push: { ...ledgerRow, deploymentId: id } }),
  };
}
