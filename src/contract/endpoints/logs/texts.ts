import type * as z from "zod/mini";

import { LogEnd, LogLine, LogPage, LogStage, LogStream } from "#contract/endpoints/logs/schemas.ts";
import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";
import { stageTexts } from "#contract/reference/stage-texts.ts";

const lines: [LogLine, LogLine] = [
  {
    line: 1,
    time: "2026-11-20T09:14:02.402Z",
    stream: "system",
    stage: "fetch",
    message: "Fetching main of git@github.com:acme/shop.git",
  },
  {
    line: 2,
    time: "2026-11-20T09:14:05.977Z",
    stream: "stdout",
    stage: "build",
    message: "added 214 packages in 3s",
  },
];
const end = { deployment_id: example.deployment, status: "live", failure: null } satisfies z.input<
  typeof LogEnd
>;

const text = lines.map(({ time, stage, message }) => `${time} ${stage.padEnd(8)} ${message}\n`).join("");
const event = (of: string, data: unknown) => `${of}\ndata: ${JSON.stringify(data)}\n`;
const events = [...lines.map((line) => event(`id: ${line.line}`, line)), event("event: end", end)];

export const logTexts = {
  getDeploymentLog: {
    summary: "Get the log of a deployment",
    description: prose`
      Returns the output of the deployment's commands and the messages of Gantry, line by line. The \`Accept\` header
      selects the format:

      - \`application/json\` (default): one page. You can read it while the deployment is running. \`next_cursor\` is
        \`null\` only on the last page of a deployment that has ended; until then, request the next page with it. A page
        can have fewer lines than \`limit\` when lines are very long.
      - \`text/plain\`: all lines so far, each as time, stage and message. Control characters are escaped, so that each
        entry stays on one line. Color codes (SGR) are kept unless they would hide text. The other formats have each
        message as the command printed it: a program that prints it to a terminal must escape it in the same way.
      - \`application/x-ndjson\`: all lines so far, each as a \`LogLine\` in JSON.
      - \`text/event-stream\`: all lines so far, then each new line as it is written.

      In the event stream (server-sent events), the \`id\` of an event is the line number and its \`data\` is a
      \`LogLine\`. The last event is named \`end\`, and its data is a \`LogEnd\`. While there are no new lines, the stream
      sends a comment every 10 seconds. A stream ends within 10 seconds when its token is revoked or expires, and after
      at most 15 minutes. If it closes without an \`end\` event, connect again with \`Last-Event-ID\` set to the number of
      the last line you received; no line is lost or repeated. A browser's \`EventSource\` cannot send a token, so use
      \`fetch\` to read the stream.

      \`limit\` applies to JSON only. \`cursor\` applies to every format and starts after the page that returned it;
      \`Last-Event-ID\` takes precedence over it. Passwords in URLs are masked, and so are the secrets and query values
      in the project's own URLs. Lines longer than 16 KiB and logs longer than 50 MiB are cut, with a note in the log.

      Logs are kept for the account's \`log_retention_days\` after the deployment has ended, 90 days by default. After
      that, the log is removed and every format returns 410 \`log_expired\`. The deployment itself is kept.`,
    answer: { deployment_id: example.deployment, status: "live", lines, next_cursor: null },
    streamed: {
      "text/plain": { pieces: [], example: text, text },
      "application/x-ndjson": {
        pieces: [LogLine],
        example: lines[0],
        text: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
      },
      "text/event-stream": { pieces: [LogLine, LogEnd], example: lines[0], text: events.join("\n") },
    },
  },
} as const satisfies Partial<OperationTexts>;

export const logSchemas = {
  LogStream: choice(LogStream, "The source of a log line.", {
    stdout: "the standard output of a command",
    stderr: "the standard error of a command",
    system: "Gantry itself",
  }),
  LogStage: choice(LogStage, "The stage in which a log line was written.", {
    queued: "the deployment waits",
    ...stageTexts,
    prune: "the server removes old releases",
    end: "the deployment has ended",
  }),
  LogLine: object(LogLine, "One line of a log.", {
    line: "The line number, from 1, without gaps.",
    time: "When the line was written, by the server's clock. If that clock is more than a day behind or 5 minutes ahead: when the line arrived.",
    stream: "The source of the line.",
    stage: "The stage in which the line was written.",
    message: "The text of the line, without a line break.",
    server_id:
      "The server that wrote it, or that a line of Gantry is about. Absent if the project has one server, and for other lines of Gantry.",
  }),
  LogPage: object(LogPage, "A page of a log.", {
    deployment_id: "The deployment's id.",
    status: "The current status of the deployment.",
    lines: "The lines of this page, in order.",
    next_cursor:
      "The `cursor` of the next page. `null` only on the last page of a deployment that has ended.",
  }),
  LogEnd: object(LogEnd, "The data of the last event of a stream, `end`.", {
    deployment_id: "The deployment's id.",
    status: "The final status of the deployment, or `deleted` if it was deleted.",
    failure: "Why the deployment failed. `null` if it did not fail.",
  }),
} satisfies Record<string, SchemaText>;
