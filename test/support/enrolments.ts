import { Server, ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import type { Gantry } from "../openapi/support/gantry.ts";

let count = 0;

/** Registers a server with the API. */
export async function registerServer({ url, token }: Pick<Gantry, "url" | "token">): Promise<ServerCreated> {
  count += 1;
  const answer = await fetch(`${url}/v1/servers`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: `server-${count}`, ip: "192.0.2.10" }),
  });
  return ServerCreated.parse(await answer.json());
}

export async function readServer({ url, token }: Gantry, id: string): Promise<Server> {
  const answer = await fetch(`${url}/v1/servers/${id}`, { headers: { authorization: `Bearer ${token}` } });
  return Server.parse(await answer.json());
}
