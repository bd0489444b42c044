import { CertificateHealth, FailedRun, JobHealth } from "#contract/reported-health.ts";
import * as events from "#contract/agent-events.ts";
import * as protocol from "#contract/agent-protocol.ts";
import { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";
import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

export const agentTexts = {
  enrollAgent: {
    summary: "Exchange an enrolment token for an agent's credential",
    description: prose`
      Exchanges an enrolment token, which works once, for the agent's own credential. The credential gives access to the
      agent endpoints of this server only. Any earlier credential of the server stops working. If the agent loses the
      response, it repeats the request with the same \`attempt\` and gets the same response.`,
    body: { token: secrets.enrollment, hostname: "web-1", agent_version: "0.2.0", protocol: 2 },
    answer: { server_id: example.server, credential: secrets.agent },
    location: null,
  },
  reportRunEvents: {
    summary: "Report events of a run and get the next instruction",
    description: prose`
      Reports numbered events of a run, in order, and returns the next instruction for the agent. The agent keeps events
      until they are acknowledged and sends them again if necessary; the control plane ignores duplicates. A request
      without events is a heartbeat.`,
    body: {
      project_id: example.project,
      run_id: example.run,
      events: [
        { seq: 1, type: "stage", stage: "fetch" },
        { seq: 2, type: "resolved", commit_sha: example.sha, commit_message: "Show prices with tax" },
      ],
    },
    answer: { acked_seq: 2, instruction: "continue" },
  },
} as const satisfies Partial<OperationTexts>;

export const agentSchemas = {
  EnrollInput: object(protocol.EnrollInput, "The agent to enrol.", {
    token: "The enrolment token.",
    attempt:
      "32 random bytes in base64url. A request with the same token and the same attempt gets the same response again.",
    hostname: "The server's host name.",
    agent_version: "The version of the agent.",
    protocol: "The protocol version of the agent.",
  }),
  Enrolled: object(protocol.Enrolled, "An enrolled agent.", {
    server_id: "The id of the agent's server.",
    credential: "The agent's credential. It is shown only in this response.",
  }),
  RunEvents: object(events.RunEvents, "The events of a run since the last report.", {
    project_id: "The project's id.",
    run_id: "The id of the run. A run is one attempt to carry out a deployment.",
    events: "The events, in order. An empty list is a heartbeat.",
  }),
  RunEvent: object(events.RunEvent, "An event of a run.", {
    seq: "The number of the event, from 1, without gaps.",
    type: "The type. `ready` asks for permission to activate the release; `result` is the last event.",
    stage: "The stage that has started.",
    commit_sha: "The commit that the branch was resolved to.",
    commit_message: "The first line of the commit message.",
    artifact: "The build that other servers take. It comes after all of its parts are stored.",
    preset: "The detected framework, and the settings that it provides.",
    lines: "The output lines.",
    result: "The result of the run.",
    project: "What the server now serves for the project.",
    stages: "How long each stage of the run took.",
  }),
  DetectedPreset: object(DetectedPreset, "The build settings of a framework.", {
    framework: "The framework's identifier.",
    install_command: "The command that installs the dependencies. `null`: none.",
    build_command: "The build command. `null`: no build.",
    output_directory: "The directory with the build output.",
    trailing_slash: "How the pages of a static site are addressed.",
    fallback: "The file that answers for paths without a file; `null`: none.",
    suggested_release_command: "The release command that the framework usually needs. If omitted: none.",
    app_type: "Whether the app is published as files or runs as a server.",
    start_command: "The command that starts a server. `null`: unknown, or no server.",
    reasons: "Why the framework and the type were detected.",
    processes: "The processes that the repository or its framework defines, by name.",
    repository_definitions: "What the repository defines, and in which file. If omitted: nothing.",
  }),
  RunResult: object(events.RunResult, "The result of a run.", {
    outcome:
      "The outcome. After `failed` and `canceled`, the server has switched back to the previous release, or has not switched. `built`: it has built for other servers, and serves nothing of the project.",
    release: "The release that is live.",
    evidence: "The evidence that the release is live.",
    failure: "Why the run failed.",
  }),
  OutputLine: object(events.OutputLine, "An output line of a run.", {
    time: "When the line was written.",
    stream: "The source of the line.",
    stage: "The stage in which the line was written.",
    message: "The text of the line, without a line break.",
  }),
  ProjectReport: object(protocol.ProjectReport, "What a server serves for one project.", {
    project_id: "The project's id.",
    release: "The release that the symbolic link `current` points to.",
    releases: "The complete releases on the server.",
    url: "The URL at which the agent serves the project, if it does.",
    processes: "The processes of the project and their instances, if it has any.",
    jobs: "The cron jobs of the project, and which of them fail, if it has had any.",
    certificates: "The certificates of the project's domains, if Gantry's ingress looks after them.",
    ingress_problem: "Why the ingress does not serve the project as it should. Missing if it does.",
  }),
  JobHealth: object(JobHealth, "A cron job of the live deployment.", {
    name: "The name of the job.",
    failed: "The run that failed first since the job last succeeded. `null` if it does not fail.",
  }),
  FailedRun: object(FailedRun, "A run of a cron job that failed.", {
    number: "The number of the run.",
    status: "How it ended.",
    exit_code: "Its exit code. `null` if it has none.",
    signal: "The signal that ended it. `null` if none did.",
    message: "How it ended, as the end of a sentence.",
    failed_at: "When it ended.",
    last_line: "The last line that it printed. `null` if there is none.",
  }),
  CertificateHealth: object(CertificateHealth, "The certificate of a domain.", {
    domain: "The domain.",
    state:
      "`valid`. `late`: it expires soon and could not be renewed. `missing`: it could not be obtained. `unknown`: not checked yet.",
    expires_at: "When it expires. `null` if that is not known.",
    problem: "What is wrong, as a sentence. `null` if nothing is.",
  }),
  Instruction: choice(events.Instruction, "What the agent must do next.", {
    continue: "continue, and wait before the switch to the new release",
    activate: "switch to the new release",
    stop: "stop the run and report it as canceled",
    ended: "stop the run and report nothing more",
  }),
  RunEventsAnswer: object(events.RunEventsAnswer, "The acknowledgement, and the next instruction.", {
    acked_seq: "All events up to this number are stored. The agent need not send them again.",
    instruction: "What the agent must do next.",
    poll_seconds:
      "How many seconds an agent that waits for its permit lets pass until it asks again. It asks at once when the message `permit` arrives. If missing, it asks each second.",
  }),
} satisfies Record<string, SchemaText>;
