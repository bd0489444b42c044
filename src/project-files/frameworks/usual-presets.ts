// Generated from presets.ts by `npm run reference`.

/** Where the presets for a typical project differ from `mostly`, by the name of the framework. */
export const usualPresets = {
  "tanstack-start": { output: "dist/client", app: "static" },
  "solid-start": { start: "NODE_ENV=${NODE_ENV:-production} node .output/server/index.mjs" },
  analog: { start: "NODE_ENV=${NODE_ENV:-production} node dist/analog/server/index.mjs" },
  qwik: { output: "dist", app: "static" },
  redwood: {},
  adonis: { start: "NODE_ENV=${NODE_ENV:-production} node build/bin/server.js" },
  next: { start: "node_modules/.bin/next start -H 127.0.0.1 -p $PORT" },
  nuxt: { start: "NODE_ENV=${NODE_ENV:-production} node .output/server/index.mjs" },
  astro: { output: "dist", app: "static" },
  sveltekit: { output: "build", app: "static" },
  remix: { start: "NODE_ENV=${NODE_ENV:-production} node_modules/.bin/remix-serve ./build/server/index.js" },
  "react-router": {
    start: "NODE_ENV=${NODE_ENV:-production} node_modules/.bin/react-router-serve ./build/server/index.js",
  },
  gatsby: { output: "public", app: "static" },
  docusaurus: { output: "build", app: "static" },
  vitepress: { build: "npm run docs:build", output: "docs/.vitepress/dist", app: "static" },
  vuepress: { build: "npm run docs:build", output: "docs/.vuepress/dist", app: "static" },
  angular: { output: "dist", fallback: "index.html", app: "static" },
  "create-react-app": { output: "build", fallback: "index.html", app: "static" },
  "vue-cli": { output: "dist", fallback: "index.html", app: "static" },
  eleventy: { output: "_site", app: "static" },
  hexo: { output: "public", app: "static" },
  laravel: {
    install: "composer install --no-dev --no-interaction --optimize-autoloader && npm ci",
    output: "public",
    start: "gantry-php public",
    release: "php artisan migrate --force",
  },
  symfony: {
    install:
      "APP_ENV=${APP_ENV:-prod} composer install --no-dev --no-interaction --optimize-autoloader && npm ci",
    output: "public",
    start: "APP_ENV=${APP_ENV:-prod} gantry-php public",
  },
  php: {
    install: "composer install --no-dev --no-interaction --optimize-autoloader && npm ci",
    output: "public",
    start: "gantry-php public",
  },
  rails: {
    install:
      "bundle config set --local path .bundle && bundle config set --local without development:test && bundle install",
    build:
      "RAILS_ENV=production SECRET_KEY_BASE_DUMMY=1 SECRET_KEY_BASE=${SECRET_KEY_BASE:-dummy} bundle exec rails assets:precompile",
    output: "public",
    start:
      "mkdir -p tmp/pids && RAILS_ENV=production RAILS_LOG_TO_STDOUT=1 RAILS_SERVE_STATIC_FILES=1 exec bundle exec rails server -b 127.0.0.1 -p $PORT -P tmp/pids/$PORT-$$.pid",
    release: "RAILS_ENV=production bundle exec rails db:migrate",
  },
  django: {
    install: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
    build: ".venv/bin/python3 manage.py collectstatic --noinput",
    release: ".venv/bin/python3 manage.py migrate --noinput",
  },
  fastapi: { install: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt", build: null },
  flask: { install: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt", build: null },
  zola: { install: null, build: "zola build", output: "public", app: "static" },
  hugo: { install: null, build: "hugo --gc --minify", output: "public", app: "static" },
  mdbook: { install: null, build: "mdbook build", output: "book", app: "static" },
  go: { install: null, build: "go build -buildvcs=false -o bin/ ./..." },
  nest: {},
  vike: { output: "dist/client", app: "static" },
  nitro: { start: "NODE_ENV=${NODE_ENV:-production} node .output/server/index.mjs" },
  vite: { output: "dist", fallback: "index.html", app: "static" },
  parcel: { output: "dist", app: "static" },
  hono: {},
  express: {},
  node: { app: "static" },
  bridgetown: {
    install:
      "bundle config set --local path .bundle && bundle config set --local without development:test && bundle install && npm ci",
    build: "BRIDGETOWN_ENV=production bundle exec bridgetown deploy",
    output: "output",
    app: "static",
  },
  middleman: {
    install:
      "bundle config set --local path .bundle && bundle config set --local without development:test && bundle install",
    build: "bundle exec middleman build",
    output: "build",
    app: "static",
  },
  nanoc: {
    install:
      "bundle config set --local path .bundle && bundle config set --local without development:test && bundle install",
    build: "bundle exec nanoc compile",
    output: "output",
    app: "static",
  },
  jekyll: {
    install:
      "bundle config set --local path .bundle && bundle config set --local without development:test && bundle install",
    build: "JEKYLL_ENV=production bundle exec jekyll build",
    output: "_site",
    app: "static",
  },
  "jupyter-book": {
    install: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
    build: ".venv/bin/jupyter-book build .",
    output: "_build/html",
    app: "static",
  },
  mkdocs: {
    install: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
    build: ".venv/bin/mkdocs build",
    output: "site",
    app: "static",
  },
  antora: { output: "build/site", app: "static" },
  pelican: {
    install: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
    build: ".venv/bin/pelican content --settings pelicanconf.py --output output",
    output: "output",
    app: "static",
  },
  ruby: {
    install:
      "bundle config set --local path .bundle && bundle config set --local without development:test && bundle install",
    build: null,
    output: "public",
  },
  sphinx: {
    install: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
    build: ".venv/bin/sphinx-build -b html . _build/html",
    output: "_build/html",
    app: "static",
  },
  static: { install: null, build: null, app: "static" },
  python: { install: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt", build: null },
  dockerfile: { install: null, build: null },
  "11ty": { output: "_site", app: "static" },
  cra: { output: "build", fallback: "index.html", app: "static" },
  nestjs: {},
  nextjs: { start: "node_modules/.bin/next start -H 127.0.0.1 -p $PORT" },
  nuxtjs: { start: "NODE_ENV=${NODE_ENV:-production} node .output/server/index.mjs" },
  "svelte-kit": { output: "build", app: "static" },
} as const;
