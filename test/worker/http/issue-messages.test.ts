import { describe, expect, it } from "vitest";

import { parseWith } from "#contract/endpoints/endpoint.ts";
import { endpoints } from "#contract/endpoints/endpoints.ts";
import { bodyErrors } from "#worker/http/field-errors.ts";

const messagesOf = (value: unknown) => {
  const parsed = parseWith(endpoints.createToken.body, value);
  return parsed.success ? [] : bodyErrors(parsed.error).map(({ message }) => message);
};

describe("the error of a field", () => {
  it("has a message even if its schema does not define one", () => {
    expect(messagesOf({ name: 1, scopes: [], expires_in_days: 1.5 })).toEqual([
      "must be a string",
      "must not be empty",
      "must be a whole number",
    ]);
    expect(messagesOf({ name: "x".repeat(101), scopes: ["deploy"] })).toEqual([
      "must have 100 characters or fewer",
      expect.stringMatching(/^must be one of "deployments:read", /),
    ]);
    expect(messagesOf({})).toEqual(["is required", "is required"]);
  });
});
