import { hostname } from "node:os";

import { endSupervisor } from "#agent/apps/process-supervisor.ts";
import { connectionPath } from "#agent/context/connection-file.ts";
import { holderOf } from "#agent/lib/home-lock.ts";
import { endBuilds } from "#agent/lifecycle/end-builds.ts";
import { chooseIsolation, supervisorOptions } from "#agent/main/choose-parts.ts";
import { enroll } from "#agent/main/enroll.ts";
import { log, readProxy, settings } from "#agent/main/environment.ts";
import { exitCodes } from "#agent/main/exit-codes.ts";
import { isOtherUsersHome, exitWith } from "#agent/main/refuse.ts";
import { agentStatus } from "#agent/main/show-status.ts";
import { readKeys } from "#agent/policy/read-keys.ts";
import { readPolicy } from "#agent/policy/read-policy.ts";
import { openSealKey } from "#agent/secrets/seal-key.ts";
import { forgetHost, pinnedHosts } from "#agent/git/ssh/host-pins.ts";
import { runSupervisor } from "#agent/supervisor/run-supervisor.ts";

/** Exchanges an enrolment token for the server's credential. @returns the exit code, as all commands here */
export async function enrollServer(url: string, token: string, home: string): Promise<number> {
  if (await isOtherUsersHome(home)) return exitCodes.failed;
  const end = await enroll({
    url,
    token,
    home,
    hostname: hostname(),
    proxy: readProxy(url),
    timeoutMs: settings.answerMs,
  });
  if (end.kind !== "enrolled") return exitWith(end.message, end.kind);
  log(`enrolled as ${end.connection.server_id}; the credential is in ${connectionPath(home)}`);
  const sealKey = await openSealKey(home);
  log(
    sealKey.ok
      ? `the fingerprint of this server's seal key is ${sealKey.value.shown.fingerprint}`
      : sealKey.message,
  );
  return exitCodes.ok;
}

/** Prints whether the agent of a home folder is connected, and which ssh hosts it has pinned. */
export async function showStatus(home: string): Promise<number> {
  const { isConnected, text } = await agentStatus(home);
  console.log(text);
  for (const { host, key } of await pinnedHosts(home))
    console.log(`pinned ssh host: ${host} ${key.fingerprint} (${key.type})`);
  return isConnected ? exitCodes.ok : exitCodes.not_connected;
}

/** Forgets the pinned keys of an ssh host. */
export async function forgetPins(host: string, home: string): Promise<number> {
  const hasForgotten = await forgetHost(home, host.toLowerCase());
  if (hasForgotten)
    console.log(
      `forgot the keys of ${host}: the next connection trusts and pins the key that the host sends then`,
    );
  else console.error(`${host} is not pinned. gantry-agent status lists the pinned hosts.`);
  return hasForgotten ? exitCodes.ok : exitCodes.failed;
}

/** Does nothing while an agent uses the home folder, because the builds belong to that agent. */
export async function endLeftBuilds(home: string, isolate: string | null): Promise<number> {
  const pid = await holderOf(home);
  if (pid !== null)
    return exitWith(`An agent (process ${pid}) uses ${home}. Its builds are not ended.`, "failed");
  const ended = await endBuilds(home, chooseIsolation(isolate));
  if (ended > 0) log(`ended the processes of ${ended} interrupted ${ended === 1 ? "build" : "builds"}`);
  return exitCodes.ok;
}

/** The agent would start its apps again, so it must have ended. */
export async function endApps(home: string): Promise<number> {
  const pid = await holderOf(home);
  if (pid !== null)
    return exitWith(`An agent (process ${pid}) uses ${home}. Its apps are not ended.`, "failed");
  const ended = await endSupervisor(supervisorOptions(home, false));
  return ended.ok ? exitCodes.ok : exitWith(ended.reason, "failed");
}

/** Runs the supervisor of a home folder's apps until a signal ends it. */
export async function supervise(home: string): Promise<number> {
  if (await isOtherUsersHome(home)) return exitCodes.failed;
  const problem = await runSupervisor(home, settings, log);
  return problem === null ? exitCodes.ok : exitWith(problem, "failed");
}

/** Prints the policy of a file as the agent reads it. */
export async function checkPolicy(path: string): Promise<number> {
  const read = await readPolicy(path);
  if (read.kind === "refused") return exitWith(read.reason, "failed");
  const keys = await readKeys(read.policy);
  if (!keys.ok) return exitWith(keys.reason, "failed");
  console.log(JSON.stringify(read.policy, null, 2));
  return exitCodes.ok;
}
