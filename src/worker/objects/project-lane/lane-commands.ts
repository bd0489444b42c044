import type { RunEvent } from "#contract/agent-events.ts";
import type { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import type { ConfigRequest } from "#domain/lane/decide-config.ts";
import type { RollbackRequest } from "#domain/lane/decide-rollback.ts";
import type { ReportedEvents } from "#domain/lane/decide-run-events.ts";
import type { StartRequest } from "#domain/lane/decide-start.ts";
import type { LaneOwner } from "#worker/objects/project-lane/lane-store.ts";

/** What to start. The lane creates the ids, so that they rise with the versions. */
export type StartCommand = Omit<StartRequest, "id" | "runId"> & Commanded;
export type RollbackCommand = Omit<RollbackRequest, "id" | "runId"> & Commanded;
export type ConfigCommand = Omit<ConfigRequest, "id" | "runId"> & Commanded;

/** `requestKey`: the same for each retry of one request, so that it starts one deployment; null: no idempotency key. */
type Commanded = { owner: LaneOwner; requestKey: string | null };

/** `bookmark`: the D1 session bookmark of the write; null if D1 could not be written yet. */
export type Started = { started: DeploymentStarted; bookmark: string | null };
export type Written = { bookmark: string | null };

export type RunEventsCommand = Omit<ReportedEvents, "events"> & { events: RunEvent[] };
