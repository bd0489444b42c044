// Takes screenshots of every page in light, in dark and on a phone, of a temporary installation. With --docs, it also
// replaces the screenshots in docs/images.
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { type Browser, chromium, type Page } from "playwright-core";
import * as z from "zod";

import { ensureChromium } from "../../../scripts/shared/chromium.ts";
import { flag, option, readOptions } from "../../../scripts/shared/script.ts";
import { browserAddress } from "../../../scripts/shared/sign-in-code.ts";
import type { LocalFile } from "../../../scripts/start/local-file.ts";
import { createApi } from "../../support/journey-api.ts";
import { removeHome, startSystem } from "../../support/journey-system.ts";
import { executable, openTab, phone, type Screen } from "../../browser/support/browser.ts";
import { addDevice, becomeOwner } from "../../browser/support/passkeys.ts";
import { openSignedIn } from "../../browser/support/sign-in.ts";
import { openDialog, pageViews } from "../support/views.ts";
import { type Scene, setScene } from "./scene.ts";

const options = readOptions({
  usage: "npm run screenshots -- [options]",
  summary: "Takes screenshots of every dashboard page in light, in dark and at phone size.",
  options: z.object({
    out: option(
      "DIR",
      "the folder for the screenshots; build/screenshots by default",
      z.string().default("build/screenshots"),
    ),
    only: option(
      "NAMES",
      "only these screenshots, separated by commas, such as tokens,create-token",
      z.optional(z.string()),
    ),
    docs: flag("also update the screenshots in docs/images"),
  }),
});
const root = resolve(import.meta.dirname, "../../..");
const out = resolve(root, options.out);
const docs = join(root, "docs", "images");
/** The images in the README and docs/dashboard.md. They show the visible part of the page only. */
const inDocs = [
  "project-light",
  "project-dark",
  "project-phone",
  "deployment-failed-light",
  "rollback-light",
  "first-steps-light",
  "charts-dark",
];

type Look = { readonly name: string; readonly screen: Screen; readonly colorScheme: "light" | "dark" };
const desk: Screen = { width: 1120, height: 720 };
const looks: readonly Look[] = [
  { name: "light", screen: desk, colorScheme: "light" },
  { name: "dark", screen: desk, colorScheme: "dark" },
  { name: "phone", screen: phone, colorScheme: "light" },
];

type Screenshot = {
  readonly name: string;
  readonly path: string;
  /** Prepares the page. @returns whether the scene has what the screenshot shows */
  readonly prepare?: (page: Page) => Promise<boolean>;
};

/** Every page and dialog, then other states of some of them. */
function screenshotsOf(scene: Scene): Screenshot[] {
  const only = options.only?.split(",");
  const views = pageViews({ project: scene.shop, deployment: scene.live, apps: scene.apps });
  const all: Screenshot[] = [
    ...views.flatMap(({ page: name, path, dialogs }) => [
      { name: name.replaceAll("_", "-"), path },
      ...dialogs.map((dialog) => ({
        name: dialog.name,
        path,
        prepare: (page: Page) => openDialog(page, dialog),
      })),
    ]),
    {
      name: "menu",
      path: `/app/projects/${scene.shop}`,
      prepare: async (page: Page) => {
        await page.getByRole("button", { name: "Actions for v3" }).click();
        await page.getByRole("menu").waitFor();
        return true;
      },
    },
    { name: "deployment-failed", path: `/app/deployments/${scene.failed}` },
    { name: "deployment-not-fetched", path: `/app/deployments/${scene.notFetched}` },
    { name: "deployment-running", path: `/app/deployments/${scene.running}` },
    { name: "not-found", path: "/app/nothing" },
    { name: "docs", path: "/docs" },
    { name: "docs-guide", path: "/docs/servers" },
    { name: "docs-api", path: "/docs/api/freezes" },
  ];
  return all.filter(({ name }) => only?.includes(name) ?? true);
}

