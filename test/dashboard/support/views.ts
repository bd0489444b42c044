import type { Locator, Page } from "playwright-core";

import { dashboardPages } from "#contract/dashboard-pages.ts";
import { dashboardPaths } from "#contract/public-paths.ts";
import type { PageRoute } from "#dashboard/router/route.ts";

/** A dialog, and how to open it. */
export type DialogView = {
  readonly page: PageRoute["page"];
  /** The name of its screenshots. */
  readonly name: string;
  /** The name of the button, or of the item in a menu, that opens it. */
  readonly opener: string | RegExp;
  /** The name of the menu that has the opener, if not every menu with such an item opens it. */
  readonly menu?: string;
  /** The opener is in the frame of every page. */
  readonly isInFrame?: true;
  /** The file that has the dialog, below src/dashboard, without its folder and suffix. */
  readonly file: string;
};

/** The token whose dialogs are opened: another one may be the browser's own. */
export const SHOWN_TOKEN = "CI of shop";

/**
 * The files of dialogs that no button of a page with members opens: another test looks at them. The account of the views has an
 * owner without an identity, and the session is confirmed.
 */
export const dialogsElsewhere: readonly string[] = ["create-owner", "confirm-dialog", "identities"];

/** The parts that dialogs are made of. They are shown in the dialogs of other files. */
export const dialogParts: readonly string[] = ["removal-dialog", "secret-dialog"];

/** Every dialog of the dashboard. Each file is in the list at least as often as it has dialogs. */
export const dialogs: readonly DialogView[] = [
  { page: "overview", name: "search", opener: /^Search/, isInFrame: true, file: "search-dialog" },
  { page: "project", name: "deploy", opener: "Deploy", file: "deploy-dialog" },
  { page: "project", name: "rollback", opener: "Roll back", file: "rollback-dialog" },
  { page: "project", name: "maintenance", opener: "Maintenance", file: "maintenance-dialog" },
  { page: "project", name: "pause", opener: "Pause", file: "pause-dialog" },
  { page: "project", name: "delete-version", opener: "Delete", file: "delete-deployment" },
  { page: "processes", name: "scale", opener: /^Scale web/, file: "scale-dialog" },
  { page: "processes", name: "stop", opener: /^Stop web/, file: "stop-dialog" },
  { page: "settings", name: "delete-project", opener: /^Delete (?!a)/, file: "danger-zone" },
  { page: "variables", name: "import-variables", opener: "Import .env", file: "import-dialog" },
  { page: "pushes", name: "hook-secret", opener: "Rotate the secret", file: "pushes" },
  { page: "pushes", name: "delete-hook", opener: "Delete the hook", file: "hook-card" },
  { page: "deployment", name: "delete-deployment", opener: "Delete", file: "delete-deployment" },
  { page: "servers", name: "add-server", opener: "Add a server", file: "servers" },
  { page: "servers", name: "edit-server", opener: /^Edit/, file: "change-server" },
  { page: "servers", name: "remove-server", opener: /^Remove/, file: "remove-server" },
  { page: "servers", name: "enroll-server", opener: /^Enroll/, file: "server-actions" },
  { page: "webhooks", name: "create-webhook", opener: "Create a webhook", file: "create-webhook" },
  { page: "webhooks", name: "edit-webhook", opener: /^Edit/, file: "edit-webhook" },
  { page: "webhooks", name: "webhook-secret", opener: /^Rotate/, file: "webhook-secret" },
  { page: "webhooks", name: "delete-webhook", opener: /^Delete/, file: "webhook-actions" },
  { page: "freezes", name: "create-freeze", opener: "Create a freeze", file: "freeze-dialog" },
  { page: "freezes", name: "edit-freeze", opener: /^Edit/, file: "freeze-dialog" },
  { page: "freezes", name: "delete-freeze", opener: /^Delete/, file: "freeze-row" },
  { page: "members", name: "invite", opener: "Invite a person", file: "invite-dialog" },
  { page: "members", name: "edit-member", opener: "Edit", file: "edit-member" },
  { page: "members", name: "remove-member", opener: "Remove", file: "remove-member" },
  { page: "members", name: "withdraw-invitation", opener: /^Withdraw/, file: "invitations" },
  { page: "sign_in_settings", name: "add-sign-on", opener: "Add single sign-on", file: "connection-form" },
  { page: "sign_in_settings", name: "edit-sign-on", opener: /^Edit/, file: "connection-form" },
  { page: "sign_in_settings", name: "delete-sign-on", opener: /^Delete/, file: "connection-card" },
  { page: "profile", name: "add-passkey", opener: "Add a passkey", file: "add-passkey" },
  { page: "profile", name: "rename-passkey", opener: "Rename", file: "rename-passkey" },
  { page: "profile", name: "remove-passkey", opener: "Remove", file: "passkeys" },
  { page: "profile", name: "recovery-codes", opener: "Create recovery codes", file: "recovery-codes" },
  { page: "profile", name: "end-session", opener: /^End session/, file: "session-row" },
  { page: "profile", name: "sign-out-everywhere", opener: "Sign out everywhere", file: "own-tokens" },
  { page: "profile", name: "create-personal-token", opener: "Create a personal token", file: "create-token" },
  { page: "tokens", name: "create-token", opener: "Create a token", file: "create-token" },
  { page: "tokens", name: "token-secret", opener: "Rotate", menu: SHOWN_TOKEN, file: "tokens" },
  { page: "tokens", name: "revoke-token", opener: "Revoke", menu: SHOWN_TOKEN, file: "token-row" },
  { page: "trust_rules", name: "create-trust-rule", opener: "Create a trust rule", file: "trust-dialog" },
  { page: "trust_rules", name: "edit-trust-rule", opener: /^Edit/, file: "trust-dialog" },
  { page: "trust_rules", name: "delete-trust-rule", opener: /^Delete/, file: "trust-row" },
  { page: "trust_rules", name: "test-identity", opener: "Test an identity token", file: "test-trust" },
];

