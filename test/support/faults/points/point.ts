import type { Deployment, DeploymentStatus } from "#contract/endpoints/deployments/schemas.ts";

import type { Host } from "../host.ts";
import type { Installation } from "../installation.ts";
import type { Fate } from "../passages.ts";
import type { StartEnd } from "../requests.ts";
import type { Site } from "../site.ts";
import type { CommitChange } from "../source.ts";

/** Where a point takes place: an installation, and a site of its own that is live and visited. */
export type Scene = {
  readonly installation: Installation;
  readonly host: Host;
  readonly site: Site;
};

/** A moment that has been waited for. Whatever reached it stands still until it is told to go on. */
export type Armed = {
  readonly reached: Promise<void>;
  go(fate: Fate): Promise<void>;
};

export type Moment = (scene: Scene) => Armed | Promise<Armed>;

/** What goes wrong. It says what becomes of that which stood still; where it does not, that passes. */
export type Fault = (scene: Scene) => Promise<Fate | void>;

/** What is under way when something goes wrong: usually a deployment. */
export type Doing = (scene: Scene) => Promise<StartEnd | "nothing started">;

/** A deployment is under way, comes to a moment, something goes wrong, and it is put right again. */
export type FaultPoint = {
  readonly name: string;
  /** Of the project, besides those of every site. */
  readonly settings?: (installation: Installation) => Record<string, unknown>;
  /** Nothing has been deployed before, and so nobody visits. */
  readonly isFirst?: boolean;
  /** Comes before everything else, with nothing going wrong yet. */
  readonly prepare?: (scene: Scene) => Promise<unknown>;
  /** What the deployment's commit is like. */
  readonly commit?: CommitChange;
  /** A start of a deployment where it is left out. */
  readonly doing?: Doing;
  readonly at: Moment;
  readonly fault: Fault;
  /** Puts right what does not come back by itself. */
  readonly recover?: (scene: Scene) => Promise<void>;
  /** The verdicts that it may have then; `gone`: it is deleted. */
  readonly ends: readonly (DeploymentStatus | "gone")[];
  /** What else must be true of it. @throws where it is not */
  readonly check?: (deployment: Deployment, scene: Scene) => void | Promise<void>;
};
