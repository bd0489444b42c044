import { isNoSpaceError } from "#node/has-code.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import {
  type Failure,
  type FailureEvidence,
  MAX_FAILURE_HINT,
  MAX_FAILURE_MESSAGE,
  MAX_HEALTH_BODY,
  MAX_STDERR_TAIL,
} from "#contract/endpoints/deployments/schemas.ts";
import type { ResultOf } from "#contract/lib/result.ts";

/** Why a run stops. The run's `Interrupt` has the reason of an interruption. */
export type RunEnd =
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "interrupted" };

export type Step<Value> = ResultOf<Value, { readonly end: RunEnd }>;

type FailedStep = { readonly ok: false; readonly end: Extract<RunEnd, { kind: "failed" }> };

export const interrupted = { ok: false, end: { kind: "interrupted" } } as const;

/** Creates a failure. Texts are cut to the limits of the control plane. */
export function fail(
  code: Failure["code"],
  stage: Failure["stage"],
  message: string,
  evidence?: FailureEvidence,
  hint: string | null = null,
): FailedStep {
  const failure: Failure = { code, stage, message: head(message, MAX_FAILURE_MESSAGE) };
  if (hint !== null) failure.hint = head(hint, MAX_FAILURE_HINT);
  if (evidence !== undefined) {
    failure.evidence = { ...evidence };
    if (evidence.stderr_tail !== undefined)
      failure.evidence.stderr_tail = evidence.stderr_tail.slice(-MAX_STDERR_TAIL).toWellFormed();
    if (evidence.health_body !== undefined)
      failure.evidence.health_body = head(evidence.health_body, MAX_HEALTH_BODY);
  }
  return { ok: false, end: { kind: "failed", failure } };
}

/** Turns an unexpected error into a failure. */
export function failUnexpectedly(error: unknown, stage: Failure["stage"]) {
  if (isNoSpaceError(error)) return fail("disk_full", stage, `the disk is full: ${messageOf(error)}`);
  return fail("internal", stage, `the agent failed: ${messageOf(error)}`);
}

/** The first `length` characters of a text, without half a character at its end. */
export function head(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}
