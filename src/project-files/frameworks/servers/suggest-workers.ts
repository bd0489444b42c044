import type { Tree } from "#project-files/frameworks/tree.ts";

/** The usual processes beside `web`, by the package that they belong to. */
const workers: Readonly<Record<string, string>> = {
  "gem:sidekiq": "RAILS_ENV=production bundle exec sidekiq",
  "gem:solid_queue": "RAILS_ENV=production bundle exec rake solid_queue:start",
  "gem:good_job": "RAILS_ENV=production bundle exec good_job start",
  "pip:celery": ".venv/bin/celery --app PROJECT worker",
  "pip:rq": ".venv/bin/rq worker",
  "composer:laravel/horizon": "php artisan horizon",
  "composer:laravel/framework": "php artisan queue:work",
};

/**
 * The usual command of a process `worker`. It is not started by itself: not every project with the package uses it, and it
 * may run elsewhere.
 */
export function suggestWorker({ signs }: Tree): string | null {
  return Object.entries(workers).find(([sign]) => signs.has(sign))?.[1] ?? null;
}
