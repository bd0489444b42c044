import type { Page } from "playwright-core";

/** Opens a page of the dashboard and signs in with an API token. */
export async function signInWithToken(
  page: Page,
  { url, token }: { readonly url: string; readonly token: string },
  path: string,
): Promise<void> {
  await page.goto(`${url}${path}`);
  await page.getByLabel("API token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Gantry", exact: true }).waitFor();
}
