import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ProcessName } from "#contract/endpoints/processes/schemas.ts";
import { readProcfile } from "#project-files/processes/read-procfile.ts";

/** The processes of a Procfile that is right. */
function processesOf(text: string): Readonly<Record<string, string>> {
  const read = readProcfile(text);
  if (!read.ok) throw new Error(read.problem.message);
  return Object.fromEntries(read.value.processes);
}

function problemOf(text: string): string | null {
  const read = readProcfile(text);
  return read.ok ? null : read.problem.message;
}

describe("a Procfile", () => {
  it("has one process on each line, and comments", () => {
    const text =
      "\uFEFF# app\r\nweb:  node server.js -p $PORT \r\n\r\n  worker_2: a: b # c\nclock:\tdate\rlast:x";
    expect(processesOf(text)).toEqual({
      web: "node server.js -p $PORT",
      worker_2: "a: b # c",
      clock: "date",
      last: "x",
    });
    expect(processesOf("")).toEqual({});
  });

  it("has names in lower case, as Gantry does", () => {
    expect(processesOf("Web: a\nWorker: b")).toEqual({ web: "a", worker: "b" });
  });

  it("can have a release command, which is no process", () => {
    const read = readProcfile("release: rake db:migrate\nweb: puma");
    expect(read).toMatchObject({ ok: true, value: { releaseCommand: "rake db:migrate" } });
    expect(processesOf("release: rake db:migrate\nweb: puma")).toEqual({ web: "puma" });
  });

  it.each([
    ["web node", "line 1 of the Procfile has no colon after the name of a process: `web node`"],
    ["\nweb:", "line 2 of the Procfile has no command for `web`"],
    ["2nd: x", "line 1 of the Procfile has `2nd` as the name of a process"],
    ["__proto__: x", "line 1 of the Procfile has `__proto__` as the name of a process"],
    ["a b: x", "line 1 of the Procfile has `a b` as the name of a process"],
    [`${"n".repeat(31)}: x`, `line 1 of the Procfile has \`${"n".repeat(31)}\` as the name of a process`],
    ["web: a\n\nWEB: b", "line 3 of the Procfile defines `web` again, after line 1"],
    ["release: a\nrelease: b", "line 2 of the Procfile defines `release` again, after line 1"],
    [
      `web: ${"x".repeat(8193)}`,
      "line 1 of the Procfile has a command for `web` that is longer than 8192 characters or contains a NUL character",
    ],
    [
      `release: x\n${Array.from({ length: 21 }, (_, at) => `w${at}: x`).join("\n")}`,
      "line 22 of the Procfile is one process too many: at most 20 are allowed",
    ],
  ])("is refused with the line of its mistake: %j", (text, message) => {
    expect(problemOf(text)).toBe(message);
  });

  it("of any text is read or refused in linear time, and never has an invalid process", () => {
    const line = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.tuple(fc.string(), fc.string()).map(([name, command]) => `${name}:${command}`),
      fc.constantFrom("web: x", "release: y", "#", ":", "\0", "\u2028"),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const read = readProcfile(lines.join("\n"));
        if (!read.ok) expect(read.problem.message).toMatch(/^line \d+ of the Procfile /);
        for (const [name, command] of read.ok ? read.value.processes : []) {
          expect(ProcessName.safeParse(name).success).toBe(true);
          expect(command.trim()).not.toBe("");
        }
      }),
    );
    const startedAt = process.cpuUsage();
    for (const part of [":", "\r", "web:", " ", "a: b\r\n", "#"]) problemOf(part.repeat(64 * 1024));
    // CPU time, which other programs on the machine do not lengthen.
    expect(process.cpuUsage(startedAt).user).toBeLessThan(2_000_000);
  });
});
