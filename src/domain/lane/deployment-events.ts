import type { Actor } from "#contract/endpoints/deployments/schemas.ts";
import type { CatchUpEvent, DeploymentEvent, EventActor } from "#contract/endpoints/events/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { LaneDeployment, Plan } from "#domain/lane/lane.ts";

/** A change of a deployment that is an event. `deployment`: after the change. */
export type EventEffect = {
  readonly type: "event";
  readonly event: DeploymentEvent["type"];
  readonly deployment: LaneDeployment;
  readonly plan: Plan;
  readonly actor: EventActor;
  readonly replacedBy?: Replacement;
};

/** A server of several that does not serve the live deployment, or serves it again. */
export type PlaceEffect = {
  readonly type: "server_event";
  readonly event: CatchUpEvent["type"];
  readonly server: CatchUpEvent["data"]["server"];
  readonly live: CatchUpEvent["data"]["live"];
  readonly projectName: string;
};

/** The newer deployment that took the place of one. */
export type Replacement = { readonly id: DeploymentId; readonly version: number };

/** Who ends a deployment before its agent does. `name`: for the deployment's log. */
export type Canceling = {
  readonly name: string;
  readonly actor: EventActor;
  readonly replacedBy?: Replacement;
};

export function canceledBy(actor: Actor): Canceling {
  return { name: actor.name, actor };
}
