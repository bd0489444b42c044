import {
  agentFilePaths,
  COMMAND_PACKAGE_PATH,
  dashboardPaths,
  isBelow,
  MISSING_PAGE,
  referencePaths,
  SECURITY_TEXT_PATH,
} from "#contract/public-paths.ts";
import { AGENT_ARTIFACTS_PATH, AGENT_CONNECT_PATH } from "#contract/endpoints/agents/endpoints.ts";
import { requestLines } from "#contract/endpoints/request-lines.ts";
import { refuse } from "#contract/problems.ts";
import type { App } from "#worker/http/app.ts";
import { pageResponse, wantsPage } from "#worker/http/page-response.ts";
import { problemResponse } from "#worker/http/problem-response.ts";
import { errorLogLine, refusalFor } from "#worker/http/unexpected-error.ts";

/** Answers other methods of known paths, unknown paths, and errors. Register it last. */
export function registerFallback(app: App): void {
  const isPattern = ([path]: readonly [string, unknown]) => path.includes(":");
  const known = [...methodsByPath()];
  // Hono takes the first route that matches, and a pattern such as /v1/invitations/:id also matches a path of its own.
  for (const [path, methods] of [...known.filter((one) => !isPattern(one)), ...known.filter(isPattern)]) {
    const allow = [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
    app.all(path, (c) => {
      const response = problemResponse(
        c,
        refuse("method_not_allowed", `This path supports ${allow}.`).refusal,
      );
      response.headers.set("allow", allow);
      return response;
    });
  }
  app.notFound(async (c) =>
    wantsPage(c.req.raw) && !isBelow(c.req.path, "/v1")
      ? pageResponse(await c.env.ASSETS.fetch(new URL(MISSING_PAGE, c.req.url)), 404)
      : problemResponse(
          c,
          refuse("not_found", "No endpoint or page has this path. See /docs for all endpoints.").refusal,
        ),
  );
  app.onError((error, c) => {
    console.error(errorLogLine(error, c.get("requestId"), c.req.raw));
    return problemResponse(c, refusalFor(error));
  });
}

function methodsByPath(): Map<string, Set<string>> {
  const readOnly = [
    AGENT_CONNECT_PATH,
    SECURITY_TEXT_PATH,
    COMMAND_PACKAGE_PATH,
    ...referencePaths,
    ...Object.values(agentFilePaths),
    ...Object.values(dashboardPaths),
  ];
  const byPath = new Map(readOnly.map((path) => [path, new Set(["GET"])]));
  byPath.set(AGENT_ARTIFACTS_PATH, new Set(["PUT", "GET"]));
  for (const { path, method } of Object.values(requestLines))
    byPath.set(path, (byPath.get(path) ?? new Set()).add(method));
  return byPath;
}
