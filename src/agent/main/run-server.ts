import { dirname, join } from "node:path";

import { createAppRegistry } from "#agent/apps/app-registry.ts";
import { chooseSupervisor } from "#agent/apps/choose-supervisor.ts";
import { endSupervisor } from "#agent/apps/process-supervisor.ts";
import { connectionPath, readConnection } from "#agent/context/connection-file.ts";
import { findEngine } from "#agent/containers/engine.ts";
import { writeImagePolicy } from "#agent/containers/image-policy.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { localSlotsFolder } from "#agent/ingress/slots.ts";
import { type Isolation, isolationSentences } from "#agent/isolation/isolation.ts";
import { lockHome } from "#agent/lib/home-lock.ts";
import { plainHttp } from "#agent/lib/http/control-plane.ts";
import { createPace } from "#agent/lib/pace.ts";
import { type AgentArguments, USAGE } from "#agent/main/arguments.ts";
import { chooseIngress, chooseIsolation, supervisorOptions } from "#agent/main/choose-parts.ts";
import { log, readProxy, settings } from "#agent/main/environment.ts";
import { exitCodes } from "#agent/main/exit-codes.ts";
import { isOtherUsersHome, exitWith } from "#agent/main/refuse.ts";
import { runAgent } from "#agent/main/run-agent.ts";
import { readMetrics } from "#agent/metrics/read-metrics.ts";
import { createRunOutcomes } from "#agent/metrics/run-outcomes.ts";
import { serveMetrics } from "#agent/metrics/serve-metrics.ts";
import { writePhpProgram } from "#agent/php/write-php-program.ts";
import { openPolicy, type Policy } from "#agent/policy/policy.ts";
import { readKeys } from "#agent/policy/read-keys.ts";
import { readPolicy } from "#agent/policy/read-policy.ts";
import { openSealKey } from "#agent/secrets/seal-key.ts";
import { createSites, noSites } from "#agent/sites/sites-client.ts";
import { createServerTools } from "#build/tools/server-tools.ts";
import type { AgentConnection } from "#contract/agent-connection.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { isOpenToOthers } from "#contract/loopback.ts";

type RunArguments = Extract<AgentArguments, { kind: "run" }>;

/** Connects to the control plane and runs its orders until a signal ends the process. @returns the exit code */
export async function runServer(args: RunArguments): Promise<number> {
  const { home, policy: path, isolate } = args;
  const isolation = chooseIsolation(isolate);
  log(isolationSentences[isolation.kind]);
  if (await isOtherUsersHome(home)) return exitCodes.give_up;
  const read = await readConnection(home);
  if (read.kind === "missing")
    return exitWith(`There is no ${connectionPath(home)}. Enrol this server first.\n${USAGE}`);
  if (read.kind !== "found") {
    const message = `${connectionPath(home)} cannot be read: ${read.reason}.`;
    // The service tries again after an error of the disk, and once the permissions are right.
    return exitWith(message, read.kind === "damaged" ? "give_up" : "failed");
  }
  if (isOpenToOthers(new URL(read.connection.url)))
    return exitWith(`The agent does not start: ${plainHttp(read.connection.url)}. Enrol this server again.`);
  if (path === null) {
    const policy = {
      ...openPolicy,
      ...(args.allowsCommands ? { commands: "any" as const } : {}),
      ...(args.allowsCron ? { cron: "any" as const } : {}),
    };
    return serve(args, read.connection, policy, isolation, new Map());
  }
  const policy = await readPolicy(path);
  // Without a readable policy, the agent would carry out orders that its owner does not allow.
  if (policy.kind === "refused") return exitWith(`The agent does not start: ${policy.reason}`);
  const keys = await readKeys(policy.policy);
  if (!keys.ok) return exitWith(`The agent does not start: ${keys.reason}`);
  log(`using the policy ${path}, as read now`);
  return serve(args, read.connection, { ...policy.policy, file: path }, isolation, keys.value);
}

/** The policy with the files of its rule `image_signatures`. @throws the file system's error */
async function withImagePolicy(
  home: string,
  policy: Policy,
  keys: ReadonlyMap<string, string>,
): Promise<Policy> {
  const imagePolicy = await writeImagePolicy(home, policy.image_signatures, keys);
  return imagePolicy === null ? policy : { ...policy, imagePolicy };
}

async function serve(
  args: RunArguments,
  connection: AgentConnection,
  ownersPolicy: Policy,
  isolation: Isolation,
  keys: ReadonlyMap<string, string>,
): Promise<number> {
  const { home, sitesSocket, isSupervisorExternal } = args;
  const slots = args.slots ?? localSlotsFolder(home);
  const sealKey = await openSealKey(home);
  if (!sealKey.ok)
    return exitWith(`The agent does not start. ${sealKey.message}`, sealKey.isDamaged ? "give_up" : "failed");
  const { stopGraceMs, shutdownReportMs } = settings;
  const lock = await lockHome(home, stopGraceMs + 2 * shutdownReportMs, log).catch(messageOf);
  // The disk may be read-only, or another user may have taken the folder. The service tries again until that is repaired.
  if (typeof lock === "string")
    return exitWith(`The agent does not start, because it cannot write to ${home}: ${lock}.`, "failed");
  if (lock.kind === "held")
    return exitWith(
      `Another agent (process ${lock.pid}) uses ${home}. Only one agent can run there: stop it first.`,
      "failed",
    );
  const ending = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => {
      if (!ending.signal.aborted) log(`received ${signal}: stopping`);
      ending.abort();
    });
  process.on("disconnect", () => ending.abort());
  // The parent may have ended before the listener was added.
  if (isOrphan()) ending.abort();
  const ingressCaddy = join(dirname(process.argv[1] ?? ""), "caddy");
  await writePhpProgram(home, { ingressCaddy, isLocal: sitesSocket !== null }).catch((error: unknown) =>
    log(`the program that serves PHP apps could not be written: ${messageOf(error)}`),
  );
  const policy = await withImagePolicy(home, ownersPolicy, keys).catch(messageOf);
  // Without these files, no image could be pulled. The service tries again.
  if (typeof policy === "string") {
    await lock.release();
    return exitWith(
      `The agent does not start, because it cannot write the keys of images to ${home}: ${policy}.`,
      "failed",
    );
  }
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const environment = process.env;
  const [ingress, engine] = await Promise.all([
    chooseIngress(args.ingress, { home, slots, policy }),
    findEngine(isolation),
  ]);
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
    ingress,
    slots,
    isolation,
    engine,
    supervisor: chooseSupervisor(isolation, supervisorOptions(home, isSupervisorExternal)),
    log,
  };
  if (args.metrics !== null) serveMetrics(args.metrics, () => readMetrics(context), log, ending.signal);
  const end = await runAgent(context, ending.signal);
  // Without its parent, nothing else would end the apps.
  if (isOrphan() && !isSupervisorExternal) await endSupervisor(supervisorOptions(home, false));
  await lock.release();
  return end === null ? exitCodes.ok : exitWith(end);
}

/** Whether the process that started this one has ended. Known only with an IPC channel, which a service does not have. */
function isOrphan(): boolean {
  return process.send !== undefined && !process.connected;
}
