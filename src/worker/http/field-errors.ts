import type * as z from "zod/mini";

import type { FieldError } from "#contract/problems.ts";
import { NOT_WELL_FORMED, notWellFormed } from "#contract/well-formed.ts";

/** What is wrong with a body, each with an RFC 6901 pointer into it. */
export function bodyErrors(error: z.core.$ZodError): FieldError[] {
  return fieldErrors(error, pointerTo);
}

/** A client needs to see some of them; an answer that names thousands is of no use to it. */
const MOST_TEXT_ERRORS = 20;

/** Each text in a body that is not well-formed Unicode, with an RFC 6901 pointer to it. */
export function textErrors(json: unknown): FieldError[] {
  return notWellFormed(json, MOST_TEXT_ERRORS).map((path) => ({
    pointer: pointerTo(path),
    message: NOT_WELL_FORMED,
  }));
}

function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${escapeKey(String(key))}`).join("");
}

/** What is wrong with a query string, each as `?name`. */
export function queryErrors(error: z.core.$ZodError): FieldError[] {
  return fieldErrors(error, (path) => `?${String(path[0] ?? "")}`);
}

function fieldErrors(error: z.core.$ZodError, placeOf: (path: PropertyKey[]) => string): FieldError[] {
  return error.issues.flatMap((issue) => {
    // Each unknown field is an error of its own, so that its pointer leads to it and not to what holds it.
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({ pointer: placeOf([...issue.path, key]), message: "is not known" }));
    return [{ pointer: placeOf(issue.path), message: issue.message }];
  });
}

/** Source: RFC 6901 section 3. */
function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
