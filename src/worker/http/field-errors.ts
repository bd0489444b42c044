import type * as z from "zod/mini";

import type { FieldError } from "#contract/problems.ts";

/** What is wrong with a body, each with an RFC 6901 pointer into it. */
export function bodyErrors(error: z.core.$ZodError): FieldError[] {
  return fieldErrors(error, (path) => path.map((key) => `/${escapeKey(String(key))}`).join(""));
}

/** What is wrong with a query string, each as `?name`. */
export function queryErrors(error: z.core.$ZodError): FieldError[] {
  return fieldErrors(error, (path) => `?${String(path[0] ?? "")}`);
}

function fieldErrors(error: z.core.$ZodError, pointerTo: (path: PropertyKey[]) => string): FieldError[] {
  return error.issues.flatMap((issue) => {
    // Each unknown field is an error of its own, so that its pointer leads to it and not to what holds it.
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({ pointer: pointerTo([...issue.path, key]), message: "is not known" }));
    return [{ pointer: pointerTo(issue.path), message: issue.message }];
  });
}

/** Source: RFC 6901 section 3. */
function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
