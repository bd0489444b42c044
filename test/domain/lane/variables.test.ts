import { describe, expect, it } from "vitest";

import { activeOf, emptyLane } from "#domain/lane/lane.ts";
import { type ProjectVariables } from "#domain/lane/variables.ts";
import { accepted, deployed, DEFAULT_TARGET, rollBack, start } from "../../support/lane.ts";

const at = (
  revision: number,
  ...notSealed: ProjectVariables["notSealed"]
): { variables: ProjectVariables } => ({
  variables: { revision, notSealed },
});

describe("the variables of a deployment", () => {
  it("are none if the project never had any", () => {
    expect(activeOf(accepted(start(emptyLane)))?.variables).toBeNull();
  });

  it("have the latest revision of all deployments before it", () => {
    const later = accepted(start(emptyLane, 0, at(5)));
    const lane = accepted(start(later, 0, at(4)));
    expect(lane.deployments.map(({ variables }) => variables)).toEqual([
      { revision: 5, deployed: false },
      { revision: 5, deployed: false },
    ]);
  });

  it("refuse it if the server cannot open one of the current secrets", () => {
    const [current, earlier] = [
      { name: "B", from: 2, until: null },
      { name: "A", from: 1, until: 2 },
    ];
    expect(start(emptyLane, 0, at(2, current, earlier))).toMatchObject({
      ok: false,
      refusal: { code: "secrets_not_sealed", detail: expect.stringContaining(": B.") },
    });
    expect(start(emptyLane, 0, at(2, earlier))).toMatchObject({ ok: true });
  });

  it("name the servers that cannot open a secret", () => {
    const detail = (...servers: readonly string[][]) => {
      const secrets = servers.map((list, nth) => ({ name: `S${nth}`, from: 1, until: null, servers: list }));
      const refused = start(emptyLane, 0, at(1, ...secrets));
      return refused.ok ? null : refused.refusal.detail;
    };
    const rest = "because they were sealed for other keys: S0, S1. Enter them again, or remove them.";
    expect(detail(["web-2"], ["web-2"])).toBe(`web-2 cannot open these secrets, ${rest}`);
    expect(detail(["web-3"], ["web-2", "web-3"])).toBe(
      `web-2, web-3 cannot open all of these secrets, ${rest}`,
    );
    expect(detail([], [])).toBe(`A server of the project cannot open these secrets, ${rest}`);
  });
});

describe("a rollback with the variables of its target", () => {
  const lane = deployed(deployed(emptyLane));
  const back = (variables: ProjectVariables) =>
    rollBack(lane, DEFAULT_TARGET, 0, { variables, runWith: { settings: null, variables: "deployed" } });

  it("has none if neither the target nor the project has any", () => {
    expect(activeOf(accepted(back({ revision: 0, notSealed: [] })))?.variables).toBeNull();
  });

  it("has the revision 0 if only the target has none, because git needs the current token", () => {
    const { variables } = activeOf(accepted(back({ revision: 3, notSealed: [] }))) ?? {};
    expect(variables).toEqual({ revision: 0, deployed: true });
  });

  it("is refused only for the secrets that it uses", () => {
    const unused = { name: "A", from: 1, until: null };
    expect(back({ revision: 3, notSealed: [unused] })).toMatchObject({ ok: true });
    for (const name of ["GANTRY_REPOSITORY_TOKEN", "GANTRY_REGISTRY_TOKEN"])
      expect(back({ revision: 3, notSealed: [unused, { name, from: 1, until: null }] })).toMatchObject({
        refusal: { code: "secrets_not_sealed", detail: expect.stringContaining(`: ${name}.`) },
      });
  });
});
