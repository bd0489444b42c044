import { LogEnd, LogLine, LogPage, LogStage, LogStream } from "#contract/endpoints/logs/schemas.ts";
import { choice, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";
import { stageTexts } from "#contract/reference/stage-texts.ts";

export const logSchemas = {
  LogStream: choice(LogStream, "Where a line comes from.", {
    stdout: "a command's standard output",
    stderr: "a command's standard error",
    system: "Gantry",
  }),
  LogStage: choice(LogStage, "In which part of a deployment a line was written.", {
    queued: "while it waited",
    ...stageTexts,
    prune: "while old releases were removed",
    end: "at its end",
  }),
  LogLine: object(LogLine, "One line of a log.", {
    line: "Its number, from 1 on without a gap.",
    time: "When it was written, by its server's clock; when it arrived, where that clock is more than a day behind or 5 minutes ahead.",
    stream: "Where it comes from.",
    stage: "In which part of the deployment it was written.",
    message: "The line itself, without its end.",
  }),
  LogPage: object(LogPage, "A page of a log.", {
    deployment_id: "The deployment.",
    status: "What has become of the deployment so far.",
    lines: "The page's lines, in their order.",
    next_cursor:
      "What to send as `cursor` to go on. `null` only when the deployment has ended and this was the last page.",
  }),
  LogEnd: object(LogEnd, "The data of a stream's last event, whose name is `end`.", {
    deployment_id: "The deployment.",
    status: "How the deployment has ended; `deleted` where it is not there any more.",
    failure: "Why it failed, if it did.",
  }),
} satisfies Record<string, SchemaText>;
