import { objectOf } from "#contract/lib/json-object.ts";
import type { FieldError, Problem } from "#contract/problems.ts";

// Without zod, which the client library does not contain.

/** The problem document in a parsed answer; null: there is none. Fields that this version does not know are dropped. */
export function readProblem(value: unknown): Problem | null {
  const { type, title, status, detail, code, request_id, error, errors } = objectOf(value);
  if (typeof type !== "string" || typeof title !== "string" || typeof detail !== "string") return null;
  if (typeof code !== "string" || typeof request_id !== "string") return null;
  if (typeof status !== "number" || !Number.isInteger(status)) return null;
  return {
    ...{ type, title, status, detail, code, request_id },
    ...(typeof error === "string" ? { error } : {}),
    ...(Array.isArray(errors) ? { errors: errors.flatMap(readFieldError) } : {}),
  };
}

function readFieldError(value: unknown): FieldError[] {
  const { pointer, message } = objectOf(value);
  return typeof pointer === "string" && typeof message === "string" ? [{ pointer, message }] : [];
}
