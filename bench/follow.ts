import { EventSourceParserStream } from "eventsource-parser/stream";

import { LogLine } from "#contract/logs.ts";

/**
 * Follows a deployment's log to its end, as a client somewhere does.
 * @param onLine gets each line with the milliseconds from its time at the agent until it was here
 */
export async function followLog(
  { url, token }: { readonly url: string; readonly token: string },
  deploymentId: string,
  onLine: (line: LogLine, lateMs: number) => void,
): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const answer = await fetch(`${url}/v1/logs/${deploymentId}`, { headers });
  if (!answer.ok || answer.body === null) throw new Error(`the log answers ${answer.status}`);
  const events = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { event, data } of events) {
    if (event === "end") return;
    const line = LogLine.parse(JSON.parse(data));
    onLine(line, Date.now() - Date.parse(line.time));
  }
  throw new Error("the stream ended before the log did");
}
