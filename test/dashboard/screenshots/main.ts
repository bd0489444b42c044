// Takes screenshots of every page in light, in dark and on a phone, of a temporary installation.
// With --docs, it also replaces those in docs/images.
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { type Browser, chromium, type Page } from "playwright-core";
import * as z from "zod";

import { ensureChromium } from "../../../scripts/shared/chromium.ts";
import { flag, option, readOptions } from "../../../scripts/shared/script.ts";
import { removeHome, startSystem } from "../../support/journey-system.ts";
import { executable, openTab, phone, type Screen } from "../flows/support/browser.ts";
import { signInWithToken } from "../flows/support/sign-in.ts";
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
  readonly prepare?: (page: Page) => unknown;
};

function screenshotsOf(scene: Scene): Screenshot[] {
  const press = (name: string) => async (page: Page) => {
    await page.getByRole("button", { name, exact: true }).first().click();
    await page.getByRole("dialog").waitFor();
  };
  const project = `/app/projects/${scene.shop}`;
  return [
    { name: "overview", path: "/app/" },
    { name: "project", path: project },
    { name: "deploy", path: project, prepare: press("Deploy") },
    { name: "rollback", path: project, prepare: press("Roll back") },
    {
      name: "menu",
      path: project,
      prepare: async (page: Page) => {
        await page.getByRole("button", { name: "Actions for v3" }).click();
        await page.getByRole("menu").waitFor();
      },
    },
    { name: "processes", path: `${project}/processes` },
    { name: "commands", path: `${project}/commands` },
    { name: "project-charts", path: `${project}/charts` },
    { name: "repository", path: `${project}/repository` },
    { name: "settings", path: `${project}/settings` },
    { name: "settings-build", path: `${project}/settings/build` },
    { name: "settings-domains", path: `${project}/settings/domains` },
    { name: "settings-releases", path: `${project}/settings/releases` },
    { name: "settings-processes", path: `${project}/settings/processes` },
    { name: "settings-cron", path: `${project}/settings/cron` },
    { name: "settings-pushes", path: `${project}/settings/pushes` },
    { name: "delete-project", path: `${project}/settings`, prepare: press("Delete shop") },
    { name: "variables", path: `${project}/variables` },
    { name: "import-variables", path: `${project}/variables`, prepare: press("Import .env") },
    { name: "pushes", path: `${project}/pushes` },
    { name: "deployment-live", path: `/app/deployments/${scene.live}` },
    { name: "deployment-failed", path: `/app/deployments/${scene.failed}` },
    { name: "deployment-running", path: `/app/deployments/${scene.running}` },
    { name: "new-project", path: "/app/projects/new" },
    { name: "servers", path: "/app/servers" },
    { name: "add-server", path: "/app/servers", prepare: press("Add a server") },
    { name: "events", path: "/app/events" },
    { name: "webhooks", path: "/app/webhooks" },
    { name: "create-webhook", path: "/app/webhooks", prepare: press("Create a webhook") },
    { name: "freezes", path: "/app/freezes" },
    { name: "create-freeze", path: "/app/freezes", prepare: press("Create a freeze") },
    { name: "audit", path: "/app/audit" },
    { name: "charts", path: "/app/charts" },
    { name: "account", path: "/app/account" },
    { name: "tokens", path: "/app/tokens" },
    { name: "create-token", path: "/app/tokens", prepare: press("Create a token") },
    { name: "account", path: "/app/account" },
    { name: "not-found", path: "/app/nothing" },
  ];
}

/** Long enough for data to load and for animations to end. */
const SETTLED_MS = 400;

async function take(page: Page, name: string, look: Look): Promise<void> {
  while ((await page.locator(".waiting").count()) > 0) await page.waitForTimeout(SETTLED_MS);
  await page.waitForTimeout(SETTLED_MS);
  const isDialog = (await page.getByRole("dialog").count()) > 0;
  const file = `${name}-${look.name}`;
  await page.screenshot({ path: join(out, `${file}.png`), fullPage: !isDialog });
  if (options.docs && inDocs.includes(file)) await page.screenshot({ path: join(docs, `${file}.png`) });
}

async function takeAll(browser: Browser, url: string, token: string, scene: Scene): Promise<void> {
  for (const look of looks) {
    const { page, context } = await openTab(browser, url, look.screen);
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await page.goto(`${url}/app/sign-in`);
    await page.getByLabel("API token").waitFor();
    await take(page, "sign-in", look);
    await signInWithToken(page, { url, token }, "/app/");
    for (const { name, path, prepare } of screenshotsOf(scene)) {
      await page.goto(url + path);
      await page.locator("main h1").waitFor();
      await page.waitForTimeout(SETTLED_MS);
      await prepare?.(page);
      await take(page, name, look);
    }
    await context.close();
    console.log(`${look.name}: ${screenshotsOf(scene).length + 1} screenshots`);
  }
}

async function takeFirstSteps(browser: Browser, url: string, link: string): Promise<void> {
  const { page, context } = await openTab(browser, url, desk);
  await page.goto(link);
  await page.getByLabel("Name").fill("web-1");
  await page.getByLabel("IPv4 address").fill("203.0.113.10");
  await page.getByRole("button", { name: "Add server" }).click();
  await page.getByText("Waiting for the agent…").waitFor();
  for (const look of looks) {
    await page.setViewportSize(look.screen);
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await take(page, "first-steps", look);
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
      await takeAll(browser, system.local.url, system.local.token, scene);
      await takeFirstSteps(browser, system.local.url, scene.emptyAccountLink);
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
