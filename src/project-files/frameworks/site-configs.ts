import { insidePath } from "#project-files/frameworks/inside-path.ts";

const formats = ["toml", "yaml", "yml", "json"];

/** The files of Hugo in its folder `config`. */
export const hugoConfigs: readonly string[] = ["hugo", "config"].flatMap((name) =>
  formats.map((format) => `config/_default/${name}.${format}`),
);

/** The files of Hugo at the top. */
export const hugoFiles: readonly string[] = formats.map((format) => `hugo.${format}`);

/** The configuration files of site generators that are read. */
export const siteConfigs: readonly string[] = [
  ...hugoFiles,
  ...formats.map((format) => `config.${format}`),
  ...["_config.yml", "_config.yaml", "_config.toml"],
  ...["zola.toml", "mkdocs.yml", "mkdocs.yaml", "book.toml"],
];

/** Hugo ignores case in the names of its settings. */
const ofHugo =
  /(?:^|[{,])[ \t]*["']?(?:baseURL|languageCode|defaultContentLanguage|publishDir|enableRobotsTXT|theme)["']?[ \t]*[:=]/im;

/**
 * What the configuration files say: `zola`, or `hugo` for a config file that other programs could have too. Zola has the
 * required setting `base_url`, which Hugo does not know.
 */
export function siteSigns(files: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  const isZola = /^[ \t]*base_url[ \t]*=/m.test(files.get("config.toml") ?? "");
  const hugo = formats
    .map((format) => `config.${format}`)
    .find((name) => {
      const text = files.get(name);
      if (text === undefined || (name === "config.toml" && isZola)) return false;
      const hasContent = files.has("content") && (name === "config.toml" || name === "config.yaml");
      return (
        hasContent ||
        (ofHugo.test(text) && ["content", "archetypes", "layouts", "themes"].some((one) => files.has(one)))
      );
    });
  return [
    ...jekyllSigns(files),
    ...(isZola ? [["zola", "config.toml has base_url"] as const] : []),
    ...(hugo === undefined ? [] : [["hugo", `${hugo} exists`] as const]),
  ];
}

/** GitHub publishes a repository with .nojekyll as it is. */
function jekyllSigns(files: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  const file = ["yml", "yaml", "toml"].map((end) => `_config.${end}`).find((name) => files.has(name));
  const isBuilt = files.has(".nojekyll") && files.has("index.html");
  // Jupyter Book has a file with this name too.
  return file === undefined || isBuilt || files.has("_toc.yml") ? [] : [["jekyll", `${file} exists`]];
}

/** How the output directory is set in each file. */
const settings: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:hugo|config)\.\w+$/, /^[ \t]*["']?publishDir["']?[ \t]*[:=][ \t]*["']?([\w./-]+)/im],
  [/^(?:zola|config)\.toml$/, /^[ \t]*output_dir[ \t]*=[ \t]*["']([\w./-]+)/m],
  [/^mkdocs\.ya?ml$/, /^site_dir:[ \t]*["']?([\w./-]+)/m],
  [/^_config\.(?:ya?ml|toml)$/, /^destination[ \t]*[:=][ \t]*["']?([\w./-]+)/m],
  [/^book\.toml$/, /^[ \t]*build-dir[ \t]*=[ \t]*["']([\w./-]+)/m],
];

/** With another output than HTML, mdBook writes each into a folder of its own. */
function bookOutput(text: string): string | null {
  if (!/^[ \t]*\[output\.(?!html\b)[\w-]+\]/m.test(text)) return null;
  const base = /^[ \t]*build-dir[ \t]*=[ \t]*["']([\w./-]+)/m.exec(text)?.[1] ?? "book";
  return insidePath(base, "html");
}

/** The output directory that a configuration file names; null if none does. */
export function siteOutput(files: ReadonlyMap<string, string>): string | null {
  const book = bookOutput(files.get("book.toml") ?? "");
  if (book !== null) return book;
  for (const [name, pattern] of settings)
    for (const [file, text] of files) {
      const found = name.test(file) ? pattern.exec(text)?.[1] : undefined;
      if (found !== undefined) return insidePath(found);
    }
  return null;
}
