import { describe, expect, it } from "vitest";

import type { Processes } from "#contract/endpoints/processes/schemas.ts";
import { createStyle } from "#cli/output/style.ts";
import { processNotes, processRows } from "#cli/views/process-text.ts";
import { crashLooping, instanceReport, processReport } from "../support/process-reports.ts";

const plain = { form: "plain", style: createStyle(false) } as const;
const terminal = { form: "terminal", style: createStyle(false) } as const;

const checkedAt = "2026-11-20T10:00:00.000Z";
const report: Processes = {
  checked_at: checkedAt,
  ingress_problem: null,
  sources: { web: "Procfile", worker: "project", clock: "gantry.json" },
  processes: [
    processReport("web", {
      wanted: 2,
      instances: [
        instanceReport("web-7-0"),
        instanceReport("web-8-0", { state: "starting", memory_bytes: 2 ** 31 }),
      ],
    }),
    processReport("worker", { instances: [instanceReport("worker-7-0", crashLooping)] }),
    processReport("clock", { stopped: true, instances: [] }),
    processReport("mailer", { wanted: 0, instances: [] }),
  ],
};

describe("gantry ps", () => {
  it("says what is wrong with the ingress", () => {
    const notes = processNotes(
      { ...report, ingress_problem: "No \u001b[31mcertificate" },
      plain,
      Date.parse(checkedAt),
    );
    expect(notes[0]).toMatch(/^Ingress: No .*certificate$/);
    expect(notes[0]).not.toContain("\u001b");
  });

  it("says that a failed instance printed nothing only if its output was read", () => {
    const notesOf = (output: string | null) => {
      const instance = instanceReport("worker-7-0", { ...crashLooping, last_output: output });
      const processes = [processReport("worker", { instances: [instance] })];
      return processNotes({ ...report, processes }, plain, Date.parse(checkedAt)).at(-1);
    };
    expect(notesOf("")).toMatch(/ended .*\. It printed nothing\.$/);
    expect(notesOf(null)).toMatch(/ended .*\.$/);
    expect(notesOf(null)).not.toContain("printed");
  });

  it("prints the exact values for programs", () => {
    expect(processRows(report, plain)).toEqual([
      [
        "web",
        "web-7-0",
        "live",
        "2026-11-20T09:14:43.090Z",
        "0",
        "83886080",
        "1.4",
        "from Procfile",
        "run web",
      ],
      ["web", "web-8-0", "starting", "2026-11-20T09:14:43.090Z", "0", "2147483648", "1.4", "", ""],
      ["worker", "worker-7-0", "crash_looping", "–", "6", "–", "–", "from the settings", "run worker"],
      ["clock", "–", "stopped", "–", "–", "–", "–", "from gantry.json", "run clock"],
      ["mailer", "–", "scaled to 0", "–", "–", "–", "–", "–", "run mailer"],
    ]);
  });

  it("prints short values at a terminal", () => {
    const [first = [], second = [], third = []] = processRows(report, terminal);
    expect(first[3]).toMatch(/^\d+ (d|h|min|s)/);
    expect([first[5], first[6], second[5], third[2]]).toEqual([
      "80 MiB",
      "1.4 %",
      "2.0 GiB",
      "crash looping",
    ]);
  });

  it("says which processes lack instances, and why an instance keeps ending, with its last lines", () => {
    expect(processNotes(report, plain, Date.parse(checkedAt))).toEqual([
      "Starting: web 1 of 2.",
      "Degraded: worker 0 of 1.",
      "worker-7-0 keeps ending: it ended with exit code 1. Its last lines:",
      "  listening",
      expect.stringContaining("Error: connect ECONNREFUSED 127.0.0.1:5432"),
    ]);
  });

  it("prints only the newest lines of an instance that has printed many", () => {
    const last_output = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");
    const web = processReport("web", {
      instances: [instanceReport("web-7-0", { ...crashLooping, last_output })],
    });
    const notes = processNotes({ ...report, processes: [web] }, plain, Date.parse(checkedAt));
    expect(notes.slice(2)).toEqual(Array.from({ length: 12 }, (_, at) => `  line ${at + 28}`));
  });

  it("says that a report is old", () => {
    const [note] = processNotes(report, plain, Date.parse(checkedAt) + 60_000);
    expect(note).toBe(`The server does not answer now. It reported this ${checkedAt}.`);
  });
});
