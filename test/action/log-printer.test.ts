import { describe, expect, it } from "vitest";

import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { ServerId } from "#contract/ids.ts";
import { LogPrinter } from "#action/log-printer.ts";
import { Runner } from "#action/runner.ts";

const web = ServerId.parse("srv_01m8qwc7wke00bbtej7kpmgzxf");

/** What a log is printed as. */
function printed(lines: readonly Pick<LogLine, "stage" | "message" | "server_id">[]): string[] {
  const output: string[] = [];
  const printer = new LogPrinter(new Runner({}, (line) => output.push(line)), () => "web-1");
  lines.forEach((line, at) =>
    printer.print({ line: at + 1, time: "2026-12-01T00:00:00.000Z", stream: "stdout", ...line }),
  );
  printer.end();
  return output;
}

describe("the log of a deployment", () => {
  it("has a group for each stage", () => {
    expect(
      printed([
        { stage: "fetch", message: "one" },
        { stage: "build", message: "10 %\r20 %\r" },
        { stage: "build", message: "::group::x" },
        { stage: "end", message: "live" },
      ]),
    ).toEqual([
      ...[
        "::group::Fetch",
        "one",
        "::endgroup::",
        "::group::Build",
        "20 %\\r",
        "| ::group::x",
        "::endgroup::",
        "live",
      ],
    ]);
  });

  it("names the server of each line if there are several", () => {
    expect(
      printed([
        { stage: "queued", message: "waits" },
        { stage: "build", message: "::error::x", server_id: web },
        { stage: "fetch", message: "y", server_id: web },
      ]),
    ).toEqual(["::group::Queued", "waits", "::endgroup::", "web-1 build: ::error::x", "web-1 fetch: y"]);
  });
});
