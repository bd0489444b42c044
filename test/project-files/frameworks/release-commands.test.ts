import { describe, expect, it } from "vitest";

import { detectFramework } from "#project-files/frameworks/preset-for.ts";
import { suggestReleaseCommand } from "#project-files/frameworks/release-commands.ts";
import { surveyTree } from "#project-files/frameworks/tree.ts";

type Files = Readonly<Record<string, string>>;

/** The suggestion for a project with these files. */
function suggested(files: Files): string | null {
  const tree = surveyTree(new Map(Object.entries(files)), []);
  return suggestReleaseCommand(detectFramework(tree), tree);
}

const composer = (...names: readonly string[]) => ({
  "composer.json": JSON.stringify({ require: Object.fromEntries(names.map((name) => [name, "*"])) }),
});
const npm = (...names: readonly string[]) => ({
  "package.json": JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, "*"])) }),
});

describe("the suggested release command", () => {
  it.each<[string, Files, string | null]>([
    ["Laravel", composer("laravel/framework"), "php artisan migrate --force"],
    ["Symfony without a database", composer("symfony/framework-bundle"), null],
    [
      "Symfony with Doctrine",
      composer("symfony/framework-bundle", "doctrine/doctrine-migrations-bundle"),
      "APP_ENV=${APP_ENV:-prod} php bin/console doctrine:migrations:migrate --no-interaction --allow-no-migration",
    ],
    ["Rails", { Gemfile: 'gem "rails"' }, "RAILS_ENV=production bundle exec rails db:migrate"],
    [
      "Django with a list of packages",
      { "manage.py": "", "requirements.txt": "Django" },
      ".venv/bin/python3 manage.py migrate --noinput",
    ],
    ["Django without one", { "manage.py": "" }, "python3 manage.py migrate --noinput"],
    ["Prisma", npm("express", "prisma"), "npx prisma migrate deploy"],
    [
      "Prisma with pnpm",
      { ...npm("next", "@prisma/client"), "pnpm-lock.yaml": "" },
      "pnpm exec prisma migrate deploy",
    ],
    ["Astro", npm("astro"), null],
    ["a static site", {}, null],
  ])("of %s", (_name, files, command) => {
    expect(suggested(files)).toBe(command);
  });

  it("is known before the files are, if the framework is", () => {
    expect(suggestReleaseCommand("laravel")).toBe("php artisan migrate --force");
    expect(suggestReleaseCommand("constructor")).toBeNull();
  });
});
