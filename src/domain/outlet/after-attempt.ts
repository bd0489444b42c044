import { afterFailure, healthy, isDead, pauseAfter, type TargetHealth } from "#domain/outlet/health.ts";
import { delayAfter, retryAfterMs } from "#domain/outlet/schedule.ts";

/** How a request to a target ended. `retryAfter`: the header. */
export type AttemptEnd =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfter: string | null }
  | { readonly kind: "timed_out" | "connection_failed" }
  /** The address must not be a target, or the mail service did not accept it. `problem`: a sentence. */
  | { readonly kind: "not_sent"; readonly problem: string }
  /** The target may not get the event now, which is no fault of the target. `problem`: a sentence. */
  | { readonly kind: "withheld"; readonly problem: string };

/** What follows for the delivery: it is done, it is tried again at an instant, or it has failed without another try. */
export type DeliveryFate =
  | { readonly state: "delivered" }
  | { readonly state: "pending"; readonly dueAt: number }
  | { readonly state: "failed" };

export type AttemptVerdict = {
  readonly fate: DeliveryFate;
  readonly health: TargetHealth;
  /** Until when no delivery is sent to the target; null: there is no pause. */
  readonly pausedUntil: number | null;
  /** Why the target gets no more deliveries, as a sentence; null: it is not disabled. */
  readonly disabled: string | null;
};

/** How long an attempt may take, in milliseconds. */
export const ATTEMPT_TIMEOUT_MS = 20_000;

const GONE = 410;
/** With these statuses a target can say when it wants to be asked again. Source: Standard Webhooks 1.0.0. */
const BUSY: readonly number[] = [429, 502, 503, 504];

/** Why an attempt counts as failed, as a sentence; null: it does not. */
export function problemOfEnd(end: AttemptEnd): string | null {
  switch (end.kind) {
    case "answered":
      return problemOfStatus(end.status);
    case "timed_out":
      return `The target did not answer within ${ATTEMPT_TIMEOUT_MS / 1000} seconds.`;
    case "connection_failed":
      return "Gantry could not connect to the target, or the connection broke.";
    case "not_sent":
    case "withheld":
      return end.problem;
  }
}

function problemOfStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return `The target answered with a redirect (${status}). Gantry does not follow redirects.`;
  return `The target answered with status ${status}.`;
}

/**
 * Decides what follows from an attempt.
 * @param attempts how many attempts the delivery has had since it was last due, with this one
 * @param random from 0 to 1
 * @param startedAt when the attempt began
 */
export function afterAttempt(
  end: AttemptEnd,
  attempts: number,
  health: TargetHealth,
  {
    now,
    random,
    startedAt = now,
  }: { readonly now: number; readonly random: number; readonly startedAt?: number },
): AttemptVerdict {
  if (problemOfEnd(end) === null)
    return { fate: { state: "delivered" }, health: healthy, pausedUntil: null, disabled: null };
  const delay = delayAfter(attempts, random);
  if (end.kind === "withheld") {
    const fate: DeliveryFate =
      delay === null ? { state: "failed" } : { state: "pending", dueAt: now + delay };
    return { fate, health, pausedUntil: null, disabled: null };
  }
  const next = afterFailure(health, delay === null, { now, startedAt });
  const asked = askedPause(end, now);
  const fate: DeliveryFate =
    delay === null ? { state: "failed" } : { state: "pending", dueAt: now + Math.max(delay, asked) };
  const pause = Math.max(pauseAfter(next), asked);
  return {
    fate,
    health: next,
    pausedUntil: pause === 0 ? null : now + pause,
    disabled: whyDisabled(end, next, now),
  };
}

function askedPause(end: AttemptEnd, now: number): number {
  if (end.kind !== "answered" || !BUSY.includes(end.status)) return 0;
  return retryAfterMs(end.retryAfter, now) ?? 0;
}

function whyDisabled(end: AttemptEnd, health: TargetHealth, now: number): string | null {
  if (end.kind === "answered" && end.status === GONE)
    return "The target answered with status 410: it wants no more deliveries.";
  return isDead(health, now) ? "Every attempt of the last 5 days has failed." : null;
}
