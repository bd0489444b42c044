// What an agent does for a supervisor, as a process that a test can kill. Arguments: the home, the agent's file, a project.
import { createProcessSupervisor } from "#agent/apps/process-supervisor.ts";

import { shellInstance } from "../../../support/shell-instance.ts";

const [home = "", program = "", project = ""] = process.argv.slice(2);
const supervisor = createProcessSupervisor({ home, program, environment: process.env });
const line = "echo $$; while true; do echo still here >&2; sleep 0.1; done";
await supervisor.start(shellInstance(home, project, line));
setInterval(() => undefined, 1_000);
