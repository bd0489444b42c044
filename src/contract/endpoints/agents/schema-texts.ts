import {
  EnrollInput,
  Enrolled,
  Instruction,
  OutputLine,
  ProjectReport,
  RunEvent,
  RunEvents,
  RunEventsAnswer,
  RunResult,
} from "#contract/agent-protocol.ts";
import { Preset } from "#contract/endpoints/projects/schemas.ts";
import { choice, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

export const agentSchemas = {
  EnrollInput: object(EnrollInput, "An agent that joins.", {
    token: "The enrolment token.",
    attempt:
      "32 random bytes in base64url. With the same token and attempt the same agent is answered again.",
    hostname: "What the server calls itself.",
    agent_version: "The agent's version.",
    protocol: "The version of the protocol that it speaks.",
  }),
  Enrolled: object(Enrolled, "An agent that has joined.", {
    server_id: "The server that it speaks for.",
    credential: "Its credential. It is shown only here.",
  }),
  RunEvents: object(RunEvents, "What happened in a run since the last report.", {
    project_id: "The project.",
    run_id: "The run: one attempt to carry out the deployment.",
    events: "The events, in their order; none is a sign of life.",
  }),
  RunEvent: object(RunEvent, "One thing that happened in a run.", {
    seq: "Its number, from 1 on without a gap.",
    type: "What happened: `ready` asks for the permit to switch, `result` is the last event.",
    stage: "The stage that has begun.",
    commit_sha: "The commit that the branch was resolved to.",
    commit_message: "The first line of its message.",
    preset: "The framework that was found, and what it fills in.",
    lines: "What was written.",
    result: "Where the run ended.",
    project: "What the project serves now.",
  }),
  Preset: object(Preset, "How the files of a commit become what is served.", {
    framework: "The framework's identifier.",
    build_command: "What builds it; `null`: nothing is built.",
    output_directory: "The folder that the build leaves the site in.",
  }),
  RunResult: object(RunResult, "Where a run ended.", {
    outcome: "How it ended. Unless it is `live`, the server has switched back, or never switched.",
    release: "The release that is live.",
    evidence: "What shows that it is.",
    failure: "Why it failed.",
  }),
  OutputLine: object(OutputLine, "A line that was written in a run.", {
    time: "When it was written.",
    stream: "Where it comes from.",
    stage: "The stage in which it was written.",
    message: "The line itself, without its end.",
  }),
  ProjectReport: object(ProjectReport, "What one project serves on this server.", {
    project_id: "The project.",
    release: "The release that `current` points to.",
    releases: "The releases whose files are whole.",
    url: "Where the agent serves it, if it does.",
  }),
  Instruction: choice(Instruction, "What the agent does now.", {
    continue: "goes on; before the switch it waits",
    activate: "may switch",
    stop: "ends the run and reports it as canceled",
    ended: "ends the run and reports nothing more",
  }),
  RunEventsAnswer: object(RunEventsAnswer, "What the control plane holds, and wants.", {
    acked_seq: "Every event up to this one is stored, and need not be sent again.",
    instruction: "What the agent does now.",
  }),
} satisfies Record<string, SchemaText>;
