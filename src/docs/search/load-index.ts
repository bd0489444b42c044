import * as z from "zod/mini";

import { pageFiles, SearchEntry } from "#contract/reference/page-data.ts";

const Index = z.array(SearchEntry);
let loaded: Promise<readonly SearchEntry[]> | null = null;

/** Loads the search index once. After a failure, the next call tries again. */
export function loadIndex(): Promise<readonly SearchEntry[]> {
  loaded ??= read().catch((error: unknown) => {
    loaded = null;
    throw error;
  });
  return loaded;
}

async function read(): Promise<readonly SearchEntry[]> {
  const response = await fetch(pageFiles.search);
  if (!response.ok) throw new Error(`the search index: ${response.status}`);
  return Index.parse(await response.json());
}
