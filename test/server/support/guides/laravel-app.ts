import { laravel } from "../apps/laravel.ts";

const provider = "Illuminate\\Queue\\QueueServiceProvider::class,";
const config = laravel.files["config/app.php"] ?? "";

/** The Laravel app of the guide: with a database, a queue and a schedule. Its skeleton is no package of Debian. */
export const laravelShop: Readonly<Record<string, string>> = {
  ...laravel.files,
  ".gitignore": "/vendor\n",
  "config/app.php": config
    .replace(
      provider,
      `${provider}\n        Illuminate\\Bus\\BusServiceProvider::class,\n        Illuminate\\Encryption\\EncryptionServiceProvider::class,`,
    )
    .replace(
      "'debug' => false,",
      "'debug' => false,\n    'key' => env('APP_KEY'),\n    'cipher' => 'AES-256-CBC',",
    ),
  "config/database.php": `<?php
return [
    'default' => 'sqlite',
    'connections' => [
        'sqlite' => ['driver' => 'sqlite', 'database' => storage_path('app/database.sqlite')],
    ],
    'migrations' => 'migrations',
];
`,
  "config/queue.php": `<?php
return [
    'default' => 'database',
    'connections' => [
        'database' => ['driver' => 'database', 'table' => 'jobs', 'queue' => 'default', 'retry_after' => 90],
    ],
    'failed' => ['driver' => 'null'],
];
`,
  "config/cache.php": `<?php
return ['default' => 'file', 'stores' => ['file' => ['driver' => 'file', 'path' => storage_path('cache')]], 'prefix' => 'shop'];
`,
  "database/migrations/2026_01_01_000000_create_tables.php": `<?php
use Illuminate\\Database\\Migrations\\Migration;
use Illuminate\\Database\\Schema\\Blueprint;
use Illuminate\\Support\\Facades\\Schema;
return new class extends Migration {
    public function up() {
        Schema::create('orders', fn (Blueprint $table) => $table->id());
        Schema::create('jobs', function (Blueprint $table) {
            $table->bigIncrements('id');
            $table->string('queue')->index();
            $table->longText('payload');
            $table->unsignedTinyInteger('attempts');
            $table->unsignedInteger('reserved_at')->nullable();
            $table->unsignedInteger('available_at');
            $table->unsignedInteger('created_at');
        });
    }
};
`,
  "app/Jobs/SaveOrder.php": `<?php
namespace App\\Jobs;
class SaveOrder implements \\Illuminate\\Contracts\\Queue\\ShouldQueue {
    public function handle() { \\Illuminate\\Support\\Facades\\DB::insert('insert into orders default values'); }
}
`,
  "routes/web.php": `<?php
use Illuminate\\Support\\Facades\\{Crypt, DB, Queue, Route, URL};
Route::get('/', fn () => Crypt::decryptString(Crypt::encryptString('The shop at ')) . URL::to('/') . "\\n");
Route::post('/orders', function () { Queue::push(new App\\Jobs\\SaveOrder); return "accepted\\n"; });
Route::get('/orders', fn () => DB::table('orders')->count() . " orders\\n");
`,
  "storage/app/.gitignore": "*\n!.gitignore\n",
  "storage/views/.gitignore": "*\n!.gitignore\n",
  "storage/cache/.gitignore": "*\n!.gitignore\n",
};