/** Long enough for data to load and for animations to end. */
const SETTLED_MS = 400;

async function capture(page: Page, name: string, look: Look): Promise<void> {
  while ((await page.locator(".waiting").count()) > 0) await page.waitForTimeout(SETTLED_MS);
  await page.waitForTimeout(SETTLED_MS);
  const isDialog = (await page.getByRole("dialog").count()) > 0;
  const file = `${name}-${look.name}`;
  await page.screenshot({ path: join(out, `${file}.png`), fullPage: !isDialog });
  if (options.docs && inDocs.includes(file)) await page.screenshot({ path: join(docs, `${file}.png`) });
}

/** Who is signed in to the scene: its owner. */
type Owner = { readonly token: string; readonly account_id: string };

/** Creates the owner of the scene, who invites a person and lets people sign in by GitHub. */
async function createOwner(browser: Browser, { url, account_id }: LocalFile, link: string): Promise<Owner> {
  const visit = await openTab(browser, url);
  await addDevice(visit);
  const token = await becomeOwner(visit.page, link, "Ada Lovelace");
  await visit.context.close();
  const grants = [{ role: "viewer" }];
  const api = createApi(url, token);
  await api.call("POST", "/v1/invitations", { email: "grace@example.com", grants });
  const signOn = { kind: "github", name: "GitHub", client_id: "gantry", client_secret: "secret" };
  await api.call("POST", "/v1/connections", signOn);
  return { token, account_id };
}

async function captureAll(browser: Browser, url: string, owner: Owner, scene: Scene): Promise<void> {
  for (const look of looks) {
    const { page, context } = await openTab(browser, url, look.screen);
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await page.goto(`${url}/app/sign-in`);
    await page.getByLabel("API token").waitFor();
    await capture(page, "sign-in", look);
    await openSignedIn(page, { url, ...owner, kind: "session" }, "/app/");
    for (const { name, path, prepare } of screenshotsOf(scene)) {
      await page.goto(url + path);
      await page.locator("main h1").waitFor();
      await page.waitForTimeout(SETTLED_MS);
      if ((await prepare?.(page)) === false) throw new Error(`Nothing in the scene opens ${name}.`);
      await capture(page, name, look);
    }
    await context.close();
    console.log(`${look.name}: ${screenshotsOf(scene).length + 1} screenshots`);
  }
}

async function captureFirstSteps(browser: Browser, url: string, link: string): Promise<void> {
  const { page, context } = await openTab(browser, url, desk);
  await page.goto(link);
  await page.getByLabel("Name").fill("web-1");
  await page.getByLabel("IPv4 address").fill("203.0.113.10");
  await page.getByRole("button", { name: "Add server" }).click();
  await page.getByText("Waiting for the agent…").waitFor();
  for (const look of looks) {
    await page.setViewportSize(look.screen);
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await capture(page, "first-steps", look);
  }
  await context.close();
}

// A short path without a user name, because the screenshots show it.
const home = join(tmpdir(), "gantry-screenshots");
await removeHome(home);
await mkdir(home);
await mkdir(out, { recursive: true });
if (options.docs) await mkdir(docs, { recursive: true });
try {
  await ensureChromium();
  console.log("Starting an installation and deploying to it");
  const system = await startSystem(join(home, "installation"));
  try {
    const scene = await setScene(system, home);
    const browser = await chromium.launch({ executablePath: await executable(), args: ["--no-sandbox"] });
    try {
      const url = browserAddress(system.local.url);
      const [link = ""] = /http:\/\/\S+\/app\/sign-in#code=\w+/.exec(system.output()) ?? [];
      const owner = await createOwner(browser, { ...system.local, url }, link);
      await captureAll(browser, url, owner, scene);
      await captureFirstSteps(browser, url, scene.emptyAccountLink);
    } finally {
      await browser.close();
      await scene.end();
    }
  } finally {
    await system.interrupt();
  }
  console.log(`in ${out}`);
} finally {
  await removeHome(home);
}
