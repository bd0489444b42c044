import { makeFailure } from "#build/failure/make-failure.ts";
import { isNoSpaceError } from "#node/has-code.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import type { ResultOf } from "#contract/lib/result.ts";

/** Why a run stops. The run's `Interrupt` has the reason of an interruption. */
export type RunEnd =
  | { readonly kind: "failed"; readonly failure: DeploymentFailure }
  | { readonly kind: "interrupted" };

export type Step<Value> = ResultOf<Value, { readonly end: RunEnd }>;

type FailedStep = { readonly ok: false; readonly end: Extract<RunEnd, { kind: "failed" }> };

export const interrupted = { ok: false, end: { kind: "interrupted" } } as const;

/** Ends a run with a failure. */
export function failWith(failure: DeploymentFailure): FailedStep {
  return { ok: false, end: { kind: "failed", failure } };
}

/** Creates a failure, and ends a run with it. */
export function fail(...parts: Parameters<typeof makeFailure>): FailedStep {
  return failWith(makeFailure(...parts));
}

/** Turns an unexpected error into a failure. */
export function failUnexpectedly(error: unknown, stage: DeploymentFailure["stage"]) {
  if (isNoSpaceError(error)) return fail("disk_full", stage, `the disk is full: ${messageOf(error)}`);
  return fail("internal", stage, `the agent failed: ${messageOf(error)}`);
}
