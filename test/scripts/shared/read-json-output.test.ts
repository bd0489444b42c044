import { describe, expect, it } from "vitest";
import * as z from "zod";

import { readJsonOutput } from "../../../scripts/shared/read-json-output.ts";

const Names = z.array(z.object({ name: z.string() }));
const pretty = JSON.stringify([{ name: "gantry", tags: [["a"]] }, { name: "other" }], null, 2);

describe("the JSON output of a program", () => {
  it.each([
    ["alone", pretty],
    ["on one line", '[{"name":"gantry"},{"name":"other"}]'],
    ["after a warning", `▲ [WARNING] Unrecognised value\n\n${pretty}\n`],
    ["after a line that begins with a bracket", `[WARNING] old\n[DEP0040] punycode\n${pretty}`],
    ["before a notice", `${pretty}\n\n🪵  Logs were written to "x.log"\n[update available]`],
    ["between other JSON", `{"level":"debug"}\n[]\n${pretty}\n{"level":"debug"}`],
    ["with the line ends of Windows", pretty.replaceAll("\n", "\r\n")],
  ])("is found %s", (_, stdout) => {
    expect(readJsonOutput(stdout, Names).map(({ name }) => name)).toEqual(["gantry", "other"]);
  });

  it("is reported as missing, with the actual output", () => {
    expect(() => readJsonOutput("[WARNING] nothing else", Names)).toThrow("[WARNING] nothing else");
  });
});
