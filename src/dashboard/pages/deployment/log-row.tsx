import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { errorRank, isWarning } from "#contract/output-lines.ts";
import { AnsiText } from "#dashboard/shared/ansi-text.tsx";
import { memo } from "#dashboard/shared/memo.tsx";
import { plainText, type TextStyle } from "#dashboard/text/ansi.ts";
import { clockText, dateText } from "#dashboard/text/times.ts";

type Props = {
  readonly line: LogLine;
  /** The style that the line starts with. */
  readonly style: Readonly<TextStyle>;
  readonly marked: string;
  /** Whether Tab reaches this line's number. The arrow keys move from there. */
  readonly isStop: boolean;
};

/** A line of a log, with its number and time. */
export const LogRow = memo(function LogRow({ line, style, marked, isStop }: Props) {
  return (
    <div class={`row ${line.stream} ${levelOf(line)}`}>
      <a class="number" href={`#L${line.line}`} tabIndex={isStop ? 0 : -1} aria-label={`Line ${line.line}`}>
        {line.line}
      </a>
      <time dateTime={line.time} title={dateText(line.time)}>
        {clockText(line.time)}
      </time>
      <span class="text">
        <AnsiText line={line.message} before={style} marked={marked} />
      </span>
    </div>
  );
});

/** What the line is about. Many tools print their progress on stderr, so the stream says nothing about it. */
export function levelOf({ stream, message }: Pick<LogLine, "stream" | "message">): "bad" | "caution" | "" {
  if (stream === "system") return "";
  const text = plainText(message);
  if (errorRank(text) === 1) return "bad";
  return isWarning(text) ? "caution" : "";
}
