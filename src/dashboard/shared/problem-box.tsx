import { useState } from "preact/hooks";

import type { Problem } from "#contract/problems.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { problemText } from "#dashboard/text/labels.ts";

type Props = {
  readonly problem: Problem | null;
  /** The action that failed, such as `Deploying`. */
  readonly doing: string;
  readonly retry?: (() => unknown) | undefined;
};

/** Shows a problem, with a button to try again. Renders nothing if there is no problem. */
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
          Request ID <code>{problem.request_id}</code>
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
