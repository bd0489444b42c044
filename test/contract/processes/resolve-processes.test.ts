import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { initialProcess } from "#contract/endpoints/processes/process-settings.ts";
import { resolveProcesses, wantedInstances } from "#contract/processes/resolve-processes.ts";

import { everyProcessSetting } from "../../support/every-setting.ts";

describe("the processes of a project", () => {
  it("are the repository's with the defaults, and only `web` gets a port", () => {
    const processes = resolveProcesses({ worker: { command: "work" }, web: { command: "serve" } }, {});
    expect(processes).toEqual([
      {
        ...initialProcess,
        name: "web",
        command: "serve",
        instances: 1,
        stopped: false,
        port: true,
        limits: {},
        stop_signal: "SIGTERM",
        stop_seconds: 10,
        overlap: true,
      },
      expect.objectContaining({ name: "worker", command: "work", port: false }),
    ]);
  });

  it("take each field from the settings first", () => {
    const [web] = resolveProcesses(
      { web: { command: "serve", instances: 2, memory_mb: 256, stop_seconds: 5 } },
      { web: { instances: 3, memory_mb: 512, tasks: 64 } },
    );
    expect(web).toMatchObject({
      command: "serve",
      instances: 3,
      limits: { memory_mb: 512, tasks: 64 },
      stop_seconds: 5,
    });
  });

  it("have each setting, limits among the limits", () => {
    const [web] = resolveProcesses({}, { web: everyProcessSetting });
    expect({ ...web, ...web?.limits }).toMatchObject(everyProcessSetting);
  });

  it("can be defined by the settings alone", () => {
    expect(resolveProcesses({}, { clock: { command: "tick", port: true } })).toMatchObject([
      { name: "clock", command: "tick", port: true, instances: 1 },
    ]);
  });

  it("do not include a process that only has settings without a command, whatever its name", () => {
    expect(resolveProcesses({}, { worker: { instances: 3 }, constructor: { stopped: true } })).toEqual([]);
  });

  it("have no instances while they are stopped, and remember how many they had", () => {
    const [web] = resolveProcesses({ web: { command: "serve" } }, { web: { instances: 3, stopped: true } });
    expect(web).toMatchObject({ instances: 3, stopped: true });
    expect(web === undefined ? null : wantedInstances(web)).toBe(0);
  });

  it("are in the same order however the names were", () => {
    const name = fc.constantFrom("web", "worker", "api", "clock", "x-1");
    fc.assert(
      fc.property(fc.uniqueArray(name), (names) => {
        const defined = Object.fromEntries(names.map((each) => [each, { command: "run" }]));
        const found = resolveProcesses(defined, {}).map((one) => one.name);
        const others = names.filter((one) => one !== "web").toSorted();
        expect(found).toEqual(names.includes("web") ? ["web", ...others] : others);
      }),
    );
  });
});
