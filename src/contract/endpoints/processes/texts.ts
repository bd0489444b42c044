import {
  ContainerNetwork,
  type ProcessField,
  StopSignal,
} from "#contract/endpoints/processes/process-settings.ts";
import * as schemas from "#contract/endpoints/processes/schemas.ts";
import { EmergencyInput } from "#contract/endpoints/deployments/emergency.ts";
import { emergencyText } from "#contract/endpoints/deployments/field-texts.ts";
import { example, started } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, nested, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const location = `/v1/deployments/${example.deployment}` as const;
const startedConfig = { body: {}, answer: started, location };

export const processTexts = {
  getProcesses: {
    summary: "Get the processes of a project and their instances",
    description: prose`
      Returns the processes that the project's server runs, with the state, memory and CPU use of each instance. If the
      server is connected, it reads them now; \`cpu_percent\` then covers the time since the previous request. Otherwise
      the response has what the server reported last, at \`checked_at\`, without memory and CPU use.

      The list is empty before the first deployment, and for a project without processes. Of several servers, \`server_id\`
      chooses one; without it, the response is of the first.`,
    answer: {
      processes: [
        {
          name: "web",
          command: "node server.js",
          port: true,
          wanted: 2,
          stopped: false,
          instances: [
            {
              name: "web-12-0",
              state: "live",
              started_at: "2026-11-20T09:14:43.090Z",
              restarts: 0,
              memory_bytes: 83_886_080,
              cpu_percent: 1.4,
              last_exit: null,
              last_output: null,
            },
            {
              name: "web-12-1",
              state: "restarting",
              started_at: null,
              restarts: 1,
              memory_bytes: null,
              cpu_percent: null,
              last_exit: "ended with exit code 1",
              last_output: "Error: connect ECONNREFUSED 127.0.0.1:5432",
            },
          ],
        },
      ],
      checked_at: "2026-11-20T10:02:11.004Z",
      ingress_problem: null,
      sources: { web: "Procfile" },
    },
  },
  updateProcess: {
    summary: "Change the settings of a process",
    description: prose`
      Changes the project's own settings for a process, and starts a deployment of the kind \`config\` that puts them
      into effect, without a build. Omitted fields keep their values. \`null\` removes the project's own value, so that
      the repository's or the default counts again. A process that the repository does not define needs a \`command\`.

      The settings are stored first, for every later deployment too. If the project has no live deployment,
      \`deployment\` is \`null\`. If the deployment is refused (409 \`queue_full\` or \`secrets_not_sealed\`), the
      settings stay: remove the cause, and call \`POST /v1/projects/{project_id}/apply\`. A request that is sent twice
      is one deployment while that one has not ended.

      A project can have settings for 20 processes (409 \`too_many\`).`,
    body: { instances: 3 },
    answer: { process: { name: "web", instances: 3 }, deployment: { ...started, version: 13 } },
  },
  restartProcess: {
    summary: "Restart the instances of a process",
    description: prose`
      Replaces every instance of the process with a new one, in a deployment of the kind \`config\` of the live release,
      with the current variables and settings and without a build. The new instances of \`web\` get requests when they
      have passed their check, and the old ones finish theirs.

      If no deployment is live, and none is queued or running that could become live, the response is 409
      \`not_live\`. A process that neither the repository nor the project's settings define is 404. To retry safely after
      a network error, send an \`Idempotency-Key\`.`,
    ...startedConfig,
  },
  stopProcess: {
    summary: "Stop a process until it is started again",
    description: prose`
      Stops the process: its instances finish their requests and end, and none is started until
      \`POST /v1/projects/{project_id}/processes/{process}/start\`, also not by a later deployment or a restart of the
      server. While \`web\` is stopped, visitors get a page with the status 503.

      It is refused as a restart is. The deployment that it starts is of the kind \`config\`.`,
    ...startedConfig,
  },
  startProcess: {
    summary: "Start a process that was stopped",
    description: prose`
      Starts the instances of a process that was stopped, in a deployment of the kind \`config\`. It is refused as a
      restart is. For a process that was not stopped, it has the effect of
      \`POST /v1/projects/{project_id}/apply\`.`,
    ...startedConfig,
  },
  applyConfig: {
    summary: "Apply the current variables and settings without a build",
    description: prose`
      Deploys the live release again with the current variables and settings of the project, in a deployment of the kind
      \`config\`. Nothing is fetched or built, and the release command does not run. Instances to which nothing changed
      keep running.

      It deploys the release that is live when its turn comes, so it never undoes a deployment that was started before
      it. If nothing is live by then, it fails with \`not_live\`. If the server no longer has the files of the
      release, or the project was moved to another server, the commit is built again.

      If no deployment is live, and none is queued or running that could become live, the response is 409
      \`not_live\`.`,
    ...startedConfig,
  },
} as const satisfies Partial<OperationTexts>;

