import { describe, expect, it } from "vitest";

import { connectChoices } from "#dashboard/pages/connect/connect-scopes.ts";
import { readConnectRequest } from "#dashboard/pages/connect/connect-request.ts";
import { allScopes } from "#contract/scopes.ts";
import { roleScopes } from "#contract/roles.ts";

const challenge = "S_eF2OHUBZZ_CvcNtgGTCfaSka-9XWmhNlUiOKn5ikE";

describe("the address of a sign-in", () => {
  it("names the challenge, the command and its port", () => {
    expect(readConnectRequest(`#challenge=${challenge}&name=Ada%27s+laptop&port=40123`)).toEqual({
      challenge,
      name: "Ada's laptop",
      port: 40_123,
    });
  });

  it("is not trusted: other values are as if they were not there", () => {
    for (const port of ["0", "65536", "99999", "80x", "-1", "127.0.0.1:80", ""])
      expect(readConnectRequest(`#challenge=${challenge}&port=${port}`)?.port).toBeNull();
    for (const name of ["", "a%0Ab", "a%E2%80%AEb", "x".repeat(101)])
      expect(readConnectRequest(`#challenge=${challenge}&name=${name}`)?.name).toBeNull();
    for (const hash of ["", "#challenge=short", `#challenge=${challenge}x`, "#connected"])
      expect(readConnectRequest(hash)).toBeNull();
  });
});

describe("what a person can allow", () => {
  const textsOf = (scopes: readonly (typeof allScopes)[number][]) => [
    ...connectChoices({ permissions: [{ scopes: [...scopes], project_ids: null }] }).keys(),
  ];

  it("is at most what they may do, and each choice once", () => {
    expect(textsOf(allScopes)).toHaveLength(3);
    expect(textsOf(roleScopes.deployer)).toEqual(["Everything that you may do", "Only see what you may see"]);
    expect(textsOf(roleScopes.viewer)).toEqual(["Everything that you may do"]);
    const choices = connectChoices({ permissions: [{ scopes: ["deployments:write"], project_ids: null }] });
    expect([...choices.values()][0]).toEqual(["deployments:read", "deployments:write"]);
  });
});
