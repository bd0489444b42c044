import { describe, expect, it } from "vitest";

import { ProcessChanges } from "#contract/endpoints/processes/schemas.ts";
import {
  processChanges,
  type ProcessEdits,
  processRows,
  withoutProcess,
} from "#dashboard/pages/settings/process-draft.ts";

const repository = "https://github.com/acme/shop";

const saved = {
  repository,
  framework: "express",
  detected_processes: {
    web: { command: "node server.js" },
    worker: { command: "node worker.js", instances: 2 },
  },
  processes: { worker: { memory_mb: 256, stopped: true }, clock: { command: "node clock.js" } },
};
const changesOf = (edits: ProcessEdits) => processChanges(edits, saved);

describe("the processes of the settings form", () => {
  it("come from the repository and the settings, web first, with only the project's own values", () => {
    const rows = processRows({ mailer: {} }, saved);
    expect(rows.map(({ name, hasOwn }) => [name, hasOwn])).toEqual([
      ["web", false],
      ["clock", true],
      ["mailer", true],
      ["worker", true],
    ]);
    const worker = rows.at(-1);
    expect([worker?.text("memory_mb"), worker?.text("instances"), worker?.text("command")]).toEqual([
      "256",
      "",
      "",
    ]);
  });

  it("need no command for the process web of an image, which has one", () => {
    const edits = { web: { container_port: "3000", network: "host" }, worker: { network: "" } };
    const image = { repository, framework: "dockerfile", detected_processes: {}, processes: {} };
    expect(processChanges(edits, image)).toEqual({
      web: { container_port: 3000, network: "host" },
      worker: { command: "" },
    });
    const pulled = { ...image, framework: "static", repository: "docker://ghcr.io/acme/shop" };
    expect(processChanges(edits, pulled)).toMatchObject({ web: { container_port: 3000, network: "host" } });
    // Otherwise the form would drop a process that was just added.
    expect(processChanges({ web: {} }, image)).toEqual({ web: { command: "" } });
    expect(processChanges({ web: { instances: "2" } }, { ...image, framework: "static" })).toEqual({
      web: { instances: 2, command: "" },
    });
  });

  it.each<[ProcessEdits, unknown]>([
    [{}, {}],
    [{ worker: { memory_mb: "256" } }, {}],
    [{ worker: { memory_mb: " 512 " } }, { worker: { memory_mb: 512 } }],
    [{ worker: { memory_mb: "" } }, { worker: { memory_mb: null } }],
    [
      { web: { instances: "3", port: "true", overlap: "false" } },
      { web: { instances: 3, port: true, overlap: false } },
    ],
    [{ web: { stop_signal: "SIGQUIT" } }, { web: { stop_signal: "SIGQUIT" } }],
    [{ mailer: { command: "node mailer.js" } }, { mailer: { command: "node mailer.js" } }],
    [{ clock: null }, { clock: null }],
    [{ web: null }, {}],
  ])("turn %j into the change %j", (edits, change) => {
    expect(changesOf(edits)).toEqual(change);
    expect(ProcessChanges.safeParse(changesOf(edits)).success).toBe(true);
  });

  it("need a command that the repository does not define", () => {
    for (const edits of [{ mailer: {} }, { mailer: { instances: "2" } }, { clock: { command: " " } }]) {
      const [issue] = ProcessChanges.safeParse(changesOf(edits)).error?.issues ?? [];
      expect(issue?.path.at(-1)).toBe("command");
    }
  });

  it("lose removed settings, and settings that were only added", () => {
    expect(withoutProcess({ clock: { instances: "2" } }, "clock", saved)).toEqual({ clock: null });
    expect(withoutProcess({ mailer: {}, web: {} }, "mailer", saved)).toEqual({ web: {} });
  });
});
