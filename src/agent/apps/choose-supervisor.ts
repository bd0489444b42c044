import { createProcessSupervisor } from "#agent/apps/process-supervisor.ts";
import type { SupervisorOptions } from "#agent/apps/supervisor-connection.ts";
import type { Supervisor } from "#agent/apps/supervisor.ts";
import { createSystemdSupervisor } from "#agent/apps/systemd-supervisor.ts";
import type { Isolation } from "#agent/isolation/isolation.ts";

/** Who runs the instances of apps: systemd if projects are isolated, otherwise a process of the agent's user. */
export function chooseSupervisor(isolation: Isolation, options: SupervisorOptions): Supervisor {
  switch (isolation.kind) {
    case "none":
      return createProcessSupervisor(options);
    case "projects":
      return createSystemdSupervisor({ home: options.home, socketPath: isolation.socketPath });
  }
}
