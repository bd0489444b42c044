/**
 * Why a run ends before its time. `stop`: it was canceled; `shutdown`: the agent ends;
 * `over`: the control plane has ended it, and wants to hear no more of it.
 */
export type InterruptReason = "stop" | "shutdown" | "ended";

export type Interrupt = {
  readonly signal: AbortSignal;
  /** `null` while nothing has interrupted the run. */
  readonly reason: InterruptReason | null;
  raise(reason: InterruptReason): void;
  /** From here on the run is past canceling: `stop` does nothing any more. */
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
