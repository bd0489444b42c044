import type { App } from "./app.ts";

/** The files that Rails' own generator makes, without what this app does not use. */
export const rails: App = {
  framework: "rails",
  files: {
    Gemfile:
      'source "https://rubygems.org"\ngem "rails", "~> 6.1"\ngem "puma"\n\ngroup :development do\n  gem "listen"\nend\n',
    Rakefile: 'require_relative "config/application"\nRails.application.load_tasks\n',
    "config.ru": 'require_relative "config/environment"\nrun Rails.application\n',
    "bin/rails": `#!/usr/bin/env ruby
APP_PATH = File.expand_path("../config/application", __dir__)
require_relative "../config/boot"
require "rails/commands"
`,
    "config/boot.rb":
      'ENV["BUNDLE_GEMFILE"] ||= File.expand_path("../Gemfile", __dir__)\nrequire "bundler/setup"\n',
    "config/application.rb": `require_relative "boot"
require "logger"
require "rails"
require "action_controller/railtie"
require "action_view/railtie"
require "sprockets/railtie"
Bundler.require(*Rails.groups)
class Shop < Rails::Application
  config.load_defaults 6.1
  config.hosts.clear
end
`,
    "config/environment.rb": 'require_relative "application"\nRails.application.initialize!\n',
    "config/environments/production.rb": `Rails.application.configure do
  config.cache_classes = true
  config.eager_load = true
  config.assets.compile = false
  config.public_file_server.enabled = true
end
`,
    "config/routes.rb": 'Rails.application.routes.draw { root "pages#home" }\n',
    "app/controllers/pages_controller.rb": `class PagesController < ActionController::Base
  def home = render(plain: "Rails #{Rails.env} #{helpers.stylesheet_path("application")}")
end
`,
    "app/assets/config/manifest.js": "//= link_directory ../stylesheets .css\n",
    "app/assets/stylesheets/application.css": "body { color: black }\n",
    "public/robots.txt": "User-agent: *\n",
    "log/.keep": "",
    "tmp/.keep": "",
  },
  variables: { SECRET_KEY_BASE: "5".repeat(128) },
  pages: { "/": "Rails production /assets/application-", "/robots.txt": "User-agent: *" },
};
