import type { Tree } from "#project-files/frameworks/tree.ts";

/** How a built project is used: as files that a web server publishes, or as a process that answers requests. */
export type Form = {
  readonly app_type: "static" | "server";
  /** Of a server: the folder with its public files, or the whole project. */
  readonly output_directory: string;
  /** The page of a site that has only one, which answers for all of its paths; null for other sites. */
  readonly fallback: string | null;
  /** The command that starts a server; null if it is unknown. */
  readonly start_command: string | null;
  /** The facts that decided the form. */
  readonly reasons: readonly string[];
  /** Why a build with these files cannot be used on a server; null if it can. */
  readonly problem: string | null;
  /** Whether the output directory is only known after the build: the folder that it creates. */
  readonly findsOutput?: true;
};

/** A static site whose pages are built into a folder. */
export function files(output_directory: string, ...reasons: readonly string[]): Form {
  return {
    app_type: "static",
    output_directory,
    fallback: null,
    start_command: null,
    reasons,
    problem: null,
  };
}

/** A site whose pages are all made by the scripts of one. */
export function onePage(form: Form, fallback = INDEX): Form {
  return form.app_type === "server" ? form : { ...form, fallback };
}

const INDEX = "index.html";

/** An app that runs as a server. */
export function server(start_command: string | null, ...reasons: readonly string[]): Form {
  return {
    app_type: "server",
    output_directory: ".",
    fallback: null,
    start_command,
    reasons,
    problem: null,
  };
}

/** Always a static site in this folder. */
export function filesIn(output_directory: string): () => Form {
  return () => files(output_directory);
}

/** Always a server, whose public files are in this folder. @param start returns the command that starts it */
export function serverIn(
  output_directory: string,
  start: (tree: Tree) => string | null = () => null,
): (tree: Tree) => Form {
  return (tree) => ({ ...server(start(tree)), output_directory });
}

/** Runs a built script with Node; null if its path needs quotes. */
export function nodeScript(path: string): string | null {
  return /^[\w@./-]+$/.test(path) ? `node ${path}` : null;
}
