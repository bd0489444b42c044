import type { App } from "./app.ts";

const kernel = (kind: string, base: string) => `<?php
namespace App\\${kind};
class Kernel extends \\Illuminate\\Foundation\\${kind}\\Kernel {${base}}
`;

/** The files that Laravel's own application has, without what this app does not use. */
export const laravel: App = {
  framework: "laravel",
  files: {
    "composer.json": JSON.stringify({
      name: "acme/shop",
      type: "project",
      require: { php: "^8.0", "laravel/framework": "^8.0" },
      autoload: { "psr-4": { "App\\": "app/" } },
      scripts: {
        "post-autoload-dump": [
          "Illuminate\\Foundation\\ComposerScripts::postAutoloadDump",
          "@php artisan package:discover --ansi",
        ],
      },
    }),
    artisan: `#!/usr/bin/env php
<?php
define('LARAVEL_START', microtime(true));
require __DIR__ . '/vendor/autoload.php';
$app = require_once __DIR__ . '/bootstrap/app.php';
$kernel = $app->make(Illuminate\\Contracts\\Console\\Kernel::class);
$input = new Symfony\\Component\\Console\\Input\\ArgvInput;
$status = $kernel->handle($input, new Symfony\\Component\\Console\\Output\\ConsoleOutput);
$kernel->terminate($input, $status);
exit($status);
`,
    "bootstrap/app.php": `<?php
$app = new Illuminate\\Foundation\\Application(dirname(__DIR__));
$app->singleton(Illuminate\\Contracts\\Http\\Kernel::class, App\\Http\\Kernel::class);
$app->singleton(Illuminate\\Contracts\\Console\\Kernel::class, App\\Console\\Kernel::class);
$app->singleton(Illuminate\\Contracts\\Debug\\ExceptionHandler::class, Illuminate\\Foundation\\Exceptions\\Handler::class);
return $app;
`,
    "bootstrap/cache/.gitignore": "*\n!.gitignore\n",
    "app/Http/Kernel.php": kernel("Http", ""),
    "app/Console/Kernel.php": kernel("Console", ""),
    "app/Providers/RouteServiceProvider.php": `<?php
namespace App\\Providers;
class RouteServiceProvider extends \\Illuminate\\Foundation\\Support\\Providers\\RouteServiceProvider {
    public function boot() {
        $this->routes(fn () => require base_path('routes/web.php'));
    }
}
`,
    "config/app.php": `<?php
return [
    'name' => 'shop',
    'env' => env('APP_ENV', 'production'),
    'debug' => false,
    'timezone' => 'UTC',
    'locale' => 'en',
    'providers' => [
        Illuminate\\Filesystem\\FilesystemServiceProvider::class,
        Illuminate\\Foundation\\Providers\\ConsoleSupportServiceProvider::class,
        Illuminate\\Foundation\\Providers\\FoundationServiceProvider::class,
        Illuminate\\Cache\\CacheServiceProvider::class,
        Illuminate\\Database\\DatabaseServiceProvider::class,
        Illuminate\\Queue\\QueueServiceProvider::class,
        Illuminate\\View\\ViewServiceProvider::class,
        App\\Providers\\RouteServiceProvider::class,
    ],
    'aliases' => [],
];
`,
    "config/view.php":
      "<?php return ['paths' => [base_path('views')], 'compiled' => storage_path('views')];\n",
    "routes/web.php": `<?php
use Illuminate\\Support\\Facades\\Route;
Route::get('/', fn () => 'Laravel ' . app()->environment());
`,
    "storage/logs/.gitignore": "*\n!.gitignore\n",
    "public/index.php": `<?php
require __DIR__ . '/../vendor/autoload.php';
$app = require_once __DIR__ . '/../bootstrap/app.php';
$kernel = $app->make(Illuminate\\Contracts\\Http\\Kernel::class);
$response = $kernel->handle($request = Illuminate\\Http\\Request::capture())->send();
$kernel->terminate($request, $response);
`,
  },
  serve: "php artisan --version && exec php -S 127.0.0.1:$PORT -t public public/index.php",
  pages: { "/": "Laravel production" },
};
