import type { RequestOf } from "#client/client.ts";
import type { OutputOf } from "#contract/endpoints/endpoint.ts";
import type { userEndpoints } from "#contract/endpoints/user-endpoints.ts";
import type { ProblemCode } from "#contract/problems.ts";

export type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
export type { LogLine } from "#contract/endpoints/logs/schemas.ts";
export type { FieldError, ProblemCode } from "#contract/problems.ts";
export type { UnknownValue } from "#contract/growing.ts";

type Table = typeof userEndpoints;

/**
 * What each operation takes and returns, by the endpoint table. In the package, a module of the same names stands here: it
 * is printed from the OpenAPI document (scripts/client/operation-types.ts), so that users need no zod.
 */
export type Operations = {
  readonly [Name in keyof Table]: {
    readonly request: RequestOf<Table[Name]>;
    readonly answer: OutputOf<Table[Name]["success"]["body"]>;
    readonly problem: ProblemCode;
  };
};
