import { createServer, type Server } from "node:http";

import { messageOf } from "#contract/lib/message-of.ts";
import { serveSite } from "#agent/sites/serve-site.ts";
import type { Site, SiteStore } from "#agent/sites/site-store.ts";
import type { ProjectId } from "#contract/ids.ts";

const HOST = "127.0.0.1";
const LAST_PORT = 65_535;

/** Every project that is served here, each by a listener of its own. */
export type SiteRegistry = {
  /**
   * Serves the sites of before again. A port that is taken by now is exchanged for the next free one. Comes first:
   * whatever else is asked for waits for it.
   */
  reopen(): Promise<void>;
  /** Serves a project, or tells where it is served already. @returns its URL */
  put(projectId: ProjectId, directory: string): Promise<string>;
  /** Serves a project no more; nothing happens where it is not served. */
  remove(projectId: ProjectId): Promise<void>;
  list(): Promise<readonly Site[]>;
  close(): Promise<void>;
};

export type SiteRegistryOptions = {
  readonly store: SiteStore;
  readonly firstPort: number;
  readonly log: (message: string) => void;
};

export function createSiteRegistry({ store, firstPort, log }: SiteRegistryOptions): SiteRegistry {
  const sites = new Map<ProjectId, { site: Site; server: Server }>();
  // One change after the other: two projects that come at once must not be given the same port.
  // And none before the list is known: it would be the whole list from then on.
  const restored = Promise.withResolvers<void>();
  let last: Promise<unknown> = restored.promise;
  const inTurn = <Value>(change: () => Promise<Value>): Promise<Value> => {
    const turn = last.then(change);
    last = turn.catch(() => undefined);
    return turn;
  };

  const save = () => store.save([...sites.values()].map(({ site }) => site));

  async function open(
    projectId: ProjectId,
    directory: string,
    wish: number | null,
    reserved: ReadonlySet<number>,
  ) {
    // Looked up per request, so that a project whose folder has moved goes on at its port.
    const server = createServer((request, response) => {
      const current = sites.get(projectId)?.site.directory ?? directory;
      void serveSite(current, request, response).catch(() => response.destroy());
    });
    // Longer than the pools of common clients, so that none sends into a connection that is just being closed.
    server.keepAliveTimeout = 75_000;
    const port = await listenOnFreePort(server, wish, firstPort, reserved);
    sites.set(projectId, { site: { project_id: projectId, directory, port }, server });
    return port;
  }

  /** @returns whether it was served */
  async function close(projectId: ProjectId): Promise<boolean> {
    const known = sites.get(projectId);
    sites.delete(projectId);
    if (known !== undefined) await closeServer(known.server);
    return known !== undefined;
  }

  return {
    async reopen() {
      const saved = await store.load();
      const reserved = new Set(saved.map((site) => site.port));
      for (const site of saved) {
        const port = await open(site.project_id, site.directory, site.port, reserved);
        if (port !== site.port)
          log(`port ${site.port} is taken: ${site.project_id} is now at ${urlOf(port)}`);
      }
      // On a full disk the sites are served all the same: the list stays as it was, and so do the ports as a rule.
      if (saved.length > 0)
        await save().catch((error: unknown) => log(`sites.json cannot be written: ${messageOf(error)}`));
      restored.resolve();
    },
    put: (projectId, directory) =>
      inTurn(async () => {
        const known = sites.get(projectId);
        if (known === undefined) {
          const reserved = new Set([...sites.values()].map(({ site }) => site.port));
          const port = await open(projectId, directory, null, reserved);
          await save().catch(async (error: unknown) => {
            // Asked for again, it would look as if it were on the list; the next start would not serve it.
            await close(projectId);
            throw error;
          });
          log(`serving ${projectId} at ${urlOf(port)}`);
        } else if (known.site.directory !== directory) {
          known.site = { ...known.site, directory };
          await save();
        }
        return urlOf(sites.get(projectId)?.site.port ?? firstPort);
      }),
    remove: (projectId) =>
      inTurn(async () => {
        if (await close(projectId)) log(`serving ${projectId} no more`);
        // Also where it is not known: an earlier try may have ended here.
        await save();
      }),
    list: () => inTurn(() => Promise.resolve([...sites.values()].map(({ site }) => site))),
    close: () =>
      inTurn(async () => {
        const closings = [...sites.values()].map(({ server }) => closeServer(server));
        await Promise.all(closings);
        sites.clear();
      }),
  };
}

function urlOf(port: number): string {
  return `http://${HOST}:${port}`;
}

async function listenOnFreePort(
  server: Server,
  wish: number | null,
  firstPort: number,
  reserved: ReadonlySet<number>,
): Promise<number> {
  if (wish !== null && (await listen(server, wish))) return wish;
  for (let port = firstPort; port <= LAST_PORT; port += 1)
    if (!reserved.has(port) && (await listen(server, port))) return port;
  throw new Error(`No port from ${firstPort} on is free for another site.`);
}

/** @returns false when the port is taken or may not be used */
function listen(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE" || error.code === "EACCES") resolve(false);
      else reject(error);
    };
    server.once("error", onError);
    server.listen(port, HOST, () => {
      server.off("error", onError);
      resolve(true);
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
