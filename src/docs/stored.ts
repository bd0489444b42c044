/** The text that this browser has stored; null: none, or the browser allows no storage. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text, if the browser allows it. */
export function store(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // It counts for this page only.
  }
}
