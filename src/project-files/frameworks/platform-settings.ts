import { insidePath } from "#project-files/frameworks/inside-path.ts";

/** What a file for another platform says about the site. `output`: the folder that it publishes. */
export type PlatformSettings = {
  readonly file: string;
  readonly output: string | null;
  readonly command: string | null;
};

const path = String.raw`["']([\w./-]{1,200})["']`;
const command = String.raw`["']([^"'\n]{1,200})["']`;

/** How each file names the folder and the build command. */
const settings: Readonly<Record<string, { readonly output: RegExp; readonly command: RegExp | null }>> = {
  "netlify.toml": {
    output: new RegExp(`^[ \\t]*publish[ \\t]*=[ \\t]*${path}`, "m"),
    command: new RegExp(`^[ \\t]*command[ \\t]*=[ \\t]*${command}`, "m"),
  },
  "vercel.json": {
    output: new RegExp(`"outputDirectory"[ \\t]*:[ \\t]*${path}`),
    command: new RegExp(`"buildCommand"[ \\t]*:[ \\t]*${command}`),
  },
  "wrangler.toml": {
    output: new RegExp(`^[ \\t]*(?:pages_build_output_dir|directory)[ \\t]*=[ \\t]*${path}`, "m"),
    command: null,
  },
  "wrangler.json": {
    output: new RegExp(`"(?:pages_build_output_dir|directory)"[ \\t]*:[ \\t]*${path}`),
    command: null,
  },
  "wrangler.jsonc": {
    output: new RegExp(`"(?:pages_build_output_dir|directory)"[ \\t]*:[ \\t]*${path}`),
    command: null,
  },
  "firebase.json": { output: new RegExp(`"public"[ \\t]*:[ \\t]*${path}`), command: null },
  "staticwebapp.config.json": {
    output: new RegExp(`"output_location"[ \\t]*:[ \\t]*${path}`),
    command: null,
  },
  "render.yaml": { output: /^[ \t-]*staticPublishPath:[ \t]*["']?([\w./-]{1,200})/m, command: null },
};

/** How each file says redirects, headers or the page of a single-page app. */
const rules: Readonly<Record<string, RegExp>> = {
  "netlify.toml": /^[ \t]*\[\[(?:redirects|headers)\]\]/m,
  "vercel.json": /"(?:rewrites|redirects|headers|routes)"[ \t]*:/,
  "firebase.json": /"(?:rewrites|redirects|headers)"[ \t]*:/,
  "staticwebapp.config.json": /"(?:navigationFallback|routes|globalHeaders)"[ \t]*:/,
  "render.yaml": /^[ \t-]*(?:routes|headers):/m,
};

/** The first file whose rules for a site have no effect here; null if there is none. */
export function platformRules(files: ReadonlyMap<string, string>): string | null {
  return Object.keys(rules).find((file) => rules[file]?.test(files.get(file) ?? "") === true) ?? null;
}

/** The files of other platforms that are read. */
export const platformFiles: readonly string[] = Object.keys(settings);

/** Reads the first of these files that says something; null if none does. */
export function platformSettings(files: ReadonlyMap<string, string>): PlatformSettings | null {
  for (const [file, patterns] of Object.entries(settings)) {
    const text = files.get(file);
    if (text === undefined) continue;
    const output = patterns.output.exec(text)?.[1];
    const line = patterns.command?.exec(text)?.[1] ?? null;
    if (output !== undefined || line !== null)
      return { file, output: output === undefined ? null : insidePath(output), command: line };
  }
  return null;
}

/** The page of the folder that such a file publishes, as for `deepPaths`. */
export function platformPaths(files: ReadonlyMap<string, string>): readonly string[] {
  const output = platformSettings(files)?.output ?? null;
  return output === null || output === "." ? [] : [`${output}/index.html`];
}
