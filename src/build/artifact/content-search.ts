import { type ByteText, toBytes } from "#build/artifact/byte-text.ts";
import type { TreeEntry } from "#build/artifact/survey-tree.ts";

/**
 * The paths that files of a build may contain. `own`: of the folder that is packed. `home`: a folder above it, with tools and
 * other files that stay on the machine.
 */
export type KnownPaths = { readonly own: ByteText; readonly home: ByteText };

/** What is found in the content of files while it passes by. */
export type ContentSearch = {
  /** The files that contain the folder's own path. */
  readonly mentions: readonly ByteText[];
  /** Whether there are programs or libraries of a platform among the files. */
  readonly hasPrograms: boolean;
  /** Whether a file has a path in `home` that unpacking does not replace: another one than its own, or in a binary file. */
  readonly dependsOnHome: boolean;
  /** @param content the next piece; null at the end of the file */
  look(entry: TreeEntry, content: Buffer | null): void;
};

/** How the programs of Linux and of macOS begin. */
const programs = [Buffer.from("\x7fELF", "latin1"), Buffer.from([0xcf, 0xfa, 0xed, 0xfe])];

/** @param paths null: none are searched */
export function createContentSearch(paths: KnownPaths | null): ContentSearch {
  const mentions: ByteText[] = [];
  let hasPrograms = false;
  let dependsOnHome = false;
  let isFirst = true;
  let isBinary = false;
  const own = paths === null ? null : createCounter(toBytes(paths.own));
  const home = paths === null ? null : createCounter(toBytes(paths.home));

  function endFile(path: ByteText): void {
    const owns = own?.end() ?? 0;
    const homes = home?.end() ?? 0;
    if (owns > 0) mentions.push(path);
    // The own path begins with the path of the home.
    dependsOnHome ||= homes > owns || (isBinary && homes > 0);
    isFirst = true;
    isBinary = false;
  }

  return {
    mentions,
    get hasPrograms() {
      return hasPrograms;
    },
    get dependsOnHome() {
      return dependsOnHome;
    },
    look({ path }, content) {
      if (content === null) return endFile(path);
      hasPrograms ||= isFirst && programs.some((start) => content.subarray(0, start.length).equals(start));
      isFirst = false;
      isBinary ||= content.includes(0);
      own?.look(content);
      home?.look(content);
    },
  };
}

/** Counts a text in content that comes in pieces, also where one ends within it. */
function createCounter(wanted: Buffer) {
  const reach = wanted.length - 1;
  let count = 0;
  let end: Buffer = Buffer.alloc(0);
  return {
    look(content: Buffer): void {
      count += countIn(content, wanted);
      if (end.length > 0) count += countIn(Buffer.concat([end, content.subarray(0, reach)]), wanted);
      end = reach === 0 ? end : Buffer.concat([end, content.subarray(-reach)]).subarray(-reach);
    },
    /** @returns how often it was there, and begins again */
    end(): number {
      const found = count;
      count = 0;
      end = Buffer.alloc(0);
      return found;
    },
  };
}

function countIn(content: Buffer, wanted: Buffer): number {
  let count = 0;
  for (let at = content.indexOf(wanted); at !== -1; at = content.indexOf(wanted, at + wanted.length))
    count += 1;
  return count;
}
