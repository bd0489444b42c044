import { AppOutput, OutputLeftOut, AppOutputLine } from "#contract/endpoints/output/schemas.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const lines: [AppOutputLine, AppOutputLine] = [
  { instance: "web-12-0", message: "Listening on port 20113", time: "2026-11-20T10:14:43.090Z" },
  { instance: "web-12-0", message: "GET /cart 200 12 ms", time: "2026-11-20T10:14:51.612Z" },
];
const events = lines.map((line, at) => `id: ${1_795_169_683_090 + at}\ndata: ${JSON.stringify(line)}\n`);

export const outputTexts = {
  getOutput: {
    summary: "Read what the processes of a project print",
    description: prose`
      Returns what the project's instances print to stdout and stderr. The output is kept only on the project's server,
      up to 10 MiB for each instance, and read from there for this request. So it needs a connected server: otherwise
      the response is 409 \`server_offline\`.

      With \`Accept: application/json\` (default), the response has the last \`lines\` lines (100 by default). The lines
      of one instance are in order. With \`instance\`, the lines of an instance that has ended can be read too, while
      its output is kept. \`ended=true\` reads the lines of all ended instances. A \`process\` that the project does not
      have is 404 \`not_found\`, with the names of its processes, unless output of it is kept.

      Of several servers of the project, \`server_id\` chooses one. Without it, the output is of the first.

      With \`Accept: text/event-stream\`, the response has those lines, then each line as it is printed, of instances
      that are started later too. The \`data\` of an event is an \`AppOutputLine\`. An event named \`left_out\` has an
      \`OutputLeftOut\` as its data: lines are missing here. While there are no new lines, the stream sends a comment
      every 10 seconds. It has no last event. It ends within 10 seconds when its token is revoked or expires, or the
      project is deleted, and after at most 15 minutes. If it closes, connect again with
      \`Last-Event-ID\` set to the \`id\` of the last line you received: the stream continues there, or sends \`left_out\`
      first if the server no longer can.

      The values of the project's secrets are masked on the server. Lines longer than 16 KiB are cut.`,
    answer: { lines },
    streamed: {
      "text/event-stream": {
        pieces: [AppOutputLine, OutputLeftOut],
        example: lines[0],
        text: events.join("\n"),
      },
    },
  },
} as const satisfies Partial<OperationTexts>;

export const outputSchemas = {
  AppOutputLine: object(AppOutputLine, "A line that an instance printed.", {
    instance: "The name of the instance.",
    message: "The text of the line, without a line break.",
    time: "When the line was printed, at most a second late. Missing for lines that were printed while the server's agent did not run, and from an agent before this field.",
  }),
  AppOutput: object(AppOutput, "The last lines that the instances of a project printed.", {
    lines: "The lines. The lines of one instance are in order.",
  }),
  OutputLeftOut: object(OutputLeftOut, "The data of an event `left_out`.", {
    lines:
      "How many lines are missing, because the app prints faster than they are sent. `null`: unknown, after a lost connection.",
  }),
} satisfies Record<string, SchemaText>;
