import { type ByteText, toBytes } from "#build/artifact/byte-text.ts";
import type { TreeEntry } from "#build/artifact/survey-tree.ts";

/** What is found in the content of files while it passes by. */
export type ContentSearch = {
  /** The files that contain the text. */
  readonly mentions: readonly ByteText[];
  /** Whether there are programs or libraries of a platform among the files. */
  readonly hasPrograms: boolean;
  /** @param content the next piece; null at the end of the file */
  look(entry: TreeEntry, content: Buffer | null): void;
};

/** How the programs of Linux and of macOS begin. */
const programs = [Buffer.from("\x7fELF", "latin1"), Buffer.from([0xcf, 0xfa, 0xed, 0xfe])];

/** @param text null: none is searched */
export function createContentSearch(text: ByteText | null): ContentSearch {
  const mentions: ByteText[] = [];
  const wanted = text === null ? null : toBytes(text);
  let hasPrograms = false;
  /** The end of the piece before; null before the first. */
  let end: Buffer | null = null;

  function isIn(content: Buffer): boolean {
    if (wanted === null) return false;
    const before = end ?? Buffer.alloc(0);
    const seam = Buffer.concat([before, content.subarray(0, wanted.length)]);
    end = Buffer.concat([before, content.subarray(-wanted.length)]).subarray(-wanted.length);
    return content.includes(wanted) || seam.includes(wanted);
  }

  return {
    mentions,
    get hasPrograms() {
      return hasPrograms;
    },
    look({ path }, content) {
      if (content === null) {
        end = null;
        return;
      }
      hasPrograms ||=
        end === null && programs.some((start) => content.subarray(0, start.length).equals(start));
      if (isIn(content) && mentions.at(-1) !== path) mentions.push(path);
      end ??= Buffer.alloc(0);
    },
  };
}
