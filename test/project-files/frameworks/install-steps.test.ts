import { describe, expect, it } from "vitest";

import { commandAfterRestore, planInstallSteps } from "#project-files/frameworks/install-steps.ts";

const locked = () => true;

/** What runs after a restore; `never` if nothing is kept. */
function afterRestore(line: string, scripts: readonly string[] = [], isAlone = true): string | null {
  const plan = planInstallSteps(line, locked);
  if (plan.kind === "not_kept") return "never";
  return commandAfterRestore(plan.steps, new Set(scripts), isAlone);
}

describe("an install command whose files were restored", () => {
  it.each([
    "npm ci",
    "npm ci --omit=dev --no-audit",
    "pnpm install --frozen-lockfile",
    "npx --yes pnpm@9.1.0 install --frozen-lockfile",
    "corepack pnpm install --frozen-lockfile",
    "yarn install --frozen-lockfile",
    "bun install --frozen-lockfile",
  ])("is not needed if it is `%s`", (line) => {
    expect(afterRestore(line)).toBe(null);
  });

  it.each([
    "npm install",
    "pnpm install",
    "yarn install --immutable",
    "composer install --no-dev --no-interaction --optimize-autoloader",
    "APP_ENV=${APP_ENV:-prod} composer install --no-dev",
    "bundle config set --local path .bundle && bundle config set --local without development:test && bundle install",
    "uv sync --frozen",
    "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction --only main",
  ])("runs again if it is `%s`, which may do more", (line) => {
    expect(afterRestore(line)).toBe(line);
  });

  it("leaves the scripts of the project to run, by its package manager and in its order", () => {
    const scripts = ["prepare", "postinstall"];
    expect(afterRestore("npm ci", scripts)).toBe("npm run postinstall && npm run prepare");
    expect(afterRestore("npx pnpm@9 install --frozen-lockfile", scripts)).toBe(
      "npx pnpm@9 run postinstall && npx pnpm@9 run prepare",
    );
    expect(afterRestore("npm ci --ignore-scripts", scripts)).toBe(null);
  });

  it("runs again if only the package manager knows which scripts run", () => {
    expect(afterRestore("npm ci", ["install"])).toBe("npm ci");
    expect(afterRestore("npm ci", [], false)).toBe("npm ci");
  });

  it("is one of several", () => {
    expect(afterRestore("composer install --no-dev && npm ci")).toBe("composer install --no-dev");
  });
});

describe("the files of an install command", () => {
  it.each([
    "npm ci; make assets",
    "npm ci && make",
    "npm install left-pad",
    "cd web && npm ci",
    "npm ci | tee log",
    "KEY=${KEY:-$(make)} bundle install",
    "bundle config set --global path .bundle && bundle install",
  ])("are not kept if it is `%s`, which may do anything", (line) => {
    expect(afterRestore(line)).toBe("never");
  });

  it("are not kept without a lock file", () => {
    expect(planInstallSteps("npm install", () => false)).toEqual({
      kind: "not_kept",
      reason: "there is no package-lock.json, so each installation may differ",
    });
  });
});
