import { stripVTControlCharacters } from "node:util";

import { describe, expect, it } from "vitest";

import { factLines } from "#cli/output/facts.ts";
import { createStyle } from "#cli/output/style.ts";
import { repositoryFacts } from "#cli/views/repository-facts.ts";

const style = createStyle(true);
const facts = [
  ["url", "http://shop.test/\r\n✓ v3 is live"],
  ["signal", "SIG\u001b[2K\u001b[1A"],
  ["title", "\u001b]0;Live\u0007"],
  ["status", style.green("live")],
  ["exit code", null],
] as const;

describe("facts with untrusted text", () => {
  it("stay one line each in plain text, without cursor sequences", () => {
    const lines = factLines({ form: "plain", style: createStyle(false) }, facts);
    expect(lines).toEqual([
      "url\thttp://shop.test/✓ v3 is live",
      "signal\tSIG",
      expect.stringMatching(/^title\t[^\p{Cc}]*$/u),
      "status\tlive",
    ]);
  });

  it("stay one line each at a terminal, with our own colours", () => {
    const lines = factLines({ form: "terminal", style }, facts);
    expect(lines[0]).toBe(`${style.dim("url   ")}  http://shop.test/✓ v3 is live`);
    expect(lines[1]).toBe(`${style.dim("signal")}  SIG`);
    expect(lines[3]).toContain(style.green("live"));
    for (const line of lines) expect(stripVTControlCharacters(line)).not.toMatch(/\p{Cc}/u);
  });
});

describe("the facts of a repository test, which the agent reports", () => {
  const terminal = { form: "terminal", style } as const;
  const hidden = "\u001b[8m";

  it("have no colours of the agent, and show hidden characters", () => {
    const passed = {
      ok: true,
      branch: "main",
      commit_sha: "8e8412f0c3b1d57a94e2f6a8b0c7d1e5f3a29b64",
      tried: `${hidden}a key`,
      host_key: { host: "git.test\u202e", type: hidden, fingerprint: `${hidden}SHA256:x`, is_new: true },
    } as const;
    const failed = {
      ok: false,
      code: "failed",
      message: `one\ntwo${hidden}`,
      tried: "",
      steps_url: "",
    } as const;
    const lines = [
      ...factLines(terminal, repositoryFacts(passed, style)),
      ...factLines(terminal, repositoryFacts(failed, style)),
    ];
    expect(lines.join("\n")).not.toContain(hidden);
    expect(lines.join("\n")).toContain("git.test[U+202E]");
    expect(lines.filter((line) => line.endsWith("one") || line.endsWith("two"))).toHaveLength(2);
  });
});
