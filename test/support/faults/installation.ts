import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as z from "zod";

import { WebhookWithSecret } from "#contract/endpoints/webhooks/schemas.ts";
import type { WebhookId } from "#contract/ids.ts";

import { buildWorker } from "../../../scripts/shared/build-worker.ts";
import { WorkerReady } from "../../../scripts/shared/worker-ready.ts";
import { type Service, supervise } from "../../../scripts/start/supervisor.ts";
import { builtPrograms } from "../built-programs.ts";
import { type Api, createApi } from "../journey-api.ts";
import { freePort } from "../free-port.ts";
import { serveWebhookReceiver, type WebhookReceiver } from "../receivers/webhook-receiver.ts";
import { eventually } from "./eventually.ts";
import { createHealthServer, type HealthServer } from "./health-server.ts";
import { createHost, type Host } from "./host.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createLinkProxy, type LinkProxy } from "./link-proxy.ts";
import { followLog, type LogFollower } from "./log-follower.ts";
import { patientFetch } from "./patient-fetch.ts";
import { workerdBelow } from "./processes.ts";
import { createRequests, type Requests } from "./requests.ts";
import { createSsh, sshPath } from "./source.ts";

/** The whole system as real processes. Every connection between its parts goes through a proxy that can fail. */
export type Installation = {
  readonly home: string;
  /** A token with every scope, of the account that owns everything. */
  readonly token: string;
  /** Calls the Worker directly, without a proxy. */
  readonly api: Api;
  /** The proxy between the clients and the Worker. */
  readonly clients: LinkProxy;
  /** The proxy between the Worker and the receiver of a webhook, which gets all events. */
  readonly webhooks: LinkProxy;
  readonly webhookId: WebhookId;
  readonly receiver: WebhookReceiver;
  /** The numbers of the events that the receiver has accepted. */
  readonly received: ReadonlySet<number>;
  /** Calls the Worker through the clients' proxy, with retries. */
  readonly requests: Requests;
  readonly ledger: Ledger;
  /** Follows a log through the clients' proxy. */
  followLog(deploymentId: string): LogFollower;
  readonly worker: Service;
  readonly hosts: readonly Host[];
  readonly health: HealthServer;
  addServer(name: string, diskMegabytes?: number | null, hasRealSsh?: boolean): Promise<Host>;
  workerdPid(): number | null;
  /** Waits until the Worker answers. */
  workerUp(): Promise<void>;
  stop(): Promise<void>;
};

const Delivered = z.object({ data: z.object({ sequence: z.int() }) });

const STOP_MS = 6_000;
/** How long the Worker may not answer before it is restarted; shorter than in `npm start`, to save time. */
const WORKER_PATIENCE_MS = { start: 60_000, silence: 8_000 };
const RESTART_MS = 100;
/** Each host has its own range of ports for sites. */
const PORTS_OF_A_HOST = 200;

export type InstallationOptions = {
  readonly onCrash?: (how: string) => void;
  /** The port of the Worker's debugger; `null`: no debugger. */
  readonly inspectorPort?: number | null;
};

export async function createInstallation({
  onCrash = () => undefined,
  inspectorPort = null,
}: InstallationOptions = {}): Promise<Installation> {
  const home = await mkdtemp(join(tmpdir(), "gantry-faults-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const built = await buildWorker();
  if (!built.ok) throw new Error(`the Worker does not build:\n${built.output}`);
  const programs = await builtPrograms();
  const ssh = await createSsh(sshPath(home));
  await mkdir(join(home, "hosts"));

  const worker = supervise({
    name: "worker",
    argv: [
      "scripts/serve.ts",
      ...["--port", `${port}`, "--home", home, "--bundle", built.bundle],
      ...(inspectorPort === null ? [] : ["--inspect", `${inspectorPort}`]),
    ],
    againArgv: ["--again"],
    logFile: join(home, "worker.log"),
    healthUrl: `${url}/healthz`,
    stopMs: STOP_MS,
    restart: { firstMs: RESTART_MS, longestMs: RESTART_MS },
    healthLimitsMs: WORKER_PATIENCE_MS,
    onPidChange: () => undefined,
    onCrash,
  });
  const ready = WorkerReady.parse(await worker.ready);
  const api = createApi(ready.url, ready.token, patientFetch);
  const clients = await createLinkProxy(ready.url);
  const ledger = createLedger();
  const health = await createHealthServer();
  const receiver = await serveWebhookReceiver();
  const webhooks = await createLinkProxy(receiver.url);
  const received = new Set<number>();
  webhooks.watch((passage) => {
    const isAccepted = passage.kind === "answer" && passage.status < 300;
    const event = isAccepted ? Delivered.safeParse(passage.asked).data : undefined;
    if (event !== undefined) received.add(event.data.sequence);
  });
  const target = { kind: "standard", url: `${webhooks.url}/hook/all`, events: ["*"] };
  const created = await api.call("POST", "/v1/webhooks", target);
  const { id: webhookId } = WebhookWithSecret.parse(created.json);
  const hosts: Host[] = [];

  return {
    home,
    token: ready.token,
    api,
    clients,
    webhooks,
    webhookId,
    receiver,
    received,
    ledger,
    worker,
    hosts,
    health,
    requests: createRequests(createApi(clients.url, ready.token), ledger),
    followLog: (deploymentId) => followLog(clients.url, ready.token, deploymentId),
    async addServer(name, diskMegabytes, hasRealSsh = false) {
      const firstPort = port + 100 + hosts.length * PORTS_OF_A_HOST;
      const folder = join(home, "hosts");
      const host = await createHost({
        ...{ name, folder, api, ...programs, firstPort },
        ssh: hasRealSsh ? null : ssh,
        workerUrl: ready.url,
        diskMegabytes: diskMegabytes ?? null,
      });
      host.link.watch(ledger.watchOn(host.serverId));
      hosts.push(host);
      await host.startAgent();
      return host;
    },
    workerdPid() {
      const pid = worker.pid();
      return pid === null ? null : workerdBelow(pid);
    },
    workerUp: () =>
      eventually("the Worker answers", () =>
        fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5_000) }).then(
          (answer) => answer.ok,
          () => false,
        ),
      ),
    async stop() {
      await Promise.all(hosts.map((host) => host.stop()));
      await Promise.all([clients.close(), webhooks.close(), health.close()]);
      receiver.close();
      await worker.stop();
    },
  };
}
