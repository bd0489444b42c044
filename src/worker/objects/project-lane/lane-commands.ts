import type { RunEvent } from "#contract/agent-protocol.ts";
import type { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import type { RollbackRequest } from "#domain/lane/decide-rollback.ts";
import type { ReportedEvents } from "#domain/lane/decide-run-events.ts";
import type { StartRequest } from "#domain/lane/decide-start.ts";
import type { LaneOwner } from "#worker/objects/project-lane/lane-store.ts";

/** What to start. The ids are made by the lane, so that they rise with the versions. */
export type StartCommand = Omit<StartRequest, "id" | "runId"> & Commanded;
export type RollbackCommand = Omit<RollbackRequest, "id" | "runId"> & Commanded;

/** `requestKey`: the same for each try of one request, of which the first starts something; null: it has none. */
type Commanded = { owner: LaneOwner; requestKey: string | null };

/** `bookmark`: from where on D1 has it; null where D1 could not be told yet. */
export type Started = { started: DeploymentStarted; bookmark: string | null };
export type Written = { bookmark: string | null };

export type RunEventsCommand = Omit<ReportedEvents, "events"> & { events: RunEvent[] };
