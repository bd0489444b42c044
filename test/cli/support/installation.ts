import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { useGantry } from "../../openapi/support/gantry.ts";
import { builtPrograms } from "../../support/built-programs.ts";
import { createHost, type Host } from "../../support/faults/host.ts";
import { createLinkProxy, type LinkProxy } from "../../support/faults/link-proxy.ts";
import { createSsh, sshPath } from "../../support/faults/source.ts";
import { type Api, createApi } from "../../support/journey-api.ts";
import { freePort } from "../../support/free-port.ts";

/** An account of the shared Worker, with a server. */
export type Installation = {
  readonly home: string;
  /** A token with every scope. */
  readonly token: string;
  /** Calls the Worker directly. */
  readonly api: Api;
  /** The proxy between the command and the Worker. */
  readonly clients: LinkProxy;
  readonly host: Host;
  stop(): Promise<void>;
};

export async function createInstallation(): Promise<Installation> {
  const home = await mkdtemp(join(tmpdir(), "gantry-cli-host-"));
  const { url, token } = await useGantry();
  const api = createApi(url, token);
  const clients = await createLinkProxy(url);
  const host = await createHost({
    name: "web-1",
    folder: home,
    api,
    workerUrl: url,
    firstPort: await freePort(),
    ...(await builtPrograms()),
    ssh: await createSsh(sshPath(home)),
    diskMegabytes: null,
  });
  await host.startAgent();
  return {
    home,
    token,
    api,
    clients,
    host,
    async stop() {
      await host.stop();
      await clients.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
