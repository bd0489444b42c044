import { exchange } from "#client/exchange.ts";
import { followStream } from "#client/follow-stream.ts";
import type { LogReading } from "#client/log-event-reader.ts";
import { followLogWith } from "#client/log-follower.ts";
import type { Transport } from "#client/request.ts";
import type { RetryOptions } from "#client/with-retry.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { parseJson } from "#contract/parse-json.ts";
import { calls } from "#library/calls.ts";
import type { AnswerOf, AnyEvent, FollowEventsOptions, FollowLogOptions } from "#library/client-types.ts";
import type { LogLine } from "#library/operations.ts";
import { GantryProblem } from "#library/problem.ts";

type Following = {
  readonly transport: Transport;
  readonly onWaiting: NonNullable<RetryOptions["onWaiting"]>;
};

/** @param timed sends the requests that are no streams */
export async function* followLog(
  { transport, onWaiting, timed }: Following & { readonly timed: Transport },
  deploymentId: string,
  { afterLine, signal }: FollowLogOptions = {},
): AsyncGenerator<LogLine, void, undefined> {
  const reading: LogReading = {
    endpoint: calls.getDeploymentLog,
    line: (value) => (isLine(value) ? value : null),
    end: (value) => (isEnd(value) ? value : null),
    page: (query) =>
      exchange(
        calls.getDeploymentLog,
        { params: { deployment_id: deploymentId }, query, ...(signal === undefined ? {} : { signal }) },
        timed,
        (page) => (isPage(page) ? { success: true, data: page } : { success: false }),
      ),
  };
  const options = {
    ...(afterLine === undefined ? {} : { afterLine }),
    ...(signal === undefined ? {} : { signal }),
  };
  for await (const event of followLogWith(reading, transport, deploymentId, options)) {
    if (event.type === "line") yield event.line;
    else if (event.type === "waiting") onWaiting(event.problem, event.ms);
    else if (event.type === "problem") throw new GantryProblem(event.problem);
  }
}

export async function* followEvents(
  { transport, onWaiting }: Following,
  { types, projectId, after, signal = new AbortController().signal }: FollowEventsOptions = {},
): AsyncGenerator<AnyEvent, void, undefined> {
  const query = { type: types, project_id: projectId };
  const followed = followStream(transport, {
    endpoint: calls.listEvents,
    request: { query },
    lastId: after === undefined ? null : String(after),
    read: ({ data }) => {
      const event = parseJson(data);
      return isEvent(event) ? { type: "event" as const, event } : null;
    },
    signal,
  });
  for await (const one of followed) {
    if (one.type === "event") yield one.event;
    else if (one.type === "waiting") onWaiting(one.problem, one.ms);
    else if (one.type === "problem") throw new GantryProblem(one.problem);
  }
}

// The rest of what an installation sends is trusted: the package has no schemas. These are the fields that decide here.

function isLine(value: unknown): value is LogLine {
  const { line, message } = objectOf(value);
  return typeof line === "number" && typeof message === "string";
}

function isEnd(value: unknown): value is NonNullable<ReturnType<LogReading["end"]>> {
  return typeof objectOf(value)["status"] === "string";
}

function isPage(value: unknown): value is AnswerOf<"getDeploymentLog"> {
  const { lines } = objectOf(value);
  return Array.isArray(lines) && lines.every(isLine);
}

function isEvent(value: unknown): value is AnyEvent {
  return typeof objectOf(value)["type"] === "string";
}
