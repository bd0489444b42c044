/** Folders in which frameworks write only files whose names contain a hash of their content. */
export const HASHED_FOLDERS = /^\/(?:_next\/static|_nuxt|_astro|_app\/immutable)\//;

/** Vite's folder, in which a repository may have other files too. Its own have a hash of 8 characters … */
export const VITE_FILES = /^\/assets\/(?:.*\/)?[^/]*-[A-Za-z0-9_-]{8}\.[a-z0-9]+$/;
/** … which almost always contains an upper-case letter, unlike the words and dates of other names. */
export const LOWER_CASE_NAME = /-[a-z0-9_-]{8}\.[a-z0-9]+$/;

/** Pages have the same address in each release, wherever they are. */
export const PAGE_NAME = /\.html?$/;

/** Browsers ask whether a file has changed each time, except for files whose content never changes. */
export const REVALIDATE = "no-cache";
export const IMMUTABLE = "public, max-age=31536000, immutable";

/** @param path of the request, decoded */
export function isImmutable(path: string): boolean {
  if (PAGE_NAME.test(path)) return false;
  return HASHED_FOLDERS.test(path) || (VITE_FILES.test(path) && !LOWER_CASE_NAME.test(path));
}
