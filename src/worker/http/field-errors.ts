import type * as z from "zod/mini";

import "#contract/issue-messages.ts";
import type { FieldError } from "#contract/problems.ts";
import { NOT_WELL_FORMED, notWellFormed, RESERVED_NAME, reservedNames } from "#contract/well-formed.ts";
import { escapeKey } from "#contract/lib/json-pointer.ts";

/** The errors of a body, each with an RFC 6901 pointer. */
export function bodyErrors(error: z.core.$ZodError): FieldError[] {
  return fieldErrors(error, pointerTo);
}

/** The most errors in one response: a response with thousands of errors does not help. */
const MOST_TEXT_ERRORS = 20;

/** The texts in a body that are not well-formed Unicode, each with an RFC 6901 pointer. */
export function textErrors(json: unknown): FieldError[] {
  return notWellFormed(json, MOST_TEXT_ERRORS).map((path) => ({
    pointer: pointerTo(path),
    message: NOT_WELL_FORMED,
  }));
}

/** The fields of a body named `__proto__`, each with an RFC 6901 pointer. */
export function nameErrors(json: unknown): FieldError[] {
  return reservedNames(json, MOST_TEXT_ERRORS).map((path) => ({
    pointer: pointerTo(path),
    message: RESERVED_NAME,
  }));
}

function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${escapeKey(String(key))}`).join("");
}

/** The errors of a query string, each with `?name` as its pointer. */
export function queryErrors(error: z.core.$ZodError): FieldError[] {
  return fieldErrors(error, (path) => `?${String(path[0] ?? "")}`);
}

function fieldErrors(error: z.core.$ZodError, placeOf: (path: PropertyKey[]) => string): FieldError[] {
  return error.issues.flatMap((issue) => {
    // One error for each unknown field, so that the pointer names the field and not the object around it.
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({ pointer: placeOf([...issue.path, key]), message: "is not known" }));
    return [{ pointer: placeOf(issue.path), message: issue.message }];
  });
}
