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
      "Invalid input: expected string, received number",
      "Too small: expected array to have >=1 items",
      "Invalid input: expected int, received number",
    ]);
    expect(messagesOf({ name: "x".repeat(101), scopes: ["deploy"] })).toEqual([
      "Too big: expected string to have <=100 characters",
      expect.stringMatching(/^Invalid option: expected one of "deployments:read"\|/),
    ]);
  });
});
