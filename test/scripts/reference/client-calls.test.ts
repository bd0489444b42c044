import { expect, it } from "vitest";

import { calls } from "#library/calls.ts";
import { clientCalls } from "../../../scripts/reference/client-calls.ts";

it("the client knows of each endpoint what the table says; `npm run reference` updates it", () => {
  expect(calls).toEqual(clientCalls());
});
