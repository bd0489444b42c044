import type { ComponentChildren } from "preact";

import type { Watched } from "#dashboard/data/resource.ts";
import { Gone, isGone, isNotAllowed, NotShown } from "#dashboard/shared/not-shown.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";

type Props<Value> = {
  readonly of: Watched<Value>;
  /** What is read, such as `the projects`. */
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
};

/**
 * What is known of something; that it is waited for; or why it is not known, beside what was known before, unless it is
 * not there any more.
 */
export function Show<Value>({ of: { value, problem, reload }, what, children }: Props<Value>) {
  if (problem !== null && isNotAllowed(problem)) return <NotShown what={what} problem={problem} />;
  if (isGone(problem)) return <Gone what={what} />;
  return (
    <>
      <ProblemBox problem={problem} doing={`Reading ${what}`} retry={reload} />
      {value !== null ? children(value) : problem === null ? <Waiting what={`Reading ${what}`} /> : null}
    </>
  );
}
