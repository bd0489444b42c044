import { createServer, type Server } from "node:http";
import type { Duplex } from "node:stream";

import { messageOf } from "#contract/lib/message-of.ts";
import { slotFiles } from "#agent/ingress/slots.ts";
import { serveProject, serveUpgrade } from "#agent/sites/serve-project.ts";
import type { Site, SiteStore } from "#agent/sites/site-store.ts";
import type { ProjectId } from "#contract/ids.ts";

const HOST = "127.0.0.1";
const LAST_PORT = 65_535;

/** The projects that are served here, each on its own port. */
export type SiteRegistry = {
  /**
   * Serves the stored sites again. A port that is in use now is replaced by the next free one. Call it first: all
   * other methods wait for it.
   */
  reopen(): Promise<void>;
  /** Serves a project, unless it is served already. @returns its URL */
  put(projectId: ProjectId, directory: string): Promise<string>;
  /** Stops serving a project. Does nothing when it is not served. */
  remove(projectId: ProjectId): Promise<void>;
  list(): Promise<readonly Site[]>;
  close(): Promise<void>;
};

export type SiteRegistryOptions = {
  readonly store: SiteStore;
  /** The folder of the files that lead to the instances of apps. */
  readonly slots: string;
  readonly firstPort: number;
  readonly log: (message: string) => void;
};

/** `upgraded`: the connections that have become WebSockets, which the server does not close. */
type OpenSite = { site: Site; readonly server: Server; readonly upgraded: ReadonlySet<Duplex> };

export function createSiteRegistry({ store, slots, firstPort, log }: SiteRegistryOptions): SiteRegistry {
  const sites = new Map<ProjectId, OpenSite>();
  // Changes run in sequence, so that two projects do not get the same port. They wait for the stored list, because a
  // save before that would overwrite it.
  const reopened = Promise.withResolvers<void>();
  let last: Promise<unknown> = reopened.promise;
  const inTurn = <Value>(change: () => Promise<Value>): Promise<Value> => {
    const turn = last.then(change);
    last = turn.catch(() => undefined);
    return turn;
  };

  const save = () => store.save([...sites.values()].map(({ site }) => site));

  async function open(
    projectId: ProjectId,
    directory: string,
    preferredPort: number | null,
    reserved: ReadonlySet<number>,
  ) {
    const files = slotFiles(slots, projectId);
    const upgraded = new Set<Duplex>();
    // Looked up per request, so that a project whose folder has moved keeps its port.
    const project = () => ({ directory: sites.get(projectId)?.site.directory ?? directory, files });
    const server = createServer((request, response) => {
      void serveProject(project(), request, response).catch(() => response.destroy());
    });
    server.on("upgrade", (request, visitor, head) => {
      upgraded.add(visitor);
      visitor.once("close", () => upgraded.delete(visitor));
      void serveUpgrade(project(), request, head).catch(() => visitor.destroy());
    });
    // Longer than the keep-alive of common clients, so that they do not send into a closing connection.
    server.keepAliveTimeout = 75_000;
    const port = await listenOnFreePort(server, preferredPort, firstPort, reserved);
    sites.set(projectId, { site: { project_id: projectId, directory, port }, server, upgraded });
    return port;
  }

  /** @returns whether the project was served */
  async function close(projectId: ProjectId): Promise<boolean> {
    const known = sites.get(projectId);
    sites.delete(projectId);
    if (known !== undefined) await closeSite(known);
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
      // On a full disk the sites are served anyway: the list stays as it was, and usually the ports too.
      if (saved.length > 0)
        await save().catch((error: unknown) => log(`sites.json cannot be written: ${messageOf(error)}`));
      reopened.resolve();
    },
    put: (projectId, directory) =>
      inTurn(async () => {
        const known = sites.get(projectId);
        if (known === undefined) {
          const reserved = new Set([...sites.values()].map(({ site }) => site.port));
          const port = await open(projectId, directory, null, reserved);
          await save().catch(async (error: unknown) => {
            // Otherwise a repeated request would find the site served, and the next start would not serve it.
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
        if (await close(projectId)) log(`stopped serving ${projectId}`);
        // Also when the project is not served: an earlier try may have failed to save.
        await save();
      }),
    list: () => inTurn(() => Promise.resolve([...sites.values()].map(({ site }) => site))),
    close: () =>
      inTurn(async () => {
        const closings = [...sites.values()].map(closeSite);
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
  preferredPort: number | null,
  firstPort: number,
  reserved: ReadonlySet<number>,
): Promise<number> {
  if (preferredPort !== null && (await listen(server, preferredPort))) return preferredPort;
  for (let port = firstPort; port <= LAST_PORT; port += 1)
    if (!reserved.has(port) && (await listen(server, port))) return port;
  throw new Error(`No port from ${firstPort} on is free for another site.`);
}

/** @returns false when the port is in use or not permitted */
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

function closeSite({ server, upgraded }: OpenSite): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
    for (const socket of upgraded) socket.destroy();
  });
}
