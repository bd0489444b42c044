import type { PushRules } from "#domain/pushes/decide-push.ts";
import { selectsName } from "#domain/pushes/match-patterns.ts";

/** How often a server's agent reads a branch, and how long it gives a hook to report a push first. */
export type WatchTimes = { readonly everySeconds: number; readonly settleSeconds: number };

/** How often, if the project asks for it, and if a hook reports pushes, which may miss one. */
const POLL_SECONDS = 5 * 60;
const CHECK_SECONDS = 60 * 60;
const SETTLE_SECONDS = 60;

/** When the agent reads the project's own branch; null: never. Other branches and tags are found by hooks only. */
export function watchTimes({ deployOn, branch }: PushRules, hasHook: boolean): WatchTimes | null {
  const { enabled, branches, poll } = deployOn;
  const isSelected = branches === null || selectsName(branches, branch);
  if (!enabled || !isSelected || (!poll && !hasHook)) return null;
  return {
    everySeconds: poll ? POLL_SECONDS : CHECK_SECONDS,
    settleSeconds: hasHook ? SETTLE_SECONDS : 0,
  };
}
