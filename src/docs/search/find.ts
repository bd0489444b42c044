import type { SearchEntry } from "#contract/reference/page-data.ts";

export type SearchResult = SearchEntry & {
  /** The part of the text around the first word that was found in it; empty if all were found in the title. */
  readonly excerpt: string;
};

const MOST_FOUND = 12;
/** The length of an excerpt before and after the word, in characters. */
const AROUND = 60;

/** The weight of a word by where it was found. A word counts most where a word of the title begins with it. */
const WEIGHTS = { titleStart: 12, title: 6, context: 4, text: 1 } as const;

/** The entries that contain all words, the best first. Equal ones keep the order of the index. */
export function find(entries: readonly SearchEntry[], query: string): SearchResult[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MOST_FOUND)
    .map(({ entry }) => ({ ...entry, excerpt: excerptOf(entry.text, words) }));
}

/** 0 if a word is missing. */
function scoreOf({ title, context, text }: SearchEntry, words: readonly string[]): number {
  const inTitle = title.toLowerCase();
  const inContext = context.toLowerCase();
  const inText = text.toLowerCase();
  let score = 0;
  for (const word of words) {
    const found =
      (startsWord(inTitle, word) ? WEIGHTS.titleStart : inTitle.includes(word) ? WEIGHTS.title : 0) +
      (inContext.includes(word) ? WEIGHTS.context : 0) +
      (inText.includes(word) ? WEIGHTS.text : 0);
    if (found === 0) return 0;
    score += found;
  }
  return score;
}

function startsWord(text: string, word: string): boolean {
  return text.startsWith(word) || text.includes(` ${word}`);
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.min(...words.map((word) => lower.indexOf(word)).filter((place) => place >= 0));
  if (!Number.isFinite(at)) return "";
  const start = Math.max(0, at - AROUND);
  const end = at + AROUND;
  return `${start > 0 ? "…" : ""}${text.slice(start, end).trim()}${end < text.length ? "…" : ""}`;
}
