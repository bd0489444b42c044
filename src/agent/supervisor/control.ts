import type { IncomingMessage, Server } from "node:http";

import * as z from "zod/mini";

import { AGENT_VERSION } from "#agent/context/version.ts";
import { type ControlAnswer, controlFailure, serveControl } from "#agent/lib/http/control-server.ts";
import { readBody } from "#agent/lib/http/read-body.ts";
import type { Instances } from "#agent/supervisor/instances.ts";
import {
  type About,
  InstanceBody,
  type InstanceList,
  type InstanceView,
  type Listens,
} from "#agent/supervisor/protocol.ts";
import { InstanceName } from "#contract/endpoints/processes/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";

import "#contract/issue-messages.ts";

/** Above the largest environment that Linux passes to a program, with each character escaped. */
const MAX_BODY_CHARACTERS = 16 * 1024 * 1024;

/**
 * The control API for the agent: HTTP on a unix socket that only this user may open.
 *
 * - `GET /instances` and `GET /projects/:project_id/instances` list instances.
 * - `PUT /projects/:project_id/instances/:name` starts an instance. `DELETE` stops it, and answers when it has ended.
 * - `GET /projects/:project_id/instances/:name/ports/:port` answers whether the instance listens on a port.
 * - `GET /` answers the version.
 * - `POST /leave` ends the supervisor, whose instances run on, and answers their commands.
 * - `POST /end` stops all instances and ends the supervisor.
 *
 * @param end ends the supervisor. Called before an answer, which must still be sent
 * @throws when another supervisor listens on the socket
 */
export function controlInstances(socketPath: string, instances: Instances, end: () => void): Promise<Server> {
  return serveControl(socketPath, "supervisor", (request) => decide(request, instances, end));
}

async function decide(
  request: IncomingMessage,
  instances: Instances,
  end: () => void,
): Promise<ControlAnswer> {
  const { method, url = "/" } = request;
  if (method === "GET" && url === "/instances") return listed(instances.list(null));
  if (method === "GET" && url === "/") {
    const body: z.infer<typeof About> = { version: AGENT_VERSION };
    return { status: 200, body };
  }
  if (method === "POST" && url === "/end") {
    await instances.end(Infinity);
    end();
    return { status: 200, body: {} };
  }
  if (method === "POST" && url === "/leave") {
    const body = await instances.leave();
    end();
    return { status: 200, body };
  }
  const path = /^\/projects\/([^/?]+)\/instances(?:\/([^/?]+)(?:\/ports\/(\d+))?)?$/.exec(url);
  if (path === null) return controlFailure(404, "Unknown path.");
  const [, projectText, nameText, portText] = path;
  const project = ProjectId.safeParse(projectText);
  if (!project.success) return controlFailure(422, "The path must contain a project ID.");
  if (nameText === undefined)
    return method === "GET" ? listed(instances.list(project.data)) : controlFailure(405, "Use GET.");
  const name = InstanceName.safeParse(nameText);
  if (!name.success) return controlFailure(422, "The path must contain the name of an instance.");
  if (portText !== undefined)
    return method === "GET"
      ? listens(await instances.listensOn(project.data, name.data, Number(portText)))
      : controlFailure(405, "Use GET.");
  if (method === "PUT") {
    const body = InstanceBody.safeParse(parseJson(await readBody(request, MAX_BODY_CHARACTERS)));
    if (!body.success) return controlFailure(422, z.prettifyError(body.error));
    return (await instances.start(project.data, name.data, body.data))
      ? { status: 200, body: {} }
      : controlFailure(409, "The supervisor is ending.");
  }
  if (method !== "DELETE") return controlFailure(405, "Use PUT to start an instance, and DELETE to stop it.");
  return (await instances.stop(project.data, name.data))
    ? { status: 200, body: {} }
    : controlFailure(500, "Some of its processes cannot be ended.");
}

function listed(instances: readonly InstanceView[]): ControlAnswer {
  const body: z.infer<typeof InstanceList> = { instances: [...instances] };
  return { status: 200, body };
}

function listens(answer: boolean | null): ControlAnswer {
  if (answer === null) return controlFailure(404, "There is no such instance.");
  const body: z.infer<typeof Listens> = { listens: answer };
  return { status: 200, body };
}
