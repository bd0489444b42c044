import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";

import * as z from "zod/mini";

import type { SiteRegistry } from "#agent/sites/site-registry.ts";
import { textUpTo } from "#contract/bounds.ts";
import { ProjectId } from "#contract/ids.ts";

import "#contract/issue-messages.ts";
import { messageOf } from "#contract/lib/message-of.ts";

const MAX_BODY_BYTES = 64 * 1024;

const PutSiteInput = z.strictObject({
  directory: textUpTo(4096).check(z.startsWith("/", "must be an absolute path")),
});

/** A request's answer before it is written down. */
type Answer = { readonly status: number; readonly body: Record<string, unknown> };

const failure = (status: number, message: string): Answer => ({
  status,
  body: { error: message },
});

/**
 * The agent's way in: HTTP on a unix socket that only this user may open.
 * `PUT /projects/:project_id {"directory"}` answers `{"url"}`; `DELETE` of the same ends the site; `GET /projects`
 * lists the sites.
 * @throws when another site server answers on the socket.
 */
export async function listenForControl(socketPath: string, registry: SiteRegistry): Promise<Server> {
  if (await isAnswering(socketPath)) throw new Error(`Another site server listens on ${socketPath} already.`);
  // A socket file whose server is gone would refuse the new one its place.
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
    return failure(404, "There is PUT and DELETE /projects/:project_id, and GET /projects.");
  if (request.method !== "PUT" && request.method !== "DELETE")
    return failure(405, "A project's site is set with PUT and ended with DELETE.");
  const projectId = ProjectId.safeParse(match[1]);
  if (!projectId.success) return failure(422, "The path does not end in a project's id.");
  if (request.method === "DELETE") {
    await registry.remove(projectId.data);
    return { status: 200, body: {} };
  }
  const input = PutSiteInput.safeParse(await readJson(request));
  if (!input.success) return failure(422, z.prettifyError(input.error));
  return { status: 200, body: { url: await registry.put(projectId.data, input.data.directory) } };
}

/** @returns `undefined` for a body that is not JSON or is too large */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part: unknown = chunk;
    if (!(part instanceof Buffer)) continue;
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
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
