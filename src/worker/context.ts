import type { IdGenerator, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import type { TokenHolder, TokenIdentity } from "#worker/db/credentials.ts";
import type { Database } from "#worker/db/database.ts";
import type { AgentLink } from "#worker/objects/agent-link.ts";
import type { ProjectLane } from "#worker/objects/project-lane.ts";

/** What every operation may use, whoever asks. */
export type Services = {
  /** Unix milliseconds. */
  readonly clock: { now(): number };
  readonly ids: IdGenerator;
  readonly randomBytes: (count: number) => Uint8Array;
  /** A lane by its project's id. */
  readonly lanes: DurableObjectNamespace<ProjectLane>;
  /** An agent's link by its server's id. */
  readonly links: DurableObjectNamespace<AgentLink>;
  readonly logs: R2Bucket;
  readonly baseDomain: string;
  /** Of this installation, as the caller addressed it: `https://gantry.example.com`. */
  readonly origin: string;
};

/** A request by the holder of a token: who asks, and the rows that they may see. */
export type Context = Services & {
  readonly rows: AccountRows;
  readonly account: TokenHolder["account"];
  readonly token: TokenIdentity;
};

/** A request by the agent of a server. */
export type AgentContext = Services & { readonly rows: AccountRows; readonly serverId: ServerId };

/** A request by nobody in particular. */
export type OpenContext = Services & { readonly database: Database };
