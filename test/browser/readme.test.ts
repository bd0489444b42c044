import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { root } from "../../scripts/shared/root.ts";
import { createHome, IS_UP, removeHome, runNpmStart, type SystemRun } from "../support/journey-system.ts";
import { freePort } from "../support/free-port.ts";
import { runShell } from "../support/run-shell.ts";
import { fetchShare } from "../support/serve-shares.ts";
import { openTab, type Visit } from "./support/browser.ts";
import { BrowserAddress } from "./support/installation.ts";
import { type BrowserStep, readFirstHour } from "./support/read-first-hour.ts";

const START = "npm start\n";

/** A new user with a terminal and a browser, who has an own home and port. */
class Newcomer {
  readonly #folder: string;
  #start: SystemRun | null = null;
  #visit: Visit | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What `npm start` has printed and matches. */
  #printed(pattern: RegExp): string {
    const found = pattern.exec(this.#start?.output() ?? "");
    if (found === null)
      throw new Error(`npm start did not print ${pattern.source}:\n${this.#start?.output()}`);
    return found[0];
  }

  /** Runs a block of the README in a shell in which the printed variables are exported. */
  async run(script: string): Promise<void> {
    if (script === START) {
      this.#start = runNpmStart(join(this.#folder, "home"), await freePort());
      await this.#start.printed(IS_UP);
      return;
    }
    // As a user does who reads the answer: curl ends with 0 also for a refusal.
    await writeFile(join(this.#folder, ".curlrc"), "fail\n");
    const lines = script.replaceAll(".gantry/", `${this.#folder}/home/`);
    const whole = `cd '${root}'\n${this.#printed(/export URL=.*/)}\n${lines}`;
    const { code, output } = await runShell(["bash", "-euo", "pipefail", "-c", whole], {
      env: this.#environment(),
    });
    expect([script, code, output]).toEqual([script, 0, expect.any(String)]);
  }

  async browse(step: BrowserStep): Promise<void> {
    if (step.kind === "open") {
      const link = this.#printed(/http:\/\/\S+\/app\/sign-in#code=\w+/);
      const { browser } = BrowserAddress.parse(await fetchShare(`${inject("dashboardSetupUrl")}/browser`));
      this.#visit = await openTab(await chromium.connect(browser), new URL(link).origin);
      await this.#visit.page.goto(link);
      return;
    }
    const page = this.#visit?.page;
    if (page === undefined) throw new Error("the README has not opened the link");
    if (step.kind === "see") await page.getByText(step.text).first().waitFor();
    else await choose(page, step);
  }

  /** Of this process, with a place of its own for what `npm install --global` and `gantry login` write. */
  #environment(): Record<string, string> {
    const prefix = join(this.#folder, "npm");
    const { HOME = "", PATH = "" } = process.env;
    return {
      HOME,
      PATH: `${join(prefix, "bin")}:${PATH}`,
      CURL_HOME: this.#folder,
      XDG_CONFIG_HOME: join(this.#folder, "config"),
      NPM_CONFIG_PREFIX: prefix,
      NPM_CONFIG_CACHE: join(this.#folder, "npm-cache"),
      NPM_CONFIG_UPDATE_NOTIFIER: "false",
    };
  }

  /** Errors in the browser. */
  errors(): readonly string[] {
    return this.#visit?.errors() ?? [];
  }

  async leave(): Promise<void> {
    await this.#visit?.context.browser()?.close();
    await this.#start?.interrupt();
  }
}

async function choose(page: Page, { name, isInDialog }: BrowserStep & { kind: "choose" }): Promise<void> {
  const scope = isInDialog ? page.getByRole("dialog") : page;
  const [link, button] = (["link", "button"] as const).map((role) =>
    scope.getByRole(role, { name, exact: true }),
  );
  if (link !== undefined && button !== undefined) await link.or(button).first().click();
}

let folder: string;
let newcomer: Newcomer;
beforeAll(async () => {
  folder = await createHome();
  newcomer = new Newcomer(folder);
});
afterAll(async () => {
  await newcomer.leave();
  await removeHome(folder);
}, 120_000);

describe("the first hour of the README", () => {
  it("works line by line, at the terminal and in the browser", async () => {
    const steps = readFirstHour();
    const browserSteps = steps.flatMap((step) => (step.kind === "browser" ? step.steps : []));
    expect(steps[0]).toEqual({ kind: "shell", script: START });
    expect(browserSteps.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["open", "choose", "see"]));
    expect(steps.filter(({ kind }) => kind === "shell").length).toBeGreaterThan(3);

    await mkdir(join(folder, "npm", "lib"), { recursive: true });
    for (const step of steps)
      if (step.kind === "shell") await newcomer.run(step.script);
      else for (const each of step.steps) await newcomer.browse(each);
    expect(newcomer.errors()).toEqual([]);
  }, 600_000);
});
