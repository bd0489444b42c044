import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createLineSplitter } from "#build/process/line-splitter.ts";
import { MAX_LOG_LINE_BYTES } from "#contract/endpoints/logs/schemas.ts";

function split(chunks: readonly Buffer[]): readonly string[] {
  const splitter = createLineSplitter((text) => text);
  const lines = chunks.flatMap((chunk) => splitter.push(chunk));
  const rest = splitter.end();
  return rest === null ? lines : [...lines, rest];
}

describe("the output of a command", () => {
  it("is split into the same lines, however the stream is cut into chunks", () => {
    const anyText = fc.string({ unit: fc.constantFrom("a", "ä", "日", "💡", "\n", "\r\n", " ") });
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(40), { maxLength: 20 }), (text, cuts) => {
        const bytes = Buffer.from(text);
        const edges = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length];
        edges.sort((a, b) => a - b);
        const chunks = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
        const expected = text.split(/\r?\n/);
        if (expected.at(-1) === "") expected.pop();
        expect(split(chunks)).toEqual(expected);
      }),
    );
  });

  it("shows bytes that are not UTF-8 as U+FFFD", () => {
    expect(split([Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xe6, 0x97])])).toEqual(["a\ufffdb", "\ufffd"]);
  });

  it("is cut when a line is too long, with the number of bytes cut, and continues with the next line", () => {
    const long = "é".repeat(20_000);
    const lines = split([Buffer.from(long), Buffer.from(`${long}\nnext\n`)]);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^é+… \[\d+ bytes of this line are cut\]$/);
    expect(Buffer.byteLength(lines[0] ?? "")).toBeLessThanOrEqual(MAX_LOG_LINE_BYTES);
    const kept = (lines[0] ?? "").indexOf("…") * 2;
    expect(lines[0]).toContain(`[${80_000 - kept} bytes`);
    expect(lines[1]).toBe("next");
  });

  it("can be read before a line is finished, without splitting a line end", () => {
    const splitter = createLineSplitter((text) => text);
    expect(splitter.removePartial()).toBeNull();
    expect(splitter.push(Buffer.from("Continue? "))).toEqual([]);
    expect(splitter.removePartial()).toBe("Continue? ");
    expect(splitter.removePartial()).toBeNull();
    expect(splitter.push(Buffer.from("50%\r"))).toEqual([]);
    expect(splitter.removePartial()).toBe("50%");
    expect(splitter.push(Buffer.from("\nend"))).toEqual([""]);
    expect(splitter.end()).toBe("end");
  });
});
