import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

import { unreachable } from "#client/answer.ts";
import type { Problem } from "#contract/problems.ts";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";

/** A page, or a part of one, whose script is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Later(props: Props) {
    const [, setTries] = useState(0);
    const [problem, setProblem] = useState<Problem | null>(null);
    const [isWanted, setIsWanted] = useState(true);
    useEffect(() => {
      if (loaded !== null || !isWanted) return;
      setIsWanted(false);
      setProblem(null);
      load().then(
        (component) => {
          loaded = component;
          setTries((tries) => tries + 1);
        },
        (error: unknown) => setProblem(unreachable(error, location.origin).problem),
      );
    }, [isWanted]);
    const Loaded = loaded;
    if (Loaded !== null) return <Loaded {...props} />;
    return (
      <div class="coming">
        {problem === null ? <Waiting what="Loading the page" /> : null}
        {/* A browser remembers that a script did not load, and asks for it no more: the page as a whole does. */}
        <ProblemBox problem={problem} doing="Loading the page" retry={() => location.reload()} />
      </div>
    );
  };
}
