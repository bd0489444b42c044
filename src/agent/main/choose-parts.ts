import type { SupervisorOptions } from "#agent/apps/supervisor-connection.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { createCaddyIngress } from "#agent/ingress/caddy/caddy-ingress.ts";
import { type Ingress, noIngress } from "#agent/ingress/ingress.ts";
import { readIngressSettings } from "#agent/ingress/settings.ts";
import { isolateProjects, type Isolation, noIsolation } from "#agent/isolation/isolation.ts";
import { log, settings } from "#agent/main/environment.ts";

/**
 * The unit that install.sh writes names the helper's socket. Then no command of a project ever runs as the agent's user:
 * if the helper does not answer, the project's run fails.
 */
export function chooseIsolation(socketPath: string | null): Isolation {
  return socketPath === null ? noIsolation : isolateProjects(socketPath);
}

/** The unit that install.sh writes names the settings if the server has an ingress. The agent runs in any case. */
export async function chooseIngress(
  path: string | null,
  { home, slots, policy }: Pick<AgentContext, "home" | "slots" | "policy">,
): Promise<Ingress> {
  if (path === null) return noIngress;
  const read = await readIngressSettings(path);
  if (read.ok)
    return createCaddyIngress({
      home,
      slots,
      settings: read.value,
      policy,
      checkMs: settings.ingressCheckMs,
      membersMs: settings.membersCheckMs,
      now: () => Date.now(),
      log,
    });
  log(read.reason);
  return { ...noIngress, problem: () => read.reason };
}

/** @param isExternal a service manager runs the supervisor */
export function supervisorOptions(home: string, isExternal: boolean): SupervisorOptions {
  return { home, program: isExternal ? null : (process.argv[1] ?? null), environment: process.env };
}