/** A page with its dialogs. */
export type PageView = {
  readonly page: PageRoute["page"];
  readonly path: string;
  readonly dialogs: readonly DialogView[];
};

/** The pages that show what only some projects have: processes, jobs or a hook. */
const pagesOfApps: ReadonlySet<PageRoute["page"]> = new Set([
  "settings_processes",
  "settings_cron",
  "pushes",
  "commands",
  "processes",
]);

type Ids = {
  readonly project: string;
  readonly deployment: string;
  /** A project with processes, jobs and a hook. It may be the same. */
  readonly apps: string;
};

/** Every page that needs a sign-in, of a project and of a deployment, with its dialogs. */
export function pageViews(ids: Ids): PageView[] {
  const names: readonly string[] = Object.keys(dashboardPages);
  const isPage = (name: string): name is PageRoute["page"] => names.includes(name);
  return names.filter(isPage).flatMap((page) => {
    if (page === "sign_in" || page === "join") return [];
    const path = dashboardPages[page];
    const ofProject = pagesOfApps.has(page) ? ids.apps : ids.project;
    const id = path.startsWith("deployments/") ? ids.deployment : ofProject;
    return {
      page,
      path: `${dashboardPaths.root}/${path.replace(":id", id)}`,
      dialogs: dialogs.filter((dialog) => dialog.page === page),
    };
  });
}

/** Opens a dialog by its button, or by an item of one of the page's menus. @returns whether the page has either */
export async function openDialog(page: Page, { opener, menu, isInFrame }: DialogView): Promise<boolean> {
  const main = page.locator(isInFrame === true ? "header.frame" : "main");
  const button = main.getByRole("button", { name: opener, exact: true }).first();
  const menus = menu === undefined ? main.locator(MENU_BUTTON) : main.getByLabel(`Actions for ${menu}`);
  const found = await button
    .or(menus.first())
    .first()
    .waitFor()
    .then(
      () => true,
      () => false,
    );
  if (!found) return false;
  if (await button.isVisible()) await button.click();
  else if (!(await selectInMenus(page, menus, opener))) return false;
  await page.getByRole("dialog").waitFor();
  await settled(page);
  return true;
}

const MENU_BUTTON = 'button[aria-haspopup="menu"]';

async function selectInMenus(page: Page, menus: Locator, label: string | RegExp): Promise<boolean> {
  for (const menu of await menus.all()) {
    await menu.click();
    const items = page.getByRole("menu").getByRole("menuitem");
    await items.first().waitFor();
    const item = items.filter({ hasText: label }).first();
    if ((await item.count()) > 0) {
      await item.click();
      return true;
    }
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
  }
  return false;
}

/** Waits until a page or its dialog has its data and its font. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.locator(".waiting").first().waitFor({ state: "detached" });
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}
