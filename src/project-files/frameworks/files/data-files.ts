/**
 * How a file is written. `json-or-comments`: JSON that may have comments and a comma after the last item. `text`: lines
 * whose syntax only its tool knows.
 */
export type FileSyntax = "json" | "json-or-comments" | "toml" | "pnpm-workspace" | "text";

/** The files that decide how a project is built, by their names. */
const syntaxes: ReadonlyMap<string, FileSyntax> = new Map<string, FileSyntax>([
  ["package.json", "json"],
  ["composer.json", "json"],
  ["angular.json", "json-or-comments"],
  ["turbo.json", "json-or-comments"],
  ["turbo.jsonc", "json-or-comments"],
  ["pyproject.toml", "toml"],
  ["Pipfile", "toml"],
  ["mise.toml", "toml"],
  [".mise.toml", "toml"],
  ["pnpm-workspace.yaml", "pnpm-workspace"],
  ["hugo.toml", "toml"],
  ["zola.toml", "toml"],
  ["book.toml", "toml"],
  ["hugo.json", "json"],
  ["hugo.yaml", "text"],
  ["hugo.yml", "text"],
  ["mkdocs.yml", "text"],
  ["mkdocs.yaml", "text"],
  ["requirements.txt", "text"],
  ["Gemfile", "text"],
  ["go.mod", "text"],
  [".yarnrc.yml", "text"],
  [".npmrc", "text"],
  [".tool-versions", "text"],
  [".node-version", "text"],
  [".nvmrc", "text"],
  [".ruby-version", "text"],
  [".python-version", "text"],
  [".php-version", "text"],
  [".go-version", "text"],
]);

/** The names of these files. */
export const dataFiles: readonly string[] = [...syntaxes.keys()];

/** The syntax of one of these files. */
export function syntaxOf(name: string): FileSyntax {
  return syntaxes.get(name) ?? "text";
}
