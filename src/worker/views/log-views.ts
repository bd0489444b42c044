import { oneLine } from "#contract/log-text.ts";
import { LOG_END_EVENT, type LogEnd, LogLine } from "#contract/endpoints/logs/schemas.ts";
import type { LogEvent } from "#worker/logs/follow-log.ts";
import type { StoredLine } from "#worker/logs/stored-lines.ts";

/** A line each, whatever it holds: the time, the stage, the message. */
export function logText(lines: readonly StoredLine[]): string {
  return lines
    .map(({ json }) => {
      const { time, stage, message } = LogLine.parse(JSON.parse(json));
      return `${oneLine(time)} ${stage.padEnd(8)} ${oneLine(message)}\n`;
    })
    .join("");
}

export function logNdjson(lines: readonly StoredLine[]): string {
  return lines.map(({ json }) => `${json}\n`).join("");
}

/** How long a client waits before it comes again by itself, in milliseconds. */
const RETRY_MS = 1000;

/** The beginning of a stream of events; it also has the headers sent at once. */
export const eventStreamStart = `retry: ${RETRY_MS}\n\n`;

/** Source: the HTML standard, "Server-sent events". JSON has no line ends, so one data line holds it. */
export function logEventText(event: LogEvent<LogEnd>): string {
  switch (event.type) {
    case "lines":
      return event.lines.map(({ line, json }) => `id: ${line}\ndata: ${json}\n\n`).join("");
    case "alive":
      return ": alive\n\n";
    case "end":
      return `event: ${LOG_END_EVENT}\ndata: ${JSON.stringify(event.end)}\n\n`;
  }
}
