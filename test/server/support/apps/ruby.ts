import type { App } from "./app.ts";

export const ruby: App = {
  framework: "ruby",
  files: {
    Gemfile: 'source "https://rubygems.org"\ngem "sinatra"\ngem "puma"\n',
    "app.rb": 'require "sinatra/base"\nclass Shop < Sinatra::Base\n  get("/") { "Sinatra" }\nend\n',
    "config.ru": 'require_relative "app"\nrun Shop\n',
  },
  pages: { "/": "Sinatra" },
};

export const jekyll: App = {
  framework: "jekyll",
  files: {
    Gemfile: 'source "https://rubygems.org"\ngem "jekyll"\n',
    // The site's own list, without the folders in which gems usually are.
    "_config.yml": "title: Shop\nexclude: [README.md]\n",
    "_layouts/page.html": "<h1>{{ site.title }}, {{ jekyll.environment }}</h1>{{ content }}",
    "index.md": "---\nlayout: page\n---\n*Welcome*\n",
  },
  serve: "exec python3 -m http.server --bind 127.0.0.1 --directory _site $PORT",
  pages: { "/": "<h1>Shop, production</h1><p><em>Welcome</em></p>" },
};