/** What each setting of a process means. */
export const processFieldTexts = {
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
  container_port:
    "For a project that runs as a container: the port on which the container listens. If omitted: the only port that the image exposes, where 443 does not count beside others. If it exposes several, 8080 or 80 if it is one of them, and otherwise 8080.",
  network: "For a project that runs as a container: the network of the container. Default: `private`.",
} satisfies Readonly<Record<ProcessField, string>>;

const settings = { ...processFieldTexts, stopped: "Whether it has no instances until it is started again." };

export const processSchemas = {
  StopSignal: choice(StopSignal, "The signal that asks an instance to end.", {
    SIGTERM: "the usual one",
    SIGINT: "as Ctrl-C",
    SIGQUIT: "for programs that finish their work on it, such as nginx and php-fpm",
    SIGHUP: "as a closed terminal",
    SIGUSR1: "defined by the program",
    SIGUSR2: "defined by the program",
  }),
  ContainerNetwork: choice(ContainerNetwork, "The network of a container.", {
    private: "its own; the server's `127.0.0.1` is not reachable from it",
    host: "the network of the server, with all that listens on its `127.0.0.1`",
  }),
  InstanceState: choice(schemas.InstanceState, "The state of an instance.", {
    starting: "it runs, and has not passed its check",
    live: "it gets requests; an instance without a port runs",
    draining: "it was replaced and finishes its requests",
    restarting: "it ended by itself and is started again",
    crash_looping:
      "it ended five times within a minute, or failed five times within half an hour, and is started again, less often each time",
  }),
  ProcessDefinition: object(
    schemas.ProcessDefinition,
    "A process that a repository or its framework defines.",
    processFieldTexts,
  ),
  ProcessSettings: object(schemas.ProcessSettings, "A project's own settings for a process.", {
    ...settings,
  }),
  InstanceReport: object(schemas.InstanceReport, "An instance as the server sees it.", {
    name: "Its name: the process, the version of the deployment that started it, and a number.",
    state: "Its state.",
    started_at: "When it was last started. `null`: it has ended and waits for its restart.",
    restarts: "How often it was started again after it ended by itself.",
    memory_bytes: "The memory that its processes use. `null`: unknown.",
    cpu_percent:
      "The CPU time that its processes used since the previous request, in percent of one core. `null`: unknown.",
    last_exit: "How it ended last, such as `ended with exit code 1`. `null`: it has not ended by itself.",
    last_output: "The last lines that it printed before it ended. `null`: it has not ended by itself.",
    crash_loop: "Why its state is `crash_looping`. Missing in other states, and if it is not known.",
  }),
  CrashLoop: object(schemas.CrashLoop, "How an instance ended again and again.", {
    ends: "How often it ended.",
    seconds: "Within how many seconds.",
    exit_code: "The exit code of its last end. `null` if a signal ended it.",
    signal: "The signal that ended it last. `null` if none did.",
  }),
  ProcessReport: object(schemas.ProcessReport, "A process as the server runs it.", {
    name: "The name of the process.",
    command: "The command of its instances.",
    port: "Whether its instances listen on a port.",
    wanted: "How many instances there should be.",
    stopped: "Whether it was stopped.",
    instances: "Its instances, also instances that are being replaced.",
  }),
  Processes: object(schemas.Processes, "The processes of a project.", {
    processes: "What the server runs.",
    checked_at: "When the server read them. `null`: it has not reported the project yet.",
    ingress_problem: "The project's `ingress_problem`.",
    sources: "Where the command of each process is from, by its name.",
  }),
  ProcessSource: choice(schemas.ProcessSource, "Where the command of a process is from.", {
    project: "the project's settings",
    "gantry.json": "gantry.json in the repository",
    Procfile: "the Procfile in the repository",
    preset: "the preset of the framework",
  }),
  UpdateProcessInput: object(
    schemas.UpdateProcessInput,
    "The settings of a process to change. Omitted fields keep their values, and `null` removes the project's own value.",
    { ...processFieldTexts, emergency: emergencyText },
  ),
  EmergencyInput: object(EmergencyInput, "A request that starts a deployment and needs no other fields.", {
    emergency: emergencyText,
  }),
  ProcessUpdated: object(schemas.ProcessUpdated, "A process after a change of its settings.", {
    process: "The project's own settings for the process.",
    ...nested("process", { ...settings, name: "The name of the process." }),
    deployment: "The deployment that puts the settings into effect. `null`: nothing is live.",
  }),
  ProcessesState: choice(schemas.ProcessesState, "The state of a project's processes.", {
    running: "every instance runs",
    restarting: "an instance ended by itself and is started again",
    crash_looping:
      "an instance ended five times within a minute, or failed five times within half an hour, and is started again, less often each time",
  }),
} satisfies Record<string, SchemaText>;
