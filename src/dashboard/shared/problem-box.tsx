import { useState } from "preact/hooks";

import type { Problem } from "#contract/problems.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { problemText } from "#dashboard/text/words.ts";

type Props = {
  readonly problem: Problem | null;
  /** What failed, such as `Deploying`. */
  readonly doing: string;
  readonly retry?: (() => unknown) | undefined;
};

/** Tells in words what went wrong, and lets it be tried again. Shows nothing where nothing did. */
export function ProblemBox({ problem, doing, retry }: Props) {
  const [isTrying, setIsTrying] = useState(false);
  if (problem === null) return null;
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{doing} failed.</strong> {problemText(problem)}
      </p>
      {problem.request_id !== "" && problem.status >= 500 ? (
        <p class="quiet">
          Request <code>{problem.request_id}</code>
        </p>
      ) : null}
      {retry === undefined ? null : (
        <Button
          isBusy={isTrying}
          onClick={async () => {
            setIsTrying(true);
            await retry();
            setIsTrying(false);
          }}
        >
          Try again
        </Button>
      )}
    </div>
  );
}
