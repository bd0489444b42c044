/** The code of the link that opened the page; null if the address has none. */
export function codeInAddress(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  // Removed from the address and the history: it works only once and must not be bookmarked.
  if (code !== null) history.replaceState(null, "", location.pathname);
  return code;
}
