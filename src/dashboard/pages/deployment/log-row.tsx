import type { LogLine } from "#contract/logs.ts";
import { AnsiText } from "#dashboard/parts/ansi-text.tsx";

type Props = { readonly line: LogLine; readonly marked: string };

export function LogRow({ line, marked }: Props) {
  return (
    <div class={`row ${line.stream}`}>
      <a class="number" href={`#L${line.line}`} tabIndex={-1} title={`${line.stage}, ${line.time}`}>
        {line.line}
      </a>
      <span class="text">
        <AnsiText line={line.message} marked={marked} />
      </span>
    </div>
  );
}
