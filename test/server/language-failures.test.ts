import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";

import { go } from "./support/apps/go.ts";
import { laravel } from "./support/apps/laravel.ts";
import { django, flask } from "./support/apps/python.ts";
import { rails } from "./support/apps/rails.ts";
import { AppServer } from "./support/app-server.ts";

let server: AppServer;
beforeAll(async () => {
  server = await AppServer.start({ packages: true });
});
afterAll(() => server.close());

let count = 0;

async function failureOf(files: Readonly<Record<string, string>>): Promise<Deployment["failure"]> {
  count += 1;
  const project = await server.createProject(`app-${count}`, files, { activate_command: "true" });
  return (await server.deploy(project.id)).failure;
}

describe("a failed installation or build has a hint", () => {
  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    [
      "an extension of PHP is missing",
      { "composer.json": '{"require":{"ext-pdo_mysql":"*"}}' },
      /^The server's PHP has no extension pdo_mysql\. Run `apt-get install php-mysql`/,
    ],
    [
      "Go's compiler for C is missing",
      {
        "go.mod": "module example.com/a\n\ngo 1.19\n",
        "main.go": 'package main\n\nimport "C"\n\nfunc main() {}\n',
      },
      /^A package has parts in C.* Run `apt-get install build-essential`/,
    ],
    [
      "go.sum is out of date",
      {
        ...go.files,
        "go.mod": "module example.com/shop\n\ngo 1.19\n\nrequire example.com/missing v1.0.0\n",
        "main.go": 'package main\n\nimport "example.com/missing"\n\nfunc main() { missing.Run() }\n',
      },
      /^go\.sum does not match go\.mod\. Run `go mod tidy`/,
    ],
    [
      "composer.lock is out of date",
      {
        "composer.json": '{"require":{"example/missing":"^1.0"}}',
        "composer.lock": '{"content-hash":"0","packages":[],"packages-dev":[]}',
      },
      /^The lock file does not match composer\.json\. Run `composer update`/,
    ],
    [
      "Gemfile.lock is out of date",
      {
        "config.ru": "run ->(_) { [200, {}, []] }\n",
        Gemfile: 'gem "rack"\n',
        "Gemfile.lock": "PLATFORMS\n  ruby\n\nDEPENDENCIES\n",
      },
      /^The lock file does not match the Gemfile\. Run `bundle lock`/,
    ],
    [
      "the key of Rails' credentials is missing",
      {
        ...rails.files,
        "config/environments/production.rb":
          "Rails.application.configure { config.require_master_key = true }\n",
      },
      /^Set the variable RAILS_MASTER_KEY/,
    ],
    [
      "a variable of Django's settings is missing",
      {
        ...django.files,
        // As django-environ does.
        "shop/settings.py": `from django.core.exceptions import ImproperlyConfigured\n${django.files["shop/settings.py"]}raise ImproperlyConfigured("Set the DATABASE_URL environment variable")\n`,
      },
      /^Set the variable DATABASE_URL/,
    ],
  ])("if %s", async (_, files, hint) => {
    expect(await failureOf(files)).toMatchObject({ hint: expect.stringMatching(hint) });
  });

  it("if a gem has parts in C, and Ruby's header files are missing", async () => {
    await server.machine.write(
      "/srv/gem/native.gemspec",
      'Gem::Specification.new("native", "1.0") { |s| s.summary = "n"; s.authors = ["a"]; s.files = ["ext/extconf.rb"]; s.extensions = s.files }\n',
    );
    await server.machine.write("/srv/gem/ext/extconf.rb", 'require "mkmf"\ncreate_makefile("native")\n');
    await server.machine.tell(
      "cd /srv/gem && gem build --quiet native.gemspec --output /srv/registry/gems/native-1.0.gem && gem generate_index --quiet --directory /srv/registry",
    );
    const failure = await failureOf({
      Gemfile: 'source "https://rubygems.org"\ngem "native"\n',
      "config.ru": "",
    });
    expect(failure?.hint).toMatch(/^A gem has parts in C.* Run `apt-get install ruby-dev build-essential`/);
  });
});

describe("a server without a tool of a language", () => {
  it.each<[string, string, Readonly<Record<string, string>>, RegExp]>([
    ["unzip", "install_failed", laravel.files, /^Composer has no program to unpack packages with/],
    ["python3.11-venv", "tool_missing", flask.files, /apt-get install python3-venv/],
    ["golang-1.19-go", "tool_missing", go.files, /\bgo\b/],
  ])("says so without %s", async (name, code, files, text) => {
    await server.machine.tell(`dpkg --remove --force-depends ${name}`);
    const failure = await failureOf(files);
    expect(failure).toMatchObject({ code });
    expect(`${failure?.hint ?? failure?.message}`).toMatch(text);
  });
});
