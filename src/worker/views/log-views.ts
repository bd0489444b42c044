import { oneLine } from "#contract/log-text.ts";
import { LOG_END_EVENT } from "#contract/endpoints/logs/log-stream.ts";
import { type LogEnd, LogLine } from "#contract/endpoints/logs/schemas.ts";
import { storedAs } from "#contract/stored.ts";
import type { LogEvent } from "#worker/following/log/follow-log.ts";
import type { StoredLine } from "#worker/logs/stored-lines.ts";

const storedLine = storedAs(LogLine);

/** One line of text for each log line: time, stage, message. */
export function logText(lines: readonly StoredLine[]): string {
  return lines
    .map(({ json }) => {
      const { time, stage, message } = storedLine.parse(JSON.parse(json));
      return `${oneLine(time)} ${stage.padEnd(8)} ${oneLine(message)}\n`;
    })
    .join("");
}

export function logNdjson(lines: readonly StoredLine[]): string {
  return lines.map(({ json }) => `${json}\n`).join("");
}

/** How long a client waits before it reconnects, in milliseconds. */
const RETRY_MS = 1000;

/** The start of an event stream. Sending it at once also sends the headers. */
export const eventStreamStart = `retry: ${RETRY_MS}\n\n`;

/** A comment that shows that the stream works. */
export const heartbeat = ": alive\n\n";

/** Source: the HTML standard, "Server-sent events". JSON contains no line breaks, so it fits into one data line. */
export function logEventText(event: LogEvent<LogEnd>): string {
  switch (event.type) {
    case "lines":
      return event.lines.map(({ line, json }) => `id: ${line}\ndata: ${json}\n\n`).join("");
    case "alive":
      return heartbeat;
    case "end":
      return `event: ${LOG_END_EVENT}\ndata: ${JSON.stringify(event.end)}\n\n`;
  }
}
