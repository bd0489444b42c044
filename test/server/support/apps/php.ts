import type { App } from "./app.ts";

export const php: App = {
  framework: "php",
  files: {
    "composer.json": JSON.stringify({ require: { "monolog/monolog": "^2.0" } }),
    "public/index.php": `<?php
require __DIR__ . '/../vendor/autoload.php';
$log = new Monolog\\Logger('shop');
echo 'PHP with ' . $log->getName();
`,
  },
  serve: "exec php -S 127.0.0.1:$PORT -t public",
  pages: { "/": "PHP with shop" },
};
