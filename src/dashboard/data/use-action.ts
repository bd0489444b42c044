import { useRef, useState } from "preact/hooks";

import type { ClientResult } from "#client/send.ts";
import type { Problem } from "#contract/problems.ts";

export type Action<Value, Args extends readonly unknown[]> = {
  /** Does it, unless it is being done. @returns what came of it; null where it came to nothing */
  readonly run: (...args: Args) => Promise<{ readonly value: Value } | null>;
  readonly isRunning: boolean;
  /** Why it came to nothing the last time. */
  readonly problem: Problem | null;
};

/** Something that a person asks for by a button: at most one at a time, with what went wrong kept to be shown. */
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
  return { ...state, run };
}
