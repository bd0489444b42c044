/** The folders for visitors of PHP apps: of most frameworks, then of Bedrock, Drupal and Yii, of CakePHP, and of Magento. */
export const phpFolders = ["public", "web", "webroot", "pub", "public_html", "htdocs", "docroot"] as const;
