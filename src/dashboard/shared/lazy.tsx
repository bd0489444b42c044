import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

import { unreachable } from "#client/answer.ts";
import type { Problem } from "#contract/problems.ts";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";

/** A component whose script is loaded when the component is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [Shown, setShown] = useState(() => loaded);
    const [problem, setProblem] = useState<Problem | null>(null);
    useEffect(() => {
      if (Shown !== null) return;
      load().then(
        (component) => {
          loaded = component;
          setShown(() => component);
        },
        (error: unknown) => setProblem(unreachable(error, location.origin).problem),
      );
    }, []);
    if (Shown !== null) return <Shown {...props} />;
    return (
      <div class="coming">
        {problem === null ? <Waiting what="Loading the page" /> : null}
        {/* A browser does not request a failed module again until the page is reloaded. */}
        <ProblemBox problem={problem} doing="Loading the page" retry={() => location.reload()} />
      </div>
    );
  };
}
