import "#agent/main/small-heap.ts";

import { stat } from "node:fs/promises";
import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";
import { hostname } from "node:os";
import { dirname, join } from "node:path";

import { createAppRegistry } from "#agent/apps/app-registry.ts";
import { type AgentArguments, readArguments, USAGE } from "#agent/main/arguments.ts";
import { connectionPath, readConnection } from "#agent/context/connection-file.ts";
import type { Connection } from "#contract/agent-connection.ts";
import { chooseSupervisor } from "#agent/apps/choose-supervisor.ts";
import { endSupervisor } from "#agent/apps/process-supervisor.ts";
import type { SupervisorOptions } from "#agent/apps/supervisor-connection.ts";
import { endBuilds } from "#agent/lifecycle/end-builds.ts";
import { enroll } from "#agent/main/enroll.ts";
import { exitCodes } from "#agent/main/exit-codes.ts";
import {
  type Isolation,
  isolateProjects,
  isolationSentences,
  noIsolation,
} from "#agent/isolation/isolation.ts";
import { createCaddyIngress } from "#agent/ingress/caddy/caddy-ingress.ts";
import { type Ingress, noIngress } from "#agent/ingress/ingress.ts";
import { readIngressSettings } from "#agent/ingress/settings.ts";
import { localSlotsFolder } from "#agent/ingress/slots.ts";
import { holderOf, lockHome } from "#agent/lib/home-lock.ts";
import { chooseProxy } from "#agent/lib/http/choose-proxy.ts";
import { plainHttp } from "#agent/lib/http/control-plane.ts";
import { openPolicy, type Policy } from "#agent/policy/policy.ts";
import { readPolicy } from "#agent/policy/read-policy.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { readMetrics } from "#agent/metrics/read-metrics.ts";
import { createRunOutcomes } from "#agent/metrics/run-outcomes.ts";
import { serveMetrics } from "#agent/metrics/serve-metrics.ts";
import { createPace } from "#agent/lib/pace.ts";
import { runAgent } from "#agent/main/run-agent.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { writePhpProgram } from "#agent/php/write-php-program.ts";
import { createServerTools } from "#build/tools/server-tools.ts";
import { readSettings } from "#agent/context/settings.ts";
import { openSealKey } from "#agent/secrets/seal-key.ts";
import { runSupervisor } from "#agent/supervisor/run-supervisor.ts";
import { agentStatus } from "#agent/main/show-status.ts";
import { forgetHost, pinnedHosts } from "#agent/ssh/host-pins.ts";
import { createSites, noSites } from "#agent/sites/sites-client.ts";
import { AGENT_VERSION } from "#agent/context/version.ts";
import { PROTOCOL_VERSION } from "#contract/agent-protocol.ts";
import { isOpenToOthers } from "#contract/loopback.ts";

/**
 * How long one of several addresses is tried before the next. Node's default of 250 ms is shorter than a round trip
 * to the other side of the world; this also allows for one lost packet.
 */
const ADDRESS_MS = 2_500;
setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_MS);

const settings = readSettings(process.env);

type RunArguments = Extract<AgentArguments, { kind: "run" }>;

function log(message: string): void {
  console.log(`${new Date().toISOString()} ${message}`);
}

// The process that reads the output may end first. The deployments continue.
process.stdout.on("error", () => undefined);
process.stderr.on("error", () => undefined);

/** Chooses the proxy for the control plane, and logs why one is not used. */
function readProxy(url: string): URL | null {
  const choice = chooseProxy(process.env, new URL(url));
  if (choice.kind === "unusable") log(`connecting without a proxy: ${choice.reason}`);
  return choice.kind === "proxy" ? choice.proxy : null;
}

/** Prints why the command cannot continue. @returns its exit code */
function refuse(message: string, exit: keyof typeof exitCodes = "give_up"): number {
  console.error(message);
  return exitCodes[exit];
}

/** Refuses to run as root in another user's home: that user's agent could not read files that root writes. */
async function isOtherUsersHome(home: string): Promise<boolean> {
  const owner = (await stat(home).catch(() => null))?.uid ?? 0;
  if (process.getuid?.() !== 0 || owner === 0) return false;
  console.error(`${home} belongs to user ID ${owner}, and you are root. Run this command as that user.`);
  return true;
}

