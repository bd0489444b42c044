import type * as z from "zod/mini";

import type { Endpoints, OperationName } from "#contract/endpoints/endpoints.ts";
import { example } from "#contract/reference/examples.ts";

type NamesIn<Schema> = Schema extends z.ZodMiniType ? keyof z.input<Schema> & string : never;

/** Every path and query parameter. A parameter without a text does not compile. */
export type ParameterName = {
  [Name in OperationName]: NamesIn<Endpoints[Name]["params"]> | NamesIn<Endpoints[Name]["query"]>;
}[OperationName];

export type ParameterText = {
  readonly description: string;
  /** The description as an optional parameter of the query; omitted: the same. */
  readonly inQuery?: string;
  readonly example: string | number | boolean;
};

export const parameterTexts: Readonly<Record<ParameterName, ParameterText>> = {
  project_id: {
    description: "The project's id.",
    inQuery: "Returns only deployments of this project.",
    example: example.project,
  },
  server_id: {
    description: "The server's id.",
    inQuery: "Returns only deployments on this server.",
    example: example.server,
  },
  deployment_id: { description: "The deployment's id.", example: example.deployment },
  sha256: {
    description: "The SHA-256 of all parts of the build in order, in hexadecimal.",
    example: "5f2b7c0e9d1a4f6388b1c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f50617",
  },
  part: { description: "The number of the part, from 1 to 64.", example: "1" },
  token_id: { description: "The token's id.", example: example.token },
  trust_rule_id: { description: "The trust rule's id.", example: example.trustRule },
  member_id: { description: "The member's id.", example: example.member },
  invitation_id: { description: "The invitation's id.", example: example.invitation },
  passkey_id: { description: "The passkey's id.", example: example.passkey },
  connection_id: { description: "The connection's id.", example: example.connection },
  identity_id: { description: "The identity's id.", example: example.identity },
  domain: {
    description:
      "The part of an e-mail address after the @, to find the connections of an account if the installation has several. If omitted, only the connections of a single account are returned.",
    example: "example.com",
  },
  freeze_id: { description: "The freeze's id.", example: example.freeze },
  hook_id: { description: "The hook's id.", example: example.hook },
  push_id: { description: "The id of the row in the ledger.", example: example.push },
  command_id: { description: "The command's id.", example: example.command },
  action: {
    description: "Returns only entries of this operation, by its name in this reference.",
    example: "updateProject",
  },
  outcome: {
    description: "Returns only requests that were carried out, or only refused ones.",
    example: "refused",
  },
  actor_id: {
    description: "Returns only what this member, token, hook or server did.",
    example: example.token,
  },
  target_id: { description: "Returns only entries about the object with this id.", example: example.server },
  event_id: { description: "The event's id.", example: example.event },
  webhook_id: { description: "The webhook's id.", example: example.webhook },
  process: {
    description: "The name of the process.",
    inQuery: "Returns only the output of this process.",
    example: "web",
  },
  job: { description: "The name of the job.", example: "backup" },
  run: { description: "The number of the run.", example: "17" },
  instance: { description: "Returns only the lines of the instance with this name.", example: "web-12-0" },
  ended: {
    description:
      "With `true`, returns the lines of the instances that have ended, instead of running instances. Not for an event stream. Default: `false`.",
    example: "true",
  },
  lines: {
    description:
      "How many of the last lines come first, up to 1000. Each instance has the same share of them. Default: 100.",
    example: 200,
  },
  limit: {
    description:
      "The maximum number of rows in the page. Default: 50, and all rows in the lists of projects and servers.",
    example: 20,
  },
  cursor: {
    description:
      "The `next_cursor` of the previous page. If omitted: the first page. A cursor of another list is 422.",
    example: example.cursor,
  },
  status: {
    description: "Returns only deployments with one of these statuses, separated by commas.",
    example: "failed",
  },
  type: {
    description:
      "Returns only events of these types, separated by commas. `deployment.*` stands for all types that begin so.",
    example: "deployment.live",
  },
  branch: {
    description: "Returns only deployments that were started with this branch.",
    example: "main",
  },
  commit: {
    description: "Returns only deployments of this commit. Send at least the first 7 characters of the hash.",
    example: example.commit,
  },
  offset: { description: "The `next_offset` of the previous part. Default: 0.", example: 118 },
  wait_seconds: {
    description: "How long to wait for new lines, up to 20 seconds. Default: 0.",
    example: 20,
  },
  deep: {
    description: "`true`: also says which copy of the database serves reads from here. Default: `false`.",
    example: "true",
  },
  purge: {
    description: "Also removes the project's files from its server. Default: `false`.",
    example: true,
  },
};

export const headerTexts = {
  ifLive:
    "Starts the deployment only if this deployment is still the live one. Otherwise the response is 412 `live_changed`. If omitted: starts it in any case.",
  idempotencyKey:
    "A unique text for this request, such as a UUID. If you send it again within 24 hours with the same body, you get the first response again, with `Idempotent-Replayed: true`. A request that was refused is carried out again, and recorded at that time. With another body, the response is 422 `idempotency_mismatch`.",
  lastEventId:
    "With `Accept: text/event-stream`: the `id` of the last event you received. The stream continues after it.",
  ifNoneMatch: "The `ETag` of an earlier response. If the response has not changed, you get an empty 304.",
  bookmark:
    "The `Gantry-Bookmark` of an earlier response. This request sees at least the data that the earlier one saw.",
} as const;
