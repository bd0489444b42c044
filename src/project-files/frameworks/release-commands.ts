import { toolCommand } from "#project-files/frameworks/package-manager.ts";
import { usualTree } from "#project-files/frameworks/preset-for.ts";
import { python, ruby } from "#project-files/frameworks/recipes.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";

/** The usual release commands of frameworks that have migrations. */
const releaseCommands: Readonly<Record<string, (tree: Tree) => string | null>> = {
  laravel: () => "php artisan migrate --force",
  symfony: ({ signs }) =>
    signs.has("composer:doctrine/doctrine-migrations-bundle")
      ? "APP_ENV=${APP_ENV:-prod} php bin/console doctrine:migrations:migrate --no-interaction --allow-no-migration"
      : null,
  rails: (tree) => ruby("RAILS_ENV=production", "rails db:migrate")(tree).build,
  django: (tree) => python("python3 manage.py migrate --noinput")(tree).build,
};

/**
 * The release command that a project of this framework usually needs. A project runs it only if it is set as its
 * `release_command`, because a migration cannot be undone.
 * @returns null if the framework usually needs none
 */
export function suggestReleaseCommand(framework: string, tree: Tree = usualTree): string | null {
  const own = Object.hasOwn(releaseCommands, framework) ? releaseCommands[framework]?.(tree) : null;
  if (own !== null && own !== undefined) return own;
  const usesPrisma = tree.signs.has("npm:prisma") || tree.signs.has("npm:@prisma/client");
  return usesPrisma ? toolCommand(tree.packageManager, "prisma migrate deploy") : null;
}
