import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";

import * as z from "zod/mini";

import { readBody } from "#agent/lib/http/read-body.ts";
import type { SiteRegistry } from "#agent/sites/site-registry.ts";
import { textUpTo } from "#contract/bounds.ts";
import { ProjectId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";

import "#contract/issue-messages.ts";
import { messageOf } from "#contract/lib/message-of.ts";

const MAX_BODY_CHARACTERS = 64 * 1024;

const PutSiteInput = z.strictObject({
  directory: textUpTo(4096).check(z.startsWith("/", "must be an absolute path")),
});

/** The answer to a request, before it is serialized. */
type Answer = { readonly status: number; readonly body: Record<string, unknown> };

const failure = (status: number, message: string): Answer => ({
  status,
  body: { error: message },
});

/**
 * The control API for the agent: HTTP on a unix socket that only this user may open. `PUT /projects/:project_id
 * {"directory"}` serves a project and answers `{"url"}`; `DELETE` of the same path stops serving it; `GET /projects`
 * lists the sites.
 * @throws when another site server listens on the socket
 */
export async function listenForControl(socketPath: string, registry: SiteRegistry): Promise<Server> {
  if (await isAnswering(socketPath)) throw new Error(`Another site server listens on ${socketPath} already.`);
  // A stale socket file would make `listen` fail.
  await rm(socketPath, { force: true });
  const server = createServer((request, response) => {
    void decide(request, registry)
      .catch((error: unknown) => failure(500, messageOf(error)))
      .then((answer) => write(response, answer));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socketPath, resolve);
  });
  await chmod(socketPath, 0o600);
  return server;
}

async function decide(request: IncomingMessage, registry: SiteRegistry): Promise<Answer> {
  const url = request.url ?? "/";
  if (request.method === "GET" && url === "/projects")
    return { status: 200, body: { sites: await registry.list() } };

  const match = /^\/projects\/([^/?]+)$/.exec(url);
  if (match === null)
    return failure(404, "Unknown path. Use PUT or DELETE /projects/:project_id, or GET /projects.");
  if (request.method !== "PUT" && request.method !== "DELETE")
    return failure(405, "Use PUT to serve a project, and DELETE to stop serving it.");
  const projectId = ProjectId.safeParse(match[1]);
  if (!projectId.success) return failure(422, "The path must end with a project ID.");
  if (request.method === "DELETE") {
    await registry.remove(projectId.data);
    return { status: 200, body: {} };
  }
  const input = PutSiteInput.safeParse(parseJson(await readBody(request, MAX_BODY_CHARACTERS)));
  if (!input.success) return failure(422, z.prettifyError(input.error));
  return { status: 200, body: { url: await registry.put(projectId.data, input.data.directory) } };
}

function write(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}

function isAnswering(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
