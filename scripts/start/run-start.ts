import { mkdir } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

import { signInLink } from "#contract/public-paths.ts";
import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { type Api, createApi, valueOf } from "../shared/api.ts";
import { agentBeside, buildWorker, sitesBeside } from "../shared/build-worker.ts";
import { Problem } from "../shared/problem.ts";
import { browserAddress } from "../shared/sign-in-code.ts";
import { print, red, step } from "../shared/terminal.ts";
import { WorkerReady } from "../shared/worker-ready.ts";
import { written } from "../shared/written.ts";
import { endLeftovers, homeInUse, lockHome, startIn } from "./home-lock.ts";
import { rememberHome } from "./home-on-port.ts";
import { keepBundle } from "./keep-bundle.ts";
import { removeLocalFile, writeLocalFile } from "./local-file.ts";
import { endPackageScope } from "./package-scope.ts";
import { readMemo, writeMemo } from "./memo.ts";
import type { StartOptions } from "./options.ts";
import { holderOfPort, isPortFree } from "./port.ts";
import { prepareProject } from "./prepare-project.ts";
import { enrollAgent, prepareServer, waitForAgent } from "./prepare-server.ts";
import { repositoryOf } from "./repository.ts";
import { createServices, type Services } from "./services.ts";
import { showDeployments } from "./show-deployment.ts";
import { printSummary } from "./summary.ts";
import { type DeploymentWatcher, watchDeployments } from "./watch-deployments.ts";

/** How long the agent may take to report the address of a site. A site that never went live has none. */
const ADDRESS_TIMEOUT_MS = 3_000;

export type RunningStart = { stop(): Promise<void>; kill(): void };

/**
 * Starts the whole installation step by step, then shows its deployments as they happen.
 * @param signal stops the start before its next step
 * @param onOpen receives what must be stopped at the end, before the first program starts
 * @throws Problem if the user has to fix something first
 */
export async function runStart(
  options: StartOptions,
  signal: AbortSignal,
  onOpen: (running: RunningStart) => void,
): Promise<void> {
  const { home, port } = options;
  await refuseIfInUse(options);
  // Checked before everything else is started.
  if (options.repo !== null) repositoryOf(options.repo);
  const lock = await written(home, "Use another home: npm start -- --home OTHER", async () => {
    await mkdir(home, { recursive: true, mode: 0o700 });
    return await lockHome(home, port);
  });
  let started: Services | null = null;
  onOpen({
    async stop() {
      await started?.stop();
      await lock.release();
    },
    kill: () => started?.kill(),
  });
  await rememberHome(home, port);
  await removeLocalFile(home);
  await endPackageScope(home);

  let refreshLocalFile: () => Promise<void> = () => Promise.resolve();
  const services = await createServices(options, () => {
    const saving = Promise.all([lock.saveChildren(services.pids()), refreshLocalFile()]);
    saving.catch((error: unknown) => print(red(`  cannot write to ${home}: ${messageOf(error)}`)));
  });
  started = services;

  const built = await step("building the Worker", () => build(signal));
  const bundle = await written(home, "Use another home: npm start -- --home OTHER", () =>
    keepBundle(home, built),
  );
  const { worker, ready } = await step("starting the Worker", async () => {
    const service = services.startWorker(bundle);
    const message = WorkerReady.parse(await service.ready);
    return {
      value: { worker: service, ready: message },
      done: `Worker at ${message.url}, database migrated`,
    };
  });
  signal.throwIfAborted();
  const transport = { baseUrl: ready.url, token: ready.token, fetch };
  const api = createApi(transport);

  const program = await agentBeside(bundle);
  await step("starting the site server", async () => {
    const sites = services.startSites(sitesBeside(bundle));
    await Promise.all([sites.ready, services.startSupervisor(program).ready]);
    return { value: null, done: `Site server on ports from ${port + 1}` };
  });
  signal.throwIfAborted();

  const memo = { ...(await readMemo(home)), port };
  const { agent, serverId } = await step("connecting the agent", async () => {
    const id = await prepareServer(api, memo.server_id);
    await writeMemo(home, { ...memo, server_id: id });
    const isNew = await enrollAgent(api, id, ready.url, services.agentHome, program);
    signal.throwIfAborted();
    const since = Date.now();
    const service = services.startAgent(program);
    await waitForAgent(api, id, service, since);
    return {
      value: { agent: service, serverId: id },
      done: `Agent ${isNew ? "enrolled and connected" : "connected"} as ${id}`,
    };
  });
  signal.throwIfAborted();

  const prepared = await step("preparing the project", async () => {
    const value = await prepareProject(api, serverId, memo, options);
    await writeMemo(home, value.memo);
    const { project, isNew } = value;
    return {
      value,
      done: `Project ${project.name}${isNew ? " created" : ""}: branch ${project.branch} of ${project.repository}`,
    };
  });
  signal.throwIfAborted();

  const projectId = prepared.project.id;
  const events = showDeployments(async (id) => (id === projectId ? null : projectName(api, id)));
  const watcher = await watchDeployments(transport, api, events, signal);
  const liveId = await reachLive(api, prepared.project, watcher);
  signal.throwIfAborted();

  const project = await readServed(api, projectId);
  if (liveId !== null) {
    refreshLocalFile = async () => {
      const [agentPid, workerPid] = [agent.pid(), worker.pid()];
      if (agentPid === null || workerPid === null) return;
      await writeLocalFile(home, {
        url: ready.url,
        token: ready.token,
        account_id: ready.account_id,
        project_id: projectId,
        server_id: serverId,
        site_url: project.url ?? "",
        deployment_id: liveId,
        agent_pid: agentPid,
        worker_pid: workerPid,
      });
    };
    await refreshLocalFile();
  } else
    print(red("  The deployment did not go live. Everything keeps running: fix the cause and deploy again."));
  printSummary({
    url: ready.url,
    token: ready.token,
    signInLink: signInLink(browserAddress(ready.url), ready.sign_in_code),
    home: options.home,
    siteUrl: project.url,
    projectId,
    projectName: project.name,
    helloSite: prepared.helloSite,
  });
}

