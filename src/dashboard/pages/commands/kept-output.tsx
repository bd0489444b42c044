import { useEffect, useRef, useState } from "preact/hooks";

import { followParts } from "#client/follow-parts.ts";
import type { ClientResult } from "#client/send.ts";
import type { CommandOutputLine } from "#contract/endpoints/commands/schemas.ts";
import type { Problem } from "#contract/problems.ts";
import { AnsiText } from "#dashboard/shared/ansi-text.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { useEnd } from "#dashboard/shared/use-end.ts";
import { VirtualList } from "#dashboard/shared/virtual-list.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";

/** In pixels, as in the style sheet. */
const LINE_HEIGHT = 20;
/** Less than the time limit of a request. */
const WAIT_SECONDS = 10;

/** A part of the output of a one-off command or of a run of a cron job, from an offset on. */
type Part = {
  readonly lines: readonly CommandOutputLine[];
  readonly next_offset: number;
  readonly complete: boolean;
};

export type KeptOutputProps = {
  /** The accessible name. */
  readonly label: string;
  readonly read: (query: { offset: number; wait_seconds: number }) => Promise<ClientResult<Part>>;
  /** Called when it is read to its end. */
  readonly onEnd: () => unknown;
};

/** The output that a server keeps of it, with new lines as they are printed. */
export function KeptOutput({ label, read, onEnd }: KeptOutputProps) {
  // Up to 5 MiB of lines: added in place, and never copied.
  const lines = useRef<CommandOutputLine[]>([]);
  const [count, setCount] = useState(0);
  const [hasEnded, setHasEnded] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [tries, setTries] = useState(0);
  const { box, onScroll } = useEnd<HTMLDivElement>(count);

  useEffect(() => {
    const stopped = new AbortController();
    const { signal } = stopped;
    const follow = async () => {
      for await (const event of followParts(read, { waitSeconds: WAIT_SECONDS, signal })) {
        if (signal.aborted) return;
        if (event.type === "part") {
          for (const line of event.part.lines) lines.current.push(line);
          setCount(lines.current.length);
          setHasEnded(event.part.complete);
        }
        setProblem(event.type === "part" ? null : event.problem);
      }
      if (!signal.aborted) void onEnd();
    };
    lines.current = [];
    setCount(0);
    void follow();
    return () => stopped.abort();
  }, [tries]);

  return (
    <div class="log kept-output">
      <ProblemBox problem={problem} doing="Reading the output" retry={() => setTries(tries + 1)} />
      <div
        ref={box}
        class="lines"
        data-scrolls
        tabIndex={0}
        role="region"
        aria-label={label}
        onScroll={onScroll}
      >
        {count === 0 ? (
          hasEnded ? (
            <p class="quiet">It printed nothing.</p>
          ) : problem === null ? (
            <Waiting what="Waiting for output" />
          ) : null
        ) : (
          <VirtualList
            count={count}
            rowHeight={LINE_HEIGHT}
            label={`Lines: ${label}`}
            total={hasEnded ? count : -1}
            keyOf={(at) => at}
            row={(at) => <Line line={lines.current[at]} />}
          />
        )}
      </div>
    </div>
  );
}

function Line({ line }: { readonly line: CommandOutputLine | undefined }) {
  if (line === undefined) return null;
  return (
    <div class={`row ${line.stream}`}>
      <span class="text">
        <AnsiText line={line.message} />
      </span>
    </div>
  );
}
