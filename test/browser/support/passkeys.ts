import type { Page } from "playwright-core";

import type { Visit } from "./browser.ts";

/** A virtual device of a person, which stores passkeys. */
export type Device = {
  /** Whether the person passes its check, such as of a fingerprint. If not, the browser says that they canceled. */
  readonly setVerified: (isVerified: boolean) => Promise<void>;
  /** Loses the device with its passkeys. */
  readonly lose: () => Promise<void>;
};

/** Connects a device to a tab. A tab has one at a time. Source: Chrome DevTools Protocol, WebAuthn. */
export async function addDevice({ context, page }: Pick<Visit, "context" | "page">): Promise<Device> {
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    async setVerified(isUserVerified) {
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
    },
    async lose() {
      await session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
      await session.detach();
    },
  };
}

/** Opens a sign-in link and creates the owner. The tab needs a device. @returns the secret of the session */
export async function becomeOwner(page: Page, link: string, name: string): Promise<string> {
  await page.goto(link);
  await page.getByRole("button", { name: "Create the owner" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your name").fill(name);
  await dialog.getByRole("button", { name: "Create owner" }).click();
  await page.getByRole("link", { name, exact: true }).waitFor();
  return page.evaluate<string>("JSON.parse(localStorage['gantry.session']).token");
}
