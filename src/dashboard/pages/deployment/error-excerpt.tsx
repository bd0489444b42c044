import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { firstErrorIn } from "#contract/first-error.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import type { LogStore } from "#dashboard/pages/deployment/log-store.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { errorExcerpt, firstError } from "#dashboard/pages/deployment/first-error.ts";
import { partOfLog } from "#dashboard/pages/deployment/log-part.ts";
import { AnsiText } from "#dashboard/shared/ansi-text.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { CopyButton } from "#dashboard/shared/copy.tsx";
import { plainText } from "#dashboard/text/ansi.ts";
import { plainStyle, type TextStyle } from "#contract/text-style.ts";

type Props = {
  readonly failure: DeploymentFailure;
  readonly log: LogStore;
  readonly onLine: (line: number) => void;
};

type ShownLine = {
  readonly message: string;
  readonly style: Readonly<TextStyle>;
  /** In the log; null: the log is not loaded, or does not have it. */
  readonly number: number | null;
  /** It says what failed. */
  readonly isError: boolean;
};

/** The first error of the stage that failed, with its context. Renders nothing if the stage had no output. */
export function ErrorExcerpt({ failure, log: whole, onLine }: Props) {
  const { count, hasEnded } = useSignal(whole.state);
  const { server_id: server } = failure;
  // The lines of other servers are between those lines.
  const log = server === undefined ? whole : partOfLog(whole, count, { server, stage: null });
  const tail = failure.evidence?.stderr_tail?.trimEnd() ?? "";
  if (failure.failing_line === undefined && tail === "") return null;
  const number = hasEnded && count > 0 ? firstError(log, failure.stage) : null;
  if (number === null) return <ErrorOfTail tail={tail} failingLine={failure.failing_line ?? null} />;
  const { first, end } = errorExcerpt(log, number);
  const lines = log.lines.slice(first, end).map(({ message, line }, at) => ({
    message,
    style: log.styles.at(first + at),
    number: line,
    isError: line === number,
  }));
  return (
    <Excerpt title={`Line ${number} of the log`} lines={lines}>
      <Button variant="subtle" onClick={() => onLine(number)}>
        Show all
      </Button>
    </Excerpt>
  );
}

/** The same from the end of the output that the failure has: the log is not loaded yet, or no longer kept. */
function ErrorOfTail({ tail, failingLine }: { readonly tail: string; readonly failingLine: string | null }) {
  const [showsAll, setShowsAll] = useState(false);
  const all = tail === "" ? [] : tail.split("\n");
  const found = firstErrorIn(all.map(plainText));
  const shown = found === null ? null : all.slice(found.first, found.end);
  const lines = (showsAll ? all : (shown ?? [failingLine ?? all.at(-1) ?? ""])).map((message) => ({
    message,
    style: plainStyle,
    number: null,
    isError: message === all[found?.at ?? -1],
  }));
  return (
    <Excerpt title="From the end of the output" lines={lines}>
      {all.length <= lines.length && !showsAll ? null : (
        <Button variant="subtle" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? "Show less" : "Show all"}
        </Button>
      )}
    </Excerpt>
  );
}

type ExcerptProps = {
  readonly title: string;
  readonly lines: readonly ShownLine[];
  readonly children: ComponentChildren;
};

function Excerpt({ title, lines, children }: ExcerptProps) {
  return (
    <figure class="excerpt">
      <figcaption>
        <span>{title}</span>
        {children}
        <CopyButton variant="subtle" text={lines.map(({ message }) => plainText(message)).join("\n")} />
      </figcaption>
      <pre tabIndex={0} aria-label="First error">
        {lines.map(({ message, style, number, isError }, at) => (
          <div key={at} class={isError ? "row bad" : "row"}>
            {number === null ? null : (
              <a class="number" href={`#L${number}`} aria-label={`Line ${number}`}>
                {number}
              </a>
            )}
            <span class="text">
              <AnsiText line={message} before={style} />
            </span>
          </div>
        ))}
      </pre>
    </figure>
  );
}
