import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { AnsiText } from "#dashboard/shared/ansi-text.tsx";
import { memo } from "#dashboard/shared/memo.tsx";
import type { TextStyle } from "#dashboard/text/ansi.ts";

type Props = {
  readonly line: LogLine;
  /** The style that the line starts with. */
  readonly style: Readonly<TextStyle>;
  readonly marked: string;
  /** Whether Tab reaches this line's number. The arrow keys move from there. */
  readonly isStop: boolean;
};

/** A line of a log, with its number. */
export const LogRow = memo(function LogRow({ line, style, marked, isStop }: Props) {
  return (
    <div class={`row ${line.stream}`}>
      <a
        class="number"
        href={`#L${line.line}`}
        tabIndex={isStop ? 0 : -1}
        aria-label={`Line ${line.line}`}
        title={`${line.stage}, ${line.time}`}
      >
        {line.line}
      </a>
      <span class="text">
        <AnsiText line={line.message} before={style} marked={marked} />
      </span>
    </div>
  );
});
