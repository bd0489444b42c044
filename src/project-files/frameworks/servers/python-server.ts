import { python } from "#project-files/frameworks/recipes.ts";
import type { PythonTarget } from "#project-files/frameworks/servers/python-app.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";

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
      if (tree.signs.has(`pip:${name}`))
        return withPath(app, python(`${command} ${targetOf(name, app)}`)(tree).build);
  }
  const { streamlit } = tree.python;
  if (streamlit === null || !tree.signs.has("pip:streamlit")) return null;
  return python(
    `streamlit run ${streamlit} --server.address 127.0.0.1 --server.port $PORT --server.headless true`,
  )(tree).build;
}

/** How a server names its app. */
function targetOf(server: string, { module, name, isFactory }: PythonTarget): string {
  if (!isFactory) return `${module}:${name}`;
  if (server === "uvicorn") return `--factory ${module}:${name}`;
  if (server === "waitress") return `--call ${module}:${name}`;
  // The parentheses of a factory are special to the shell.
  return `'${module}:${name}()'`;
}

function withPath({ path }: PythonTarget, command: string | null): string | null {
  return path === null || command === null || !/^[\w./-]+$/.test(path)
    ? command
    : `PYTHONPATH=${path} ${command}`;
}