/**
 * The unit that install.sh writes names the helper's socket. Then no command of a project ever runs as the agent's user:
 * if the helper does not answer, the project's run fails.
 */
function chooseIsolation(socketPath: string | null): Isolation {
  return socketPath === null ? noIsolation : isolateProjects(socketPath);
}

/** The unit that install.sh writes names the settings if the server has an ingress. The agent runs in any case. */
async function chooseIngress(path: string | null, home: string, slots: string): Promise<Ingress> {
  if (path === null) return noIngress;
  const read = await readIngressSettings(path);
  if (read.ok)
    return createCaddyIngress({
      home,
      slots,
      settings: read.value,
      checkMs: settings.ingressCheckMs,
      now: () => Date.now(),
      log,
    });
  log(read.reason);
  return { ...noIngress, problem: () => read.reason };
}

async function enrollServer(url: string, token: string, home: string): Promise<number> {
  if (await isOtherUsersHome(home)) return exitCodes.failed;
  const end = await enroll({
    url,
    token,
    home,
    hostname: hostname(),
    proxy: readProxy(url),
    timeoutMs: settings.answerMs,
  });
  if (end.kind !== "enrolled") return refuse(end.message, end.kind);
  log(`enrolled as ${end.connection.server_id}; the credential is in ${connectionPath(home)}`);
  const sealKey = await openSealKey(home);
  log(
    sealKey.ok
      ? `the fingerprint of this server's seal key is ${sealKey.value.shown.fingerprint}`
      : sealKey.message,
  );
  return exitCodes.ok;
}

async function runServer(args: RunArguments): Promise<number> {
  const { home, policy: path, isolate } = args;
  const isolation = chooseIsolation(isolate);
  log(isolationSentences[isolation.kind]);
  if (await isOtherUsersHome(home)) return exitCodes.give_up;
  const read = await readConnection(home);
  if (read.kind === "missing")
    return refuse(`There is no ${connectionPath(home)}. Enrol this server first.\n${USAGE}`);
  if (read.kind === "unreadable") return refuse(`${connectionPath(home)} cannot be read: ${read.reason}.`);
  if (isOpenToOthers(new URL(read.connection.url)))
    return refuse(`The agent does not start: ${plainHttp(read.connection.url)}. Enrol this server again.`);
  if (path === null) {
    const policy = {
      ...openPolicy,
      ...(args.allowsCommands ? { commands: "any" as const } : {}),
      ...(args.allowsCron ? { cron: "any" as const } : {}),
    };
    return serve(args, read.connection, policy, isolation);
  }
  const policy = await readPolicy(path);
  // Without a readable policy, the agent would carry out orders that its owner does not allow.
  if (policy.kind === "refused") return refuse(`The agent does not start: ${policy.reason}`);
  log(`using the policy ${path}, as read now`);
  return serve(args, read.connection, policy.policy, isolation);
}

async function serve(
  args: RunArguments,
  connection: Connection,
  policy: Policy,
  isolation: Isolation,
): Promise<number> {
  const { home, sitesSocket, isSupervisorExternal } = args;
  const slots = args.slots ?? localSlotsFolder(home);
  const sealKey = await openSealKey(home);
  if (!sealKey.ok) return refuse(`The agent does not start. ${sealKey.message}`);
  const { stopGraceMs, shutdownReportMs } = settings;
  const lock = await lockHome(home, stopGraceMs + 2 * shutdownReportMs, log);
  if (lock.kind === "held")
    return refuse(
      `Another agent (process ${lock.pid}) uses ${home}. Only one agent can run there: stop it first.`,
      "failed",
    );
  const ending = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => {
      if (!ending.signal.aborted) log(`received ${signal}: stopping`);
      ending.abort();
    });
  // Only sent to a process that was started with an IPC channel: its supervisor has ended.
  process.on("disconnect", () => ending.abort());
  // The supervisor may have ended before the listener was added.
  if (process.send !== undefined && !process.connected) ending.abort();
  const ingressCaddy = join(dirname(process.argv[1] ?? ""), "caddy");
  await writePhpProgram(home, { ingressCaddy, isLocal: sitesSocket !== null }).catch((error: unknown) =>
    log(`the program that serves PHP apps could not be written: ${messageOf(error)}`),
  );
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const environment = process.env;
  const context: AgentContext = {
    home,
    connection,
    proxy: readProxy(connection.url),
    sealKey: sealKey.value,
    policy,
    settings,
    clock,
    pace: createPace(clock, settings),
    random: () => Math.random(),
    environment,
    tools: createServerTools({ environment, home, monotonic: clock.monotonic }),
    apps: createAppRegistry(),
    runs: createRunOutcomes(),
    sites: sitesSocket === null ? noSites : createSites(sitesSocket, log),
    ingress: await chooseIngress(args.ingress, home, slots),
    slots,
    isolation,
    supervisor: chooseSupervisor(isolation, supervisorOptions(home, isSupervisorExternal)),
    log,
  };
  if (args.metrics !== null) serveMetrics(args.metrics, () => readMetrics(context), log, ending.signal);
  const end = await runAgent(context, ending.signal);
  await lock.release();
  return end === null ? exitCodes.ok : refuse(end);
}

