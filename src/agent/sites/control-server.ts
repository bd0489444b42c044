import type { IncomingMessage, Server } from "node:http";

import * as z from "zod/mini";

import { type ControlAnswer, controlFailure, serveControl } from "#agent/lib/http/control-server.ts";
import { readBody } from "#agent/lib/http/read-body.ts";
import type { SiteRegistry } from "#agent/sites/site-registry.ts";
import { textUpTo } from "#contract/bounds.ts";
import { ProjectId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";

import "#contract/issue-messages.ts";

const MAX_BODY_CHARACTERS = 64 * 1024;

const PutSiteInput = z.strictObject({
  directory: textUpTo(4096).check(z.startsWith("/", "must be an absolute path")),
});

/**
 * The control API for the agent: HTTP on a unix socket that only this user may open. `PUT /projects/:project_id
 * {"directory"}` serves a project and answers `{"url"}`; `DELETE` of the same path stops serving it; `GET /projects`
 * lists the sites.
 * @throws when another site server listens on the socket
 */
export function listenForControl(socketPath: string, registry: SiteRegistry): Promise<Server> {
  return serveControl(socketPath, "site server", (request) => decide(request, registry));
}

async function decide(request: IncomingMessage, registry: SiteRegistry): Promise<ControlAnswer> {
  const url = request.url ?? "/";
  if (request.method === "GET" && url === "/projects")
    return { status: 200, body: { sites: await registry.list() } };

  const match = /^\/projects\/([^/?]+)$/.exec(url);
  if (match === null)
    return controlFailure(404, "Unknown path. Use PUT or DELETE /projects/:project_id, or GET /projects.");
  if (request.method !== "PUT" && request.method !== "DELETE")
    return controlFailure(405, "Use PUT to serve a project, and DELETE to stop serving it.");
  const projectId = ProjectId.safeParse(match[1]);
  if (!projectId.success) return controlFailure(422, "The path must end with a project ID.");
  if (request.method === "DELETE") {
    await registry.remove(projectId.data);
    return { status: 200, body: {} };
  }
  const input = PutSiteInput.safeParse(parseJson(await readBody(request, MAX_BODY_CHARACTERS)));
  if (!input.success) return controlFailure(422, z.prettifyError(input.error));
  return { status: 200, body: { url: await registry.put(projectId.data, input.data.directory) } };
}
