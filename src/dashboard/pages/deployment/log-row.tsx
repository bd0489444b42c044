import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { AnsiText } from "#dashboard/shared/ansi-text.tsx";
import { memo } from "#dashboard/shared/memo.tsx";
import type { TextStyle } from "#contract/text-style.ts";
import type { LineText } from "#dashboard/text/line-texts.ts";
import { clockText, dateText } from "#dashboard/text/times.ts";

type Props = {
  readonly line: LogLine;
  readonly text: LineText;
  /** The style that the line starts with. */
  readonly style: Readonly<TextStyle>;
  readonly marked: string;
  /** The name of the server that wrote it; null: not shown. */
  readonly server: string | null;
  /** Whether Tab reaches this line's number. The arrow keys move from there. */
  readonly isStop: boolean;
};

/** A line of a log, with its number and time. */
export const LogRow = memo(function LogRow({ line, text, style, marked, server, isStop }: Props) {
  return (
    <div class={`row ${line.stream} ${levelOf(text)}`}>
      <a class="number" href={`#L${line.line}`} tabIndex={isStop ? 0 : -1} aria-label={`Line ${line.line}`}>
        {line.line}
      </a>
      <time dateTime={line.time} title={dateText(line.time)}>
        {clockText(line.time)}
      </time>
      {server === null ? null : (
        <span class="server" title={server}>
          {server}
        </span>
      )}
      <span class="text">
        <AnsiText line={line.message} before={style} marked={marked} />
      </span>
    </div>
  );
});

/** What the line is about. Many tools print their progress on stderr, so the stream says nothing about it. */
function levelOf({ errorRank, isWarning }: LineText): "bad" | "caution" | "" {
  if (errorRank === 1) return "bad";
  return isWarning ? "caution" : "";
}
