/**
 * Why a run was interrupted. `stop`: it was canceled; `shutdown`: the agent is stopping; `ended`: the control plane
 * has ended the run and accepts no more of its events.
 */
export type InterruptReason = "stop" | "shutdown" | "ended";

export type Interrupt = {
  readonly signal: AbortSignal;
  /** `null` until the run is interrupted. */
  readonly reason: InterruptReason | null;
  raise(reason: InterruptReason): void;
  /** The run can no longer be canceled: `stop` has no effect after this. */
  commit(): void;
};

const weight = { stop: 1, shutdown: 2, ended: 3 } as const;

export function createInterrupt(): Interrupt {
  const controller = new AbortController();
  let reason: InterruptReason | null = null;
  let isCommitted = false;
  return {
    signal: controller.signal,
    get reason() {
      return reason;
    },
    raise(next) {
      if (next === "stop" && isCommitted) return;
      if (reason === null || weight[next] > weight[reason]) reason = next;
      controller.abort();
    },
    commit() {
      isCommitted = true;
    },
  };
}
