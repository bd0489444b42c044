import * as schemas from "#contract/endpoints/processes/schemas.ts";
import { choice, object } from "#contract/reference/schemas/schema-text.ts";

const fields = {
  command: "The command that an instance runs, with `sh -c` in the root directory of the release.",
  instances: "How many instances run. Default: 1.",
  port: "Whether each instance listens on the port that it gets in the variable `PORT`. Default: only `web` does.",
  memory_mb:
    "The most memory of an instance, in MiB, on a server that isolates projects. If omitted: no limit.",
  cpu_weight: "Its share of the CPU relative to others, which have 100.",
  tasks: "The most processes and threads of an instance.",
  stop_signal: "The signal that asks an instance to end. Default: `SIGTERM`.",
  stop_seconds: "How long an instance may take to end before it is killed. Default: 10.",
  overlap:
    "For a process without a port: whether old and new instances run at the same time for a moment at a deployment. Default: `true`.",
};

export const processSchemas = {
  StopSignal: choice(schemas.StopSignal, "The signal that asks an instance to end.", {
    SIGTERM: "the usual one",
    SIGINT: "as Ctrl-C",
    SIGQUIT: "for programs that finish their work on it, such as nginx and php-fpm",
    SIGHUP: "as a closed terminal",
    SIGUSR1: "defined by the program",
    SIGUSR2: "defined by the program",
  }),
  InstanceState: choice(schemas.InstanceState, "The state of an instance.", {
    starting: "it runs, and has not passed its check",
    live: "it gets requests; an instance without a port runs",
    draining: "it was replaced and finishes its requests",
    restarting: "it ended by itself and is started again",
    crash_looping: "it ended five times within a minute and is started again, less often each time",
  }),
  ProcessDefinition: object(
    schemas.ProcessDefinition,
    "A process that a repository or its framework defines.",
    fields,
  ),
  ProcessSettings: object(schemas.ProcessSettings, "A project's own settings for a process.", {
    ...fields,
    stopped: "Whether it has no instances until it is started again.",
  }),
  InstanceReport: object(schemas.InstanceReport, "An instance as the server sees it.", {
    name: "Its name: the process, the version of the deployment that started it, and a number.",
    state: "Its state.",
    started_at: "When its present life began. `null`: it waits for its next start.",
    restarts: "How often it was started again after it ended by itself.",
    memory_bytes: "The memory that its processes use. `null`: unknown.",
    cpu_percent:
      "The CPU time that its processes used since the previous look, in percent of one core. `null`: unknown.",
    last_exit: "How it ended last, such as `exited with 1`. `null`: it has not ended by itself.",
    last_output: "The last lines before it ended. `null`: it has not ended by itself.",
  }),
  ProcessReport: object(schemas.ProcessReport, "A process as the server runs it.", {
    name: "The name of the process.",
    command: "The command of its instances.",
    port: "Whether its instances listen on a port.",
    wanted: "How many instances there should be.",
    stopped: "Whether it was stopped.",
    instances: "Its instances, also those that are being replaced.",
  }),
};
