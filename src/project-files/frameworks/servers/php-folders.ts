/** The folders for visitors of PHP apps: of most frameworks, then of Bedrock, Drupal and Yii, of CakePHP, and of Magento. */
export const phpFolders = ["public", "web", "webroot", "pub", "public_html", "htdocs", "docroot"] as const;

/** The sign with the folder that Composer creates the first page in, for Drupal. */
export const WEB_ROOT = "php:web-root";

/** The folder that composer.json names for Drupal's first page, which is not in the repository. */
export function webRootSigns(composer: string): readonly (readonly [string, string])[] {
  const folder = /"web-root"[ \t]*:[ \t]*"(?:\.\/)?([\w-]{1,100})\/?"/.exec(composer)?.[1];
  return folder === undefined ? [] : [[WEB_ROOT, folder]];
}
