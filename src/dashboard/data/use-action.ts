import { useRef, useState } from "preact/hooks";

import type { ClientResult } from "#client/send.ts";
import type { Problem } from "#contract/problems.ts";

export type Action<Value, Args extends readonly unknown[]> = {
  /** Runs the action, unless it is running. @returns its result; null if it failed or was running */
  readonly run: (...args: Args) => Promise<{ readonly value: Value } | null>;
  readonly isRunning: boolean;
  /** Why the last run failed. */
  readonly problem: Problem | null;
  /** Forgets the problem, when what was sent has changed. */
  readonly clearProblem: () => void;
};

/** An action of a button or form. It runs once at a time and keeps its last problem. */
export function useAction<Value, Args extends readonly unknown[]>(
  act: (...args: Args) => Promise<ClientResult<Value>>,
): Action<Value, Args> {
  const [state, setState] = useState<{ isRunning: boolean; problem: Problem | null }>({
    isRunning: false,
    problem: null,
  });
  const isRunning = useRef(false);
  const run = async (...args: Args): Promise<{ readonly value: Value } | null> => {
    if (isRunning.current) return null;
    isRunning.current = true;
    setState({ isRunning: true, problem: null });
    const result = await act(...args);
    isRunning.current = false;
    setState({ isRunning: false, problem: result.ok ? null : result.problem });
    return result.ok ? result : null;
  };
  const clearProblem = () => setState((now) => (now.problem === null ? now : { ...now, problem: null }));
  return { ...state, run, clearProblem };
}
