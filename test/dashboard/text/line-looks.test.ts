import { describe, expect, it } from "vitest";

import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { plain } from "#dashboard/text/ansi.ts";
import { LineLooks } from "#dashboard/text/line-looks.ts";

const ESC = "\u001b";

function looksOf(lines: readonly Pick<LogLine, "stream" | "stage" | "message">[]): (string | null)[] {
  const looks = new LineLooks();
  for (const line of lines) looks.add(line);
  return lines.map((_, index) => looks.at(index).color);
}

const build = (message: string, stream: LogLine["stream"] = "stdout") =>
  ({ stage: "build", stream, message }) as const;

describe("the colors of a log", () => {
  it("stay on after the end of a line until they are changed", () => {
    expect(looksOf([build(`${ESC}[33mone`), build("two"), build(`three${ESC}[39m`), build("four")])).toEqual([
      null,
      "yellow",
      "yellow",
      null,
    ]);
  });

  it("are separate for each stream", () => {
    expect(looksOf([build(`${ESC}[31mred`, "stderr"), build("plain"), build("red still", "stderr")])).toEqual(
      [null, null, "red"],
    );
  });

  it("end with the stage", () => {
    const looks = new LineLooks();
    looks.add(build(`${ESC}[31mred`));
    looks.add({ stage: "activate", stream: "stdout", message: "restarted" });
    expect(looks.at(1)).toBe(plain);
  });
});
