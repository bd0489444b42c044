import { python } from "#contract/frameworks/recipes.ts";
import type { Tree } from "#contract/frameworks/tree.ts";

/** The servers of each kind of app, and their commands. */
const servers = {
  wsgi: {
    // With threads, because one slow client would block the only worker.
    gunicorn: "gunicorn --bind 127.0.0.1:$PORT --threads 4",
    waitress: "waitress-serve --listen=127.0.0.1:$PORT",
  },
  asgi: {
    uvicorn: "uvicorn --host 127.0.0.1 --port $PORT",
    hypercorn: "hypercorn --bind 127.0.0.1:$PORT",
    daphne: "daphne -b 127.0.0.1 -p $PORT",
  },
} as const;

/** Starts a Python app with the first server that is among its packages; null if there is none, or no app is found. */
export function pythonServer(tree: Tree): string | null {
  const kinds = tree.signs.has("pip:channels") ? (["asgi", "wsgi"] as const) : (["wsgi", "asgi"] as const);
  for (const kind of kinds) {
    const app = tree.python[kind];
    if (app === null) continue;
    for (const [name, command] of Object.entries(servers[kind]))
      // The parentheses of a factory such as `app:create_app()` are special to the shell.
      if (tree.signs.has(`pip:${name}`))
        return python(`${command} ${app.includes("(") ? `'${app}'` : app}`)(tree).build;
  }
  return null;
}
