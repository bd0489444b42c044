import { describe, expect, it } from "vitest";

import { findWordsToAvoid } from "../../../scripts/check/plain-words.ts";
import { sampleFiles } from "../../../scripts/check/tracked-texts.ts";

describe("the check for plain words", () => {
  it("reports the file, the line and the replacement of each word to avoid", () => {
    const text = ["// The agent continues.", "// The agent goes on.", "// Whoever knocks."].join("\n");
    expect(findWordsToAvoid("src/agent/x.ts", text)).toEqual([
      'src/agent/x.ts:2: "goes on": write continue',
      'src/agent/x.ts:3: "knocks": write trigger',
      'src/agent/x.ts:3: "Whoever": write anyone who, the caller, a person who',
    ]);
  });

  it("reports pronouns whose noun the reader has to find, also across the lines of a comment", () => {
    const text = [
      " * It compares the release with the one that is live, and those",
      " * that are older. One",
      " * which fails runs in between.",
    ].join("\n");
    expect(findWordsToAvoid("src/agent/x.ts", text)).toEqual([
      'src/agent/x.ts:1: "those that": write the noun',
      'src/agent/x.ts:1: "the one": write the noun',
      'src/agent/x.ts:1: "one that": write the noun',
      'src/agent/x.ts:2: "One which": write the noun',
      'src/agent/x.ts:3: "in between": write meanwhile, before the …, on the way',
    ]);
  });

  it.each([
    "The agent sends the report again after a lost connection.",
    "The one-off commands of a project run in sequence, so that one command does not delay its jobs.",
    "The list has those two releases, and the one live release.",
  ])("reports nothing for a text in plain words: %s", (text) => {
    expect(findWordsToAvoid("docs/x.md", text)).toEqual([]);
  });
});

describe("a sample of files", () => {
  const paths = Array.from({ length: 100 }, (_, index) => `src/${index}.ts`);

  it("is the same for the same seed, and differs for another seed", () => {
    expect(sampleFiles(paths, 7)).toHaveLength(30);
    expect(sampleFiles(paths.toReversed(), 7)).toEqual(sampleFiles(paths, 7));
    expect(sampleFiles(paths, 8)).not.toEqual(sampleFiles(paths, 7));
  });

  it("keeps its files when another file is deleted", () => {
    const [first = "", ...rest] = sampleFiles(paths, 7);
    const later = sampleFiles(
      paths.filter((path) => path !== first),
      7,
    );
    expect(later).toEqual(expect.arrayContaining(rest));
  });
});
