import { type Form, serverIn } from "#project-files/frameworks/form.ts";
import { hasAssetPipeline } from "#project-files/frameworks/recipes.ts";
import { phpFolder, phpServer } from "#project-files/frameworks/servers/php-server.ts";
import { railsServer, rubyServer } from "#project-files/frameworks/servers/ruby-server.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";

/** PHP and Ruby apps publish the folder `public`, if the repository has it. */
const publicServer = (tree: Tree): Form => serverIn(tree.signs.has("file:public") ? "public" : ".")(tree);

/** Rails, with the folder `public` if it has assets. */
export const railsForm = (tree: Tree): Form => ({
  ...(hasAssetPipeline(tree) ? serverIn("public")(tree) : publicServer(tree)),
  start_command: railsServer(tree),
});

/** Other apps of PHP. */
export const phpForm = (tree: Tree): Form => ({
  ...serverIn(phpFolder(tree) ?? ".")(tree),
  start_command: phpServer(tree),
});

/** Other apps of Ruby. */
export const rubyForm = (tree: Tree): Form => ({
  ...publicServer(tree),
  start_command: rubyServer(tree),
});
