import { logEndpoints } from "#contract/endpoints/logs/endpoints.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { answerPage } from "#worker/http/responses.ts";
import { forTokens } from "#worker/http/routes.ts";
import { eventStream, streamed } from "#worker/http/streamed.ts";
import type { StoredLine } from "#worker/logs/stored-lines.ts";
import {
  type DeploymentLogEvents,
  followDeploymentLog,
} from "#worker/operations/deployments/follow-deployment-log.ts";
import { getDeploymentLog, readDeploymentLog } from "#worker/operations/deployments/deployment-log.ts";
import { eventStreamStart, logEventText, logNdjson, logText } from "#worker/views/log-views.ts";

export const logRoutes = forTokens(logEndpoints, {
  async getDeploymentLog(context, { params, query, mediaType, lastEventId, url }) {
    const id = params.deployment_id;
    switch (mediaType) {
      case "application/json":
        return answerPage(getDeploymentLog(context, id, query), url);
      case "text/plain":
        return whole(
          context,
          await readDeploymentLog(context, id, query),
          "text/plain; charset=utf-8",
          logText,
        );
      case "application/x-ndjson":
        return whole(context, await readDeploymentLog(context, id, query), "application/x-ndjson", logNdjson);
      case "text/event-stream": {
        const events = await followDeploymentLog(context, id, query, lastEventId);
        if (!events.ok) return events;
        return eventStream(context, (signal) => eventTexts(events.value(signal)));
      }
    }
  },
});

function whole<Code extends "not_found" | "invalid_request" | "log_expired">(
  context: Context,
  log: Result<AsyncIterable<readonly StoredLine[]>, Code>,
  type: string,
  textOf: (lines: readonly StoredLine[]) => string,
) {
  if (!log.ok) return log;
  const headers = { "content-type": type, vary: "accept" };
  return succeed({ response: new Response(streamed(context, mapped(log.value, textOf)), { headers }) });
}

async function* eventTexts(events: ReturnType<DeploymentLogEvents>): AsyncGenerator<string> {
  yield eventStreamStart;
  yield* mapped(events, logEventText);
}

async function* mapped<From>(source: AsyncIterable<From>, to: (one: From) => string): AsyncGenerator<string> {
  for await (const one of source) yield to(one);
}
