import type { Page } from "playwright-core";

import type { Session } from "#dashboard/data/session.ts";

/** Where the dashboard keeps its session in localStorage. */
const SESSION_KEY = "gantry.session";

type SignedIn = {
  readonly url: string;
  readonly token: string;
  readonly account_id: string;
  /** A `session` is a person's. */
  readonly kind?: Session["kind"];
};

/**
 * Opens a page of the dashboard in a browser that is already signed in with an API token. For tests that are not about
 * signing in: loading the sign-in page and typing the token takes as much CPU time as the page itself.
 */
export async function openSignedIn(
  page: Page,
  { url, token, account_id, kind = "token" }: SignedIn,
  path: string,
): Promise<void> {
  const session: Session = { token, kind, account: account_id };
  // The smallest document of the same origin.
  await page.goto(`${url}/app/assets/icon.svg`);
  const [key, stored] = [SESSION_KEY, JSON.stringify(session)].map((text) => JSON.stringify(text));
  await page.evaluate(`localStorage.setItem(${key}, ${stored})`);
  await page.goto(`${url}${path}`);
  await page.getByRole("link", { name: "Gantry", exact: true }).waitFor();
}

/** Opens a page of the dashboard and signs in with an API token. */
export async function signInWithToken(
  page: Page,
  { url, token }: { readonly url: string; readonly token: string },
  path: string,
): Promise<void> {
  await page.goto(`${url}${path}`);
  await page.getByLabel("API token").fill(token);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("link", { name: "Gantry", exact: true }).waitFor();
}
