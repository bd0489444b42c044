import { describe, expect, it } from "vitest";

import { preferredMediaType } from "#worker/http/media-type.ts";

describe("the media type of a response", () => {
  it.each([
    [null, "application/json"],
    ["", "application/json"],
    ["*/*", "application/json"],
    ["text/plain", "text/plain"],
    ["TEXT/PLAIN", "text/plain"],
    ["text/*", "text/plain"],
    ["text/plain, application/json", "application/json"],
    ["application/json;q=0.1, text/plain;q=0.2", "text/plain"],
    ["text/plain;q=0.1, */*;q=0.9", "application/json"],
    ["text/plain; q=1, */*; q=0.9", "text/plain"],
    ["application/json;q=0, text/plain;q=0.001", "text/plain"],
    ["application/json;q=0, */*;q=0.5", "text/plain"],
    ["image/png", "application/json"],
    ["text/plain;q=nonsense", "application/json"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json"],
  ])("for Accept: %s is %s", (accept, expected) => {
    expect(preferredMediaType(accept, ["application/json", "text/plain"])).toBe(expected);
  });
});
