import type * as z from "zod/mini";

import { LogEnd, LogLine } from "#contract/endpoints/logs/schemas.ts";
import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";

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
    tag: "Deployments",
    description: prose`
      What the deployment's commands wrote and what Gantry did, line by line. \`Accept\` says in which form:

      - \`application/json\`, the default: a page. It can be read while the deployment runs: \`next_cursor\` is null only
        when the deployment has ended and this was the last page, so go on asking with it until then. Where lines are
        very long, a page has fewer than \`limit\`.
      - \`text/plain\`: all of it so far as text, a line each: time, stage, message. Control characters are escaped, so that a line
        stays one; colours (SGR) are kept.
      - \`application/x-ndjson\`: all of it so far, a \`LogLine\` as JSON in each line.
      - \`text/event-stream\`: the lines so far, and then each as it is written.

      In the stream (server-sent events) an event's \`id\` is the line's number and its \`data\` the \`LogLine\`. The last
      event has the name \`end\`, and a \`LogEnd\` as its data. While nothing is written, a comment comes every 10
      seconds. A stream that closes without \`end\` was cut, or has lasted its 15 minutes: ask again with
      \`Last-Event-ID\`, the number of the last line that has come, and no line is lost or comes twice. A browser's
      \`EventSource\` cannot send a token: read the stream with \`fetch\` there.

      \`limit\` is for JSON. \`cursor\` is for all of them: what is given begins after the page that gave it;
      \`Last-Event-ID\` counts more. Passwords in URLs, and the secrets and query values
      of the project's own addresses, are masked. What a line has over 16 KiB and a
      log over 50 MiB is cut, and a mark says so.

      A log is kept for as many days after the deployment's end as the account's \`log_retention_days\` says, 90 unless
      it was changed. Then it is removed, and asking for it is 410 \`log_expired\`, in every form; the deployment stays.`,
    body: null,
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
