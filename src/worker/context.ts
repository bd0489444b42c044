import type { IdGenerator, ServerId, TokenId } from "#contract/ids.ts";
import type { Result } from "#contract/problems.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import type { TokenHolder, TokenIdentity } from "#worker/db/tokens/find-token-holder.ts";
import type { Database } from "#worker/db/database.ts";
import type { DatabaseSession } from "#worker/db/database-session.ts";
import type { AgentLink } from "#worker/objects/agent-link/agent-link.ts";
import type { ProjectLane } from "#worker/objects/project-lane/project-lane.ts";

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
  /** Where this installation is reached: `https://gantry.example.com`. */
  readonly origin: string;
};

/** A request by the holder of a token: who asks, and the rows that they may see. */
export type Context = Services & {
  readonly rows: AccountRows;
  /** The same rows as the primary has them now, for what has been written while the request lasts. */
  readonly latestRows: AccountRows;
  /** What `rows` reads through; it learns of what a lane wrote for this request. */
  readonly session: DatabaseSession;
  readonly account: TokenHolder["account"];
  readonly token: TokenIdentity;
  /** Tells this isolate, which remembers tokens for a while, that one has been changed. */
  readonly forgetToken: (id: TokenId) => void;
  /** What tells a request that is sent again from a new one; null where the client gave no Idempotency-Key. */
  readonly requestKey: string | null;
};

/** A request by the agent of a server. */
export type AgentContext = Services & { readonly rows: AccountRows; readonly serverId: ServerId };

/** A request by nobody in particular. */
export type OpenContext = Services & {
  readonly database: Database;
  /** Counts a wrong secret against the address that sent it. The refusal once there were too many. */
  readonly limitFailures: () => Promise<Result<never, "rate_limited"> | null>;
};
