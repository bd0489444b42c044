import type { Tree } from "#project-files/frameworks/tree.ts";

/**
 * Starts a Rails app. The options take precedence over config/puma.rb. Before 7.1, Rails serves files of `public` and
 * writes its log to the output only if it is told to.
 */
export function railsServer({ signs }: Tree): string {
  const environment = "RAILS_ENV=production RAILS_LOG_TO_STDOUT=1 RAILS_SERVE_STATIC_FILES=1";
  // Puma does not create the folder that the generated config/puma.rb wants for its process id. Rails itself refuses to
  // start while a file with the process id of another instance is there.
  return signs.has("gem:puma")
    ? `mkdir -p tmp/pids && ${environment} exec ${puma}`
    : `mkdir -p tmp/pids && ${environment} exec bundle exec rails server -b 127.0.0.1 -p $PORT -P tmp/pids/$PORT-$$.pid`;
}

/** Servers of Ruby besides Puma, with the command that starts a config.ru. */
const others: Readonly<Record<string, string>> = {
  falcon: "falcon serve --bind http://127.0.0.1:$PORT",
  unicorn: "unicorn --listen 127.0.0.1:$PORT",
  thin: "thin start --rackup config.ru --address 127.0.0.1 --port $PORT",
  rackup: "rackup --host 127.0.0.1 --port $PORT",
};

/** Starts another Ruby app; null if it has no server that is known. */
export function rubyServer({ signs }: Tree): string | null {
  if (!signs.has("file:config.ru")) return null;
  const environment = "RACK_ENV=${RACK_ENV:-production}";
  if (signs.has("gem:puma")) return `${environment} ${puma}`;
  const server = Object.entries(others).find(([name]) => signs.has(`gem:${name}`))?.[1];
  return server === undefined ? null : `${environment} bundle exec ${server}`;
}

const puma = "bundle exec puma -b tcp://127.0.0.1:$PORT";
