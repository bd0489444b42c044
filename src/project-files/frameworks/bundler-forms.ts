import { type Form, files, onePage } from "#project-files/frameworks/form.ts";
import { insidePath } from "#project-files/frameworks/inside-path.ts";
import { filesOrProgram, serverUnless } from "#project-files/frameworks/node-forms.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";

/** Parcel needs no configuration, and writes all pages into one folder. */
export const parcelForm = (tree: Tree): Form => {
  const folder = / --dist-dir[= ]["']?([\w./-]+)/.exec(tree.scripts.get("build") ?? "")?.[1];
  return files((folder === undefined ? null : insidePath(folder)) ?? "dist");
};

/** An ejected app of Create React App starts its development server with a script of its own. */
export const ejectedOrProgram = (tree: Tree): Form => {
  const isEjected = /\bscripts\/start\.js\b/.test(tree.scripts.get("start") ?? "");
  const site = onePage(files("build"));
  return isEjected ? site : filesOrProgram(() => site)(tree);
};

/** AdonisJS builds a project of its own in `build`, whose packages are those of the project. */
const adonisServer = serverUnless("node build/bin/server.js", "build", []);
/** The script `start` of Adonis is for the folder `build`. */
export const adonisForm = (tree: Tree): Form => adonisServer({ ...tree, scripts: new Map() });
