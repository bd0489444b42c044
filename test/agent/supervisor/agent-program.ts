// What an agent does for a supervisor, as a process that a test can kill. Arguments: the home, the agent's file, a project.
import { createProcessSupervisor } from "#agent/apps/process-supervisor.ts";
import { ProjectId } from "#contract/ids.ts";

const [home = "", program = "", project = ""] = process.argv.slice(2);
const supervisor = createProcessSupervisor({ home, program, environment: process.env });
await supervisor.start({
  project: ProjectId.parse(project),
  name: "web-1-0",
  release: 1,
  command: {
    argv: ["/bin/sh", "-c", "echo $$; while true; do echo still here >&2; sleep 0.1; done"],
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "" },
  },
  limits: { memoryMb: null, cpuWeight: 100, tasks: 512 },
  stopSignal: "SIGTERM",
  stopSeconds: 1,
});
setInterval(() => undefined, 1_000);
