import type { ComponentChildren } from "preact";

import type { WatchedResource } from "#dashboard/data/resource.ts";
import { Missing, isMissing, isNotAllowed, NoAccess } from "#dashboard/shared/unavailable.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";

type Props<Value> = {
  readonly of: WatchedResource<Value>;
  /** The data, such as `the projects`. */
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
};

/** Renders loaded data, a loading message, or a problem. The last known data stays visible beside a temporary problem. */
export function Show<Value>({ of: { value, problem, reload }, what, children }: Props<Value>) {
  if (problem !== null && isNotAllowed(problem)) return <NoAccess what={what} problem={problem} />;
  if (isMissing(problem)) return <Missing what={what} />;
  return (
    <>
      <ProblemBox problem={problem} doing={`Loading ${what}`} retry={reload} />
      {value !== null ? children(value) : problem === null ? <Waiting what={`Loading ${what}`} /> : null}
    </>
  );
}
