import { describe, expect, it } from "vitest";

import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { plainStyle as plain } from "#contract/text-style.ts";
import { LineStyles } from "#dashboard/pages/deployment/line-styles.ts";

const ESC = "\u001b";

function colorsOf(lines: readonly Pick<LogLine, "stream" | "stage" | "message">[]): (string | null)[] {
  const styles = new LineStyles();
  for (const line of lines) styles.add(line);
  return lines.map((_, index) => styles.at(index).color?.name ?? null);
}

const build = (message: string, stream: LogLine["stream"] = "stdout") =>
  ({ stage: "build", stream, message }) as const;

describe("the colors of a log", () => {
  it("stay on after the end of a line until they are changed", () => {
    expect(colorsOf([build(`${ESC}[33mone`), build("two"), build(`three${ESC}[39m`), build("four")])).toEqual(
      [null, "yellow", "yellow", null],
    );
  });

  it("are separate for each stream", () => {
    expect(
      colorsOf([build(`${ESC}[31mred`, "stderr"), build("plain"), build("red still", "stderr")]),
    ).toEqual([null, null, "red"]);
  });

  it("end with the stage", () => {
    const styles = new LineStyles();
    styles.add(build(`${ESC}[31mred`));
    styles.add({ stage: "activate", stream: "stdout", message: "restarted" });
    expect(styles.at(1)).toBe(plain);
  });
});
