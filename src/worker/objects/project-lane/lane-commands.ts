import type { RunEvent } from "#contract/agent-events.ts";
import type { Actor, DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { Approval } from "#domain/lane/decide-approve.ts";
import type { ConfigRequest } from "#domain/lane/decide-config.ts";
import type { RollbackRequest } from "#domain/lane/decide-rollback.ts";
import type { ReportedEvents } from "#domain/lane/decide-run-events.ts";
import type { StartRequest } from "#domain/lane/decide-start.ts";
import type { StoredChange, StoredEntry } from "#worker/db/changes/stored-change.ts";
import type { NewPush } from "#worker/db/pushes/push-records.ts";
import type { LaneOwner } from "#worker/objects/project-lane/lane-store.ts";

/**
 * What to start. The lane creates the ids, so that they rise with the versions. `ledgerRow`: of the push that starts
 * the deployment. Only the lane writes this row, together with the deployment.
 */
export type StartCommand = Omit<StartRequest, "id" | "runId"> &
  Commanded & { ledgerRow?: NewPush | undefined };
export type RollbackCommand = Omit<RollbackRequest, "id" | "runId"> & Commanded;
export type ConfigCommand = Omit<ConfigRequest, "id" | "runId"> & Commanded;

/**
 * `requestKey`: the same for each retry of one request, so that it starts one deployment; null: no idempotency key.
 * `audit`: the entry of the request, which the lane adds the deployment to; null: the caller has recorded the request.
 */
export type Commanded = { owner: LaneOwner; requestKey: string | null; audit: StoredEntry | null };

/** A request about one deployment. */
export type DeploymentCommand = {
  owner: LaneOwner;
  id: DeploymentId;
  actor: Actor;
  audit: StoredEntry;
};

export type ApproveCommand = Approval & { owner: LaneOwner; audit: StoredEntry };

/** `change`: the event of the deletion, and the entry of the request. */
export type DeleteCommand = { owner: LaneOwner; id: DeploymentId; actor: Actor; change: StoredChange };

/**
 * `isRepeated`: an earlier request with the same key has started it. `bookmark`: the D1 session bookmark of the write; null
 * if D1 could not be written yet.
 */
export type Started = { started: DeploymentStarted; isRepeated: boolean; bookmark: string | null };
export type Written = { bookmark: string | null };

export type RunEventsCommand = Omit<ReportedEvents, "events"> & { events: RunEvent[] };
