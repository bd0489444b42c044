import type { OperationName } from "#contract/endpoints/endpoints.ts";
import type { IdGenerator, MemberId, ServerId, TokenId, TrustRuleId } from "#contract/ids.ts";
import type { Permission } from "#contract/permissions.ts";
import type { Result } from "#contract/problems.ts";
import type { Jurisdiction } from "#contract/regions.ts";
import type { Mail } from "#domain/notify/email.ts";
import type { PlanLimits } from "#domain/plan-limits.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import type { TokenHolder, TokenIdentity } from "#worker/db/tokens/find-token-holder.ts";
import type { Database, DatabaseSession } from "#worker/db/database-session.ts";
import type { OpenStreams } from "#worker/following/open-streams.ts";
import type { EventFeed } from "#worker/objects/event-feed/event-feed.ts";
import type { ServerLocation } from "#worker/objects/location.ts";
import type { ProjectLane } from "#worker/objects/project-lane/project-lane.ts";

/** What every operation may use, regardless of the caller. */
export type Services = {
  /** Unix milliseconds. */
  readonly clock: { now(): number };
  readonly ids: IdGenerator;
  readonly randomBytes: (count: number) => Uint8Array;
  /** Lanes by project id. */
  readonly lanes: DurableObjectNamespace<ProjectLane>;
  /** Agent links by server id. Their class uses operations, so its file is not imported here. */
  readonly links: Env["AGENT_LINK"];
  /** Event feeds by account id. */
  readonly feeds: DurableObjectNamespace<EventFeed>;
  /** Outlets by webhook id. Their class uses an operation too. */
  readonly outlets: Env["OUTLET"];
  /** Where the installation keeps its objects; null: anywhere. */
  readonly jurisdiction: Jurisdiction | null;
  /** The options for an object that belongs near a server and may not exist yet. */
  readonly near: (location: ServerLocation) => DurableObjectNamespaceGetDurableObjectOptions;
  readonly logs: R2Bucket;
  /** The event streams of this isolate. */
  readonly streams: OpenStreams;
  readonly baseDomain: string;
  /** What the installation can use. */
  readonly limits: PlanLimits;
  /** The address of this installation, such as `https://gantry.example.com`. */
  readonly origin: string;
  /** Why a webhook must not have this target, as a sentence; null: it may. */
  readonly targetProblem: (url: string) => string | null;
  /** Sends a mail. Returns why it was not sent, as a sentence; null: it was. Null: the installation cannot send mail. */
  readonly mail: ((mail: Mail) => Promise<string | null>) | null;
  /** Continues work after the response. The work must catch its own errors. */
  readonly defer: (work: Promise<void>) => void;
};

/** A request as the audit log describes it. */
export type RequestOrigin = {
  readonly id: string;
  /** The address of the client; null: unknown, because no Cloudflare server is in front. */
  readonly ip: string | null;
  readonly operation: OperationName;
};

/** The context of a request with a token: the caller, and the rows that the caller may read. */
export type Context = Services & {
  readonly rows: AccountRows;
  /** The same rows, read from the primary: for rows that change during the request. */
  readonly latestRows: AccountRows;
  /** The D1 session of `rows`. Takes the bookmark of what a lane wrote for this request. */
  readonly session: DatabaseSession;
  readonly account: TokenHolder["account"];
  readonly token: TokenIdentity;
  readonly member: TokenHolder["member"];
  /** What the caller may do. `rows` are limited to where the caller has the scope of the endpoint. */
  readonly permissions: readonly Permission[];
  /** Removes a changed token from this isolate's cache. */
  readonly forgetToken: (id: TokenId) => void;
  /** The same for all tokens of a changed member. */
  readonly forgetMember: (id: MemberId) => void;
  /** Reads the token again. @returns whether it still counts, with the same rights */
  readonly isStillAllowed: () => Promise<boolean>;
  readonly request: RequestOrigin;
  /** The same for each retry of a request; null without an Idempotency-Key. */
  readonly requestKey: string | null;
};

/** The context of a request from a server's agent. */
export type AgentRequestContext = Services & { readonly rows: AccountRows; readonly serverId: ServerId };

/** The context of a request without authentication. */
export type OpenContext = Services & {
  readonly database: Database;
  readonly request: RequestOrigin;
  /** The request itself. Its body is not read if the endpoint has none in the table. */
  readonly raw: Request;
  /** Counts a wrong secret for the address that sent it. @returns a refusal if there were too many */
  readonly limitFailures: () => Promise<Result<never, "rate_limited"> | null>;
  /** Counts a command that asks whether it may sign in. @returns a refusal if its address has asked too often */
  readonly limitClaims: () => Promise<Result<never, "rate_limited"> | null>;
  /** Counts a token that a job gets by a trust rule. @returns a refusal if the rule gave too many in this minute */
  readonly limitExchanges: (id: TrustRuleId) => Promise<Result<never, "rate_limited"> | null>;
  /** Counts a refused job of a trust rule or a refused sign-in of a member. @returns a refusal if there were too many: the rest is not recorded */
  readonly limitRefusals: (id: TrustRuleId | MemberId) => Promise<Result<never, "rate_limited"> | null>;
};
