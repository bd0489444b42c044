import { HASHED_FOLDERS, PAGE_NAME } from "#agent/ingress/caching.ts";

/**
 * Patterns of a path whose name has a hash of the file's content. RE2 knows them too, for Caddy. A path must match all of
 * `has` and none of `not`.
 */
export type NamePattern = { readonly has: readonly RegExp[]; readonly not: readonly RegExp[] };

/** A file, with its extension. Pages have the same address in each release, even where a folder has a hash. */
const isFile = /\.[A-Za-z0-9]+$/;

/** 8 characters of Vite, Rollup, esbuild and Bun, before the extensions. */
const short = (...tokens: readonly string[]) =>
  new RegExp(`[-.](?:${tokens.join("|")})(?:\\.[a-z0-9]+){1,2}$`);

/** 8 characters that nobody takes for a hash: a word with a number at its end, and the size of a picture. */
const words = [7, 6, 5, 4, 3, 2, 1].map((letters) => `[A-Za-z][a-z_-]{${letters}}[0-9]{${7 - letters}}`);
const sizes = [1, 2, 3, 4, 5, 6].map((digits) => `[0-9]{${digits}}x[0-9]{${7 - digits}}`);

export const hashedNames: readonly NamePattern[] = [
  // A build's own folders, also below the path of a site.
  { has: [new RegExp(HASHED_FOLDERS.source.replace("^", "(?:^|/[^.]+)")), isFile], not: [PAGE_NAME] },
  {
    // Hexadecimal digests of webpack, Parcel, Rails, Django, Phoenix, Hugo and others, with a digit and a letter: no dates.
    has: [
      /[-._/][0-9a-f]{8,128}(?:[-._][^/]*)?\.[A-Za-z0-9]+$/,
      /[-._/](?:[0-9]+[a-f]|[a-f]+[0-9])[0-9a-f]*(?:[-._][^/]*)?\.[A-Za-z0-9]+$/,
    ],
    not: [PAGE_NAME],
  },
  {
    has: [short("[A-Za-z0-9_-]{8}")],
    not: [PAGE_NAME, short(...words, ...sizes, "[0-9_-]{8}")],
  },
];

/**
 * Whether the name of a file has a hash of its content, so that an earlier release's file of this name has the content
 * that the page expects. In doubt, the answer is no: a name without a hash must not bring back a file that was removed.
 * @param path of the request, decoded
 */
export function hasHashedName(path: string): boolean {
  return hashedNames.some(
    ({ has, not }) =>
      has.every((pattern) => pattern.test(path)) && !not.some((pattern) => pattern.test(path)),
  );
}
