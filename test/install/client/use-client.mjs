// Runs in every runtime of the client, with the package as a user has it.
import { createClient, GantryProblem, verifyWebhook } from "gantry-client";

/** @returns what the client did, as JSON */
export async function useClient({ url, token, name, projectId, webhook }) {
  const gantry = createClient({ url, token });
  const code = async (promise) => {
    try {
      return await promise;
    } catch (error) {
      return error instanceof GantryProblem ? [error.status, error.code, error.errors] : String(error);
    }
  };

  const server = await withLostAnswer(url, token).createServer({ body: { name, ip: "192.0.2.9" } });
  const servers = [];
  for await (const row of gantry.iterate.listServers({ query: { limit: 1 } })) servers.push(row.name);
  const invalid = await code(gantry.createServer({ body: { name: "", ip: "192.0.2.9" } }));

  const newest = await gantry.listEvents({ query: { limit: 1 } });
  const started = await gantry.startDeployment({ params: { project_id: projectId } });
  const ended = await gantry.waitFor(started);
  const lines = [];
  for await (const { line } of gantry.followLog(started.id)) lines.push(line);
  const events = [];
  const after = newest.events[0].data.sequence;
  for await (const event of gantry.followEvents({ types: ["deployment.*"], after })) {
    events.push(event.type);
    if (event.type === `deployment.${ended.status}`) break;
  }

  const deleting = withLostAnswer(url, token).deleteServer({ params: { server_id: server.id } });
  const isDeleted = (await deleting) === null;
  const gone = await code(gantry.getServer({ params: { server_id: server.id } }));
  const aborted = await code(gantry.listServers({ signal: AbortSignal.abort("enough") }));
  const unreachable = createClient({ url: "http://127.0.0.1:1", token, retryForMs: 0 });

  const { secret, headers, body } = webhook;
  const verified = await verifyWebhook({ secret, headers, body });
  return {
    servers: servers.filter((one) => one === name),
    invalid,
    ended: ended.id === started.id && ended.status !== "building",
    isWhole: lines.length > 0 && lines.every((line, at) => line === at + 1),
    events: events.slice(0, 1),
    isDeleted,
    gone,
    aborted,
    unreachable: (await code(unreachable.getHealth()))[1],
    verified: verified?.type,
    refused: await verifyWebhook({ secret, headers: new Headers(headers), body: `${body} ` }),
  };
}

/** A client that loses the answer to its first request, which the installation has carried out. */
function withLostAnswer(url, token) {
  let isFirst = true;
  return createClient({
    url: `${url}/`,
    token,
    async fetch(address, init) {
      const response = await fetch(address, init);
      if (!isFirst) return response;
      isFirst = false;
      await response.text();
      throw new TypeError("the connection was lost");
    },
  });
}
