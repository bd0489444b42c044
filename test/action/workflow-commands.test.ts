import fc from "fast-check";
import { marked } from "marked";
import { describe, expect, it } from "vitest";

import { code, link, plain } from "#action/markdown.ts";
import { fileEntry, inertLine, workflowCommand } from "#action/workflow-commands.ts";
import { commandsIn, entriesIn } from "./support/fake-runner.ts";

/** Any text, with many of the characters that could begin a command. */
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom("::", "##[", "error", "]", "\n", "\r", " ", "%0A", "%", ",", "=", "\u00a0", "x"))
    .map((parts) => parts.join("")),
);

describe("what a step prints", () => {
  it("has exactly the commands that the action means", () => {
    fc.assert(
      fc.property(hostile, hostile, (text, title) => {
        expect(commandsIn(inertLine(text))).toEqual([]);
        const printed = workflowCommand("error", text, { title });
        expect(printed).not.toMatch(/[\r\n]/);
        expect(commandsIn(printed)).toEqual([{ name: "error", value: text }]);
      }),
    );
  });

  it("keeps a line that is no command", () => {
    for (const line of ["npm warn deprecated x::y", "  at f (a.ts:1:2)", "# [x]"])
      expect(inertLine(line)).toBe(line);
    expect(inertLine("::error::x")).toBe("| ::error::x");
    expect(inertLine("ok ##[error]x")).toBe("ok # #[error]x");
  });
});

describe("the files of a step", () => {
  it("have each value under its name only", () => {
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        const text = fileEntry("one", one, "a1b2") + fileEntry("other", other, "c3d4");
        expect(entriesIn(text)).toEqual({ one, other });
      }),
    );
  });
});

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/** What a reader sees of Markdown: the text without tags. */
const seen = async (markdown: string) =>
  (await marked.parseInline(markdown))
    .replace(/<\/?(?:code|a)\b[^>]*>/g, "")
    .replace(/&(?:#(\d+)|(\w+));/g, (_, digits?: string, name = "") =>
      digits === undefined ? (NAMED[name] ?? "") : String.fromCharCode(Number(digits)),
    );

describe("the summary", () => {
  it("shows a text as its characters", async () => {
    const texts = [
      "**a** _b_ `c` <img src=x> [d](https://e.example) @all #1 | ~~f~~",
      "# a",
      "- a",
      "&lt;",
      "$x$",
    ];
    for (const text of texts) {
      expect(await seen(plain(text))).toBe(text);
      expect(await seen(code(text))).toBe(text);
    }
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme-ascii" }), async (text) => {
        expect(plain(text)).toMatch(/^(?:[A-Za-z0-9 ]|&#\d+;)*$/);
        expect(await seen(code(text))).toBe(text);
      }),
    );
  });

  it("links only to websites", () => {
    expect(link("https://shop.example.com", "shop")).toContain("<a href=");
    expect(link('javascript:alert("x")', "shop")).toBe("<code>shop</code>");
  });
});
