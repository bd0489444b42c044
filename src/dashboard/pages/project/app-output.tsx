import { useEffect, useState } from "preact/hooks";

import { followOutput } from "#client/follow-output.ts";
import type { AppOutputLine } from "#contract/endpoints/output/schemas.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { Problem } from "#contract/problems.ts";
import { streams } from "#dashboard/data/stream-slots.ts";
import { AnsiText } from "#dashboard/shared/ansi-text.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { useEnd } from "#dashboard/shared/use-end.ts";
import { clockText, dateText } from "#dashboard/text/times.ts";

/** The newest lines are shown. */
const SHOWN_LINES = 500;
/** Lines that arrive within this time are rendered together. */
const GATHER_MS = 100;

type Props = {
  readonly id: ProjectId;
  /** One of the servers of the project; null: the first. */
  readonly server: ServerId | null;
};

/** What the app prints, live. The server sends it only while it is open. */
export function AppOutput({ id, server }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section class="app-output" aria-label="Output">
      <h2>Output</h2>
      <Button onClick={() => setIsOpen(!isOpen)}>
        {isOpen ? "Stop showing output" : "Show live output"}
      </Button>
      {isOpen ? <Lines id={id} server={server} /> : null}
    </section>
  );
}

/** `instance` is null for a note of the dashboard. `key` rises from line to line. */
type Shown = {
  readonly key: number;
  readonly instance: AppOutputLine["instance"] | null;
  readonly message: string;
  readonly time: string | null;
};

function Lines({ id, server }: Props) {
  const [lines, setLines] = useState<readonly Shown[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [tries, setTries] = useState(0);
  const { box, onScroll } = useEnd<HTMLPreElement>(lines);

  useEffect(() => {
    const stopped = new AbortController();
    const query = server === null ? {} : { server_id: server };
    let next = 0;
    let waiting: Shown[] = [];
    const add = (line: Omit<Shown, "key">) => void waiting.push({ key: (next += 1), ...line });
    const publish = () => {
      if (waiting.length === 0) return;
      const added = waiting;
      waiting = [];
      setLines((before) => [...before, ...added].slice(-SHOWN_LINES));
    };
    const timer = setInterval(publish, GATHER_MS);
    const follow = async () => {
      for await (const event of followOutput(streams, id, { query, signal: stopped.signal })) {
        if (event.type === "line") add({ ...event.line, time: event.line.time ?? null });
        else if (event.type === "left_out")
          add({ instance: null, message: leftOutText(event.lines), time: null });
        setProblem(event.type === "waiting" || event.type === "problem" ? event.problem : null);
      }
    };
    setLines([]);
    setProblem(null);
    void follow();
    return () => {
      stopped.abort();
      clearInterval(timer);
    };
  }, [id, server, tries]);

  return (
    <>
      <ProblemBox problem={problem} doing="Reading the output" retry={() => setTries(tries + 1)} />
      <pre ref={box} tabIndex={0} role="log" aria-label="Lines of the output" onScroll={onScroll}>
        {lines.map(({ key, instance, message, time }) => (
          <div key={key}>
            <PrintedAt time={time} /> <span class="quiet">{instance ?? "–"}</span> <AnsiText line={message} />
          </div>
        ))}
        {lines.length === 0 && problem === null ? <span class="quiet">Nothing yet.</span> : null}
      </pre>
    </>
  );
}

/** A line that was printed while nobody looked has no time. */
function PrintedAt({ time }: { readonly time: string | null }) {
  const isKnown = time !== null && !Number.isNaN(Date.parse(time));
  return isKnown ? (
    <time class="quiet" dateTime={time} title={dateText(time)}>
      {clockText(time)}
    </time>
  ) : (
    <span class="quiet time">–</span>
  );
}

function leftOutText(lines: number | null): string {
  return lines === null
    ? "Lines may be missing here: the connection to the server was lost."
    : `${lines} ${lines === 1 ? "line is" : "lines are"} left out: the app prints faster than they can be sent.`;
}
