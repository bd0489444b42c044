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

  it("reports nothing for a text in plain words", () => {
    expect(
      findWordsToAvoid("docs/x.md", "The agent sends the report again after a lost connection."),
    ).toEqual([]);
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