async function refuseIfInUse({ home, port, isPortGiven }: StartOptions): Promise<void> {
  const start = await startIn(home);
  if (start !== null) throw homeInUse(home, start.pid);
  await endLeftovers(home);
  if (await isPortFree(port)) return;
  const holder = await holderOfPort(port);
  const other = port === 8787 ? 8800 : port + 100;
  throw new Problem(
    `Port ${port}${isPortGiven || port === 8787 ? "" : ", which this home used last,"} is taken${holder === null ? "" : ` by ${holder}`}.\nStop that program, or use another port with the same options: --port ${other}`,
  );
}

async function build(signal: AbortSignal): Promise<{ value: string; done: string }> {
  const built = await buildWorker();
  signal.throwIfAborted();
  if (!built.ok) throw new Problem(`The Worker does not build:\n${built.output}`);
  return { value: built.bundle, done: `Worker ${built.isFresh ? "built" : "unchanged"}` };
}

/**
 * Waits until a deployment of the project is live. Starts a deployment if the project has no live or running one.
 * @returns null if the deployment did not go live
 */
async function reachLive(
  api: Api,
  project: Project,
  watcher: DeploymentWatcher,
): Promise<DeploymentId | null> {
  const params = { project_id: project.id };
  const newest = async (status: string) =>
    valueOf(
      await api.listProjectDeployments({ params, query: { status, limit: 1 } }),
      "Listing the deployments",
    ).deployments[0]?.id ?? null;

  const live = await newest("live");
  if (live !== null) return live;
  const underWay = await newest("building");
  if (underWay !== null) await watcher.ended(underWay);
  const liveNow = underWay === null ? null : await newest("live");
  if (liveNow !== null) return liveNow;
  const started = valueOf(await api.startDeployment({ params }), "Starting the first deployment");
  await watcher.ended(started.id);
  return newest("live");
}

/** Reads the project with its address, which the agent reports shortly after it connects. */
async function readServed(api: Api, projectId: ProjectId): Promise<Project> {
  const deadline = Date.now() + ADDRESS_TIMEOUT_MS;
  for (;;) {
    const project = valueOf(
      await api.getProject({ params: { project_id: projectId } }),
      "Reading the project",
    );
    if (project.url !== null || Date.now() > deadline) return project;
    await pause(100);
  }
}

async function projectName(api: Api, id: ProjectId): Promise<string> {
  const project = await api.getProject({ params: { project_id: id } });
  return project.ok ? project.value.name : id;
}
