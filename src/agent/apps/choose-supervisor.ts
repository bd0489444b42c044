import { createProcessSupervisor } from "#agent/apps/process-supervisor.ts";
import type { SupervisorOptions } from "#agent/apps/supervisor-connection.ts";
import type { Supervisor } from "#agent/apps/supervisor.ts";
import type { Isolation } from "#agent/isolation/isolation.ts";

/** Who runs the instances of apps: systemd if projects are isolated, otherwise a process of the agent's user. */
export function chooseSupervisor(isolation: Isolation, options: SupervisorOptions): Supervisor {
  switch (isolation.kind) {
    case "none":
      return createProcessSupervisor(options);
    case "projects":
      return notYet;
  }
}

const refusal = async () => ({
  ok: false as const,
  reason: "the isolation helper of this server cannot run processes yet",
});

const notYet: Supervisor = {
  kind: "systemd",
  start: refusal,
  stop: refusal,
  list: async () => ({ ok: true, value: [] }),
  listensOn: refusal,
};
