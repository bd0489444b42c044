import { presetName } from "#contract/frameworks/presets.ts";
import type { Tree } from "#contract/frameworks/tree.ts";

/** What an app of a framework needs so that its preset can start it. `sign`: what it lacks. */
const hints: Readonly<Record<string, { readonly sign: string; readonly hint: string }>> = {
  django: { sign: "pip:gunicorn", hint: "add gunicorn to its Python packages" },
  flask: { sign: "pip:gunicorn", hint: "add gunicorn to its Python packages" },
  fastapi: { sign: "pip:uvicorn", hint: "add uvicorn to its Python packages" },
  php: { sign: "file:index.php", hint: "put its index.php into public" },
  ruby: { sign: "gem:puma", hint: "add puma and a config.ru" },
  nest: { sign: "script:start", hint: "add a script start to package.json" },
  hono: { sign: "script:start", hint: "add a script start to package.json" },
  express: { sign: "script:start", hint: "add a script start to package.json" },
};

/** What to add to an app so that it is started without a setting; null if that is not known. */
export function startHint(framework: string, { signs }: Tree): string | null {
  const name = presetName(framework);
  const found = Object.hasOwn(hints, name) ? hints[name] : undefined;
  return found === undefined || signs.has(found.sign) ? null : found.hint;
}