async function showStatus(home: string): Promise<number> {
  const { isConnected, text } = await agentStatus(home);
  console.log(text);
  for (const { host, key } of await pinnedHosts(home))
    console.log(`pinned ssh host: ${host} ${key.fingerprint} (${key.type})`);
  return isConnected ? exitCodes.ok : exitCodes.not_connected;
}

async function forgetPins(host: string, home: string): Promise<number> {
  const hasForgotten = await forgetHost(home, host.toLowerCase());
  if (hasForgotten)
    console.log(
      `forgot the keys of ${host}: the next connection trusts and pins the key that the host sends then`,
    );
  else console.error(`${host} is not pinned. gantry-agent status lists the pinned hosts.`);
  return hasForgotten ? exitCodes.ok : exitCodes.failed;
}

/** Does nothing while an agent uses the home folder, because the builds belong to that agent. */
async function endLeftBuilds(home: string, isolate: string | null): Promise<number> {
  const pid = await holderOf(home);
  if (pid !== null)
    return refuse(`An agent (process ${pid}) uses ${home}. Its builds are not ended.`, "failed");
  const ended = await endBuilds(home, chooseIsolation(isolate));
  if (ended > 0) log(`ended the processes of ${ended} interrupted ${ended === 1 ? "build" : "builds"}`);
  return exitCodes.ok;
}

function supervisorOptions(home: string, isExternal: boolean): SupervisorOptions {
  return { home, program: isExternal ? null : (process.argv[1] ?? null), environment: process.env };
}

/** The agent would start its apps again, so it must have ended. */
async function endApps(home: string): Promise<number> {
  const pid = await holderOf(home);
  if (pid !== null)
    return refuse(`An agent (process ${pid}) uses ${home}. Its apps are not ended.`, "failed");
  const ended = await endSupervisor(supervisorOptions(home, false));
  return ended.ok ? exitCodes.ok : refuse(ended.reason, "failed");
}

async function supervise(home: string): Promise<number> {
  if (await isOtherUsersHome(home)) return exitCodes.failed;
  const problem = await runSupervisor(home, settings, log);
  return problem === null ? exitCodes.ok : refuse(problem, "failed");
}

async function checkPolicy(path: string): Promise<number> {
  const read = await readPolicy(path);
  if (read.kind === "refused") return refuse(read.reason, "failed");
  console.log(JSON.stringify(read.policy, null, 2));
  return exitCodes.ok;
}

async function main(): Promise<number> {
  const args = readArguments(process.argv.slice(2), process.env);
  switch (args.kind) {
    case "enroll":
      return enrollServer(args.url, args.token, args.home);
    case "run":
      return runServer(args);
    case "status":
      return showStatus(args.home);
    case "end_builds":
      return endLeftBuilds(args.home, args.isolate);
    case "supervise":
      return supervise(args.home);
    case "end_apps":
      return endApps(args.home);
    case "forget_host":
      return forgetPins(args.host, args.home);
    case "check_policy":
      return checkPolicy(args.path);
    case "version":
      console.log(`gantry-agent ${AGENT_VERSION}, protocol ${PROTOCOL_VERSION}, Node ${process.version}`);
      return exitCodes.ok;
    case "help":
      console.log(USAGE);
      return exitCodes.ok;
    case "wrong":
      return refuse(`${args.message}\n${USAGE}`, "usage");
  }
}

// Exit explicitly, because kept connections would keep the process alive. No top-level await, so that the bundle
// works as either module format.
main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(exitCodes.failed);
  },
);
