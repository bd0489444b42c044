import type { AgentContext } from "#agent/context/context.ts";
import type { StageTime } from "#contract/endpoints/deployments/schemas.ts";
import type { RunStage } from "#contract/stages.ts";

/** Measures the stages of a run. */
export type StageClock = {
  /** A stage begins now, which ends the stage before it. */
  begin(stage: RunStage): void;
  /** How long each stage took: until the next one began, or until now. */
  times(): StageTime[];
};

export function createStageClock(clock: AgentContext["clock"]): StageClock {
  const starts: { readonly stage: RunStage; readonly at: number }[] = [];
  return {
    begin(stage) {
      starts.push({ stage, at: clock.monotonic() });
    },
    times() {
      const now = clock.monotonic();
      return starts.map(({ stage, at }, place) => {
        const ms = Math.max(0, (starts[place + 1]?.at ?? now) - at);
        return { stage, duration: Math.round(ms) / 1000 };
      });
    },
  };
}
