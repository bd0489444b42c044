import { expect, it } from "vitest";

import { dockerfileField } from "#cli/commands/dockerfile-options.ts";

const none = { dockerfile: null, "build-context": null, "build-target": null };
const before = { path: "docker/Dockerfile", context: "apps", target: "web" };

it("--dockerfile, --build-context and --build-target are one setting, whose other parts stay", () => {
  expect(dockerfileField(none, before)).toEqual({});
  expect(dockerfileField({ ...none, dockerfile: "web.Dockerfile" }, before)).toEqual({
    dockerfile: { ...before, path: "web.Dockerfile" },
  });
  expect(dockerfileField({ ...none, "build-context": "." }, before)).toEqual({
    dockerfile: { ...before, context: "." },
  });
  expect(dockerfileField({ ...none, "build-target": "worker" }, null)).toEqual({
    dockerfile: { path: "Dockerfile", context: ".", target: "worker" },
  });
});

it("an empty value brings back the default of a part, and an empty --dockerfile alone removes the setting", () => {
  expect(dockerfileField({ ...none, "build-target": "" }, before)).toEqual({
    dockerfile: { path: "docker/Dockerfile", context: "apps" },
  });
  expect(dockerfileField({ ...none, "build-context": "" }, before)).toEqual({
    dockerfile: { ...before, context: "." },
  });
  expect(dockerfileField({ ...none, dockerfile: "" }, before)).toEqual({ dockerfile: null });
});
