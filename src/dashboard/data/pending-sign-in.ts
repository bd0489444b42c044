/** In sessionStorage: the sign-in by a provider that this tab has started. */
export const PENDING_KEY = "gantry.sign-in";

/** Deletes what this tab keeps of an account. A sign-in that it has started continues. */
export function clearTab(): void {
  const pending = sessionStorage.getItem(PENDING_KEY);
  sessionStorage.clear();
  if (pending !== null) sessionStorage.setItem(PENDING_KEY, pending);
}

/** In localStorage: where the provider of this browser's session ends its own session. */
const SIGN_OUT_KEY = "gantry.sign-out";

/** @param url null: the session is not of a provider */
export function keepSignOutUrl(url: string | null): void {
  if (url === null || !/^https?:/.test(url)) localStorage.removeItem(SIGN_OUT_KEY);
  else localStorage.setItem(SIGN_OUT_KEY, url);
}

/** Where the provider ends its own session; null: nowhere. */
export function signOutUrl(): string | null {
  return localStorage.getItem(SIGN_OUT_KEY);
}
