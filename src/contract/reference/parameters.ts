import type * as z from "zod/mini";

import type { Endpoints, OperationName } from "#contract/endpoints/endpoints.ts";
import { example } from "#contract/reference/examples.ts";

type NamesIn<Schema> = Schema extends z.ZodMiniType ? keyof z.input<Schema> & string : never;

/** Every parameter of a path or a query: one that has no text does not compile. */
export type ParameterName = {
  [Name in OperationName]: NamesIn<Endpoints[Name]["params"]> | NamesIn<Endpoints[Name]["query"]>;
}[OperationName];

export type ParameterText = { readonly description: string; readonly example: string | number | boolean };

export const parameterTexts: Readonly<Record<ParameterName, ParameterText>> = {
  project_id: { description: "A project's id.", example: example.project },
  server_id: { description: "A server's id.", example: example.server },
  deployment_id: { description: "A deployment's id.", example: example.deployment },
  token_id: { description: "A token's id.", example: example.token },
  limit: { description: "How many at most. The next page, if there is one, begins after them.", example: 20 },
  cursor: {
    description:
      "Where to go on: `next_cursor` of the page before. It belongs to the list that gave it; another is 422.",
    example: example.cursor,
  },
  status: {
    description: "Only those with one of these statuses, separated by commas.",
    example: "failed",
  },
  branch: {
    description: "Only those of this branch, as it was named when they were started.",
    example: "main",
  },
  commit: {
    description: "Only those of the commit whose hash begins like this: 7 characters or more.",
    example: example.commit,
  },
  purge: {
    description: "Also remove the project's files from its server.",
    example: true,
  },
};

export const headerTexts = {
  ifLive:
    "Go on only if this deployment is still the live one of the project; otherwise 412 `live_changed`, and nothing is started.",
  idempotencyKey:
    "Any text of yours that names this one request, such as a UUID. Sent again within 24 hours with the same body, it gets the answer that the first one got, with `Idempotent-Replayed: true`; with another body it is 422 `idempotency_mismatch`.",
  lastEventId:
    "With `Accept: text/event-stream`: the `id` of the last event that the client has seen. The stream goes on after it.",
  ifNoneMatch: "The `ETag` of an answer that the client has. If it still holds, the answer is an empty 304.",
  bookmark:
    "The `Gantry-Bookmark` of an earlier answer. What was written before that answer is seen by this request, whichever copy of the database is near.",
} as const;
