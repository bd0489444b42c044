import type { Deployment, DeploymentStatus } from "#contract/endpoints/deployments/schemas.ts";

import type { Host } from "../host.ts";
import type { Installation } from "../installation.ts";
import type { Fate } from "../passages.ts";
import type { StartEnd } from "../requests.ts";
import type { Site } from "../site.ts";
import type { CommitChange } from "../source.ts";

/** The environment of a point: an installation, and a separate site that is live and has a visitor. */
export type Scene = {
  readonly installation: Installation;
  readonly host: Host;
  readonly site: Site;
};

/** A moment that a point waits for. The passage or command that reaches it is held until `go`. */
export type Armed = {
  readonly reached: Promise<void>;
  go(fate: Fate): Promise<void>;
};

export type Moment = (scene: Scene) => Armed | Promise<Armed>;

/** The fault. @returns what happens to the held passage; without one, it passes */
export type Fault = (scene: Scene) => Promise<Fate | void>;

/** The operation under way when the fault happens, usually a deployment. */
export type Doing = (scene: Scene) => Promise<StartEnd | "nothing started">;

/** One test: an operation reaches a moment, a fault happens, and the system recovers. */
export type FaultPoint = {
  readonly name: string;
  /** Project settings in addition to the settings of every site. */
  readonly settings?: (installation: Installation) => Record<string, unknown>;
  /** Whether the site's page is served by instances of its releases. */
  readonly isApp?: boolean;
  /** Whether the deployment is the project's first, so that the site has no visitor. */
  readonly isFirst?: boolean;
  /** Runs before everything else, without a fault. */
  readonly prepare?: (scene: Scene) => Promise<unknown>;
  /** Changes to the deployment's commit. */
  readonly commit?: CommitChange;
  /** Starts a deployment by default. */
  readonly doing?: Doing;
  readonly at: Moment;
  readonly fault: Fault;
  /** Restores what does not recover by itself. */
  readonly recover?: (scene: Scene) => Promise<void>;
  /** The statuses that the deployment may end with; `gone`: it is deleted. */
  readonly ends: readonly (DeploymentStatus | "gone")[];
  /** Checks the ended deployment further. @throws if the check fails */
  readonly check?: (deployment: Deployment, scene: Scene) => void | Promise<void>;
};
