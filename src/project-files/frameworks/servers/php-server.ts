import { phpFolders, WEB_ROOT } from "#project-files/frameworks/servers/php-folders.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";

/** The agent's program that serves a PHP app with PHP-FPM and Caddy. It is on the PATH of each release's commands. */
export const PHP_SERVER = "gantry-php";

/** Starts a Laravel app. Octane keeps it in memory. */
export function laravelServer({ signs }: Tree): string {
  return signs.has("composer:laravel/octane")
    ? "php artisan octane:start --host=127.0.0.1 --port=$PORT"
    : `${PHP_SERVER} public`;
}

/** Symfony shows its errors to visitors unless it is told to run in production. */
export function symfonyServer(): string {
  return `APP_ENV=\${APP_ENV:-prod} ${PHP_SERVER} public`;
}

/** The folder with the first page of a PHP app; null if it is at the top, or nowhere. */
export function phpFolder({ signs }: Tree): string | null {
  if (signs.has("file:public")) return "public";
  if (signs.has("file:index.php")) return null;
  return signs.get(WEB_ROOT) ?? phpFolders.find((folder) => signs.has(`file:${folder}/index.php`)) ?? null;
}

/** Starts another PHP app; null if it has no folder for visitors and no index.php, as a package of PHP. */
export function phpServer(tree: Tree): string | null {
  const folder = phpFolder(tree);
  if (folder !== null) return `${PHP_SERVER} ${folder}`;
  return tree.signs.has("file:index.php") ? PHP_SERVER : null;
}
