/** A kind of project that no preset builds. `what`: of what the file is, for `Cargo.toml (Rust)`. */
type OtherKind = { readonly file: RegExp; readonly what: string; readonly hint: string };

/** What a Compose file is of. */
export const COMPOSE = "Docker Compose";

const web = (command: string) => `define the process web, such as \`web: ${command}\` in a Procfile`;

/** In order of precedence: a Dockerfile is often beside the others, and says less. */
const kinds: readonly OtherKind[] = [
  {
    file: /^Trunk\.toml$/,
    what: "Rust for the browser",
    hint: "Set build_command to `trunk build --release`, and output_directory to `dist`.",
  },
  {
    file: /^Cargo\.toml$/,
    what: "Rust",
    hint: `Set build_command to \`cargo build --release\`, and ${web("target/release/NAME")}.`,
  },
  {
    file: /^mix\.exs$/,
    what: "Elixir",
    hint: `Set build_command, such as \`mix deps.get --only prod && MIX_ENV=prod mix release\`, and ${web("_build/prod/rel/NAME/bin/NAME start")}.`,
  },
  {
    file: /^pom\.xml$/,
    what: "Java with Maven",
    hint: `Set build_command, such as \`./mvnw package -DskipTests\`, and ${web("java -jar target/NAME.jar")}.`,
  },
  {
    file: /^(?:build|settings)\.gradle(?:\.kts)?$/,
    what: "Java or Kotlin with Gradle",
    hint: `Set build_command, such as \`./gradlew build -x test\`, and ${web("java -jar build/libs/NAME.jar")}.`,
  },
  {
    file: /^build\.sbt$/,
    what: "Scala",
    hint: `Set build_command, such as \`sbt stage\`, and ${web("target/universal/stage/bin/NAME")}.`,
  },
  {
    file: /^_quarto\.ya?ml$/,
    what: "Quarto",
    hint: "Set build_command to `quarto render`, and output_directory to `_site` (`_book` for a book). Quarto must be on the server, and R or Python if the pages run code: or commit the folder _freeze.",
  },
  {
    file: /^(?:app|server|global|plumber)\.R$/,
    what: "R",
    hint: `${web("Rscript -e \"shiny::runApp(host = '127.0.0.1', port = as.integer(Sys.getenv('PORT')))\"").replace("define", "Define")}. R and its packages must be on the server, or be installed by install_command, such as \`Rscript -e "renv::restore()"\`.`,
  },
  {
    file: /^(?:Project|JuliaProject)\.toml$/,
    what: "Julia",
    hint: `Set install_command to \`julia --project -e "using Pkg; Pkg.instantiate()"\`, and ${web("julia --project server.jl")}.`,
  },
  {
    file: /^quartz\.config\.ts$/,
    what: "Quartz",
    hint: "Set build_command to `npm ci && npx quartz build`, and output_directory to `public`.",
  },
  {
    file: /^docfx\.json$/,
    what: "DocFX",
    hint: "Set build_command to `docfx docfx.json`, and output_directory to `_site`.",
  },
  {
    file: /^_config\.ts$/,
    what: "Lume",
    hint: "Set build_command to `deno task build`, and output_directory to `_site`.",
  },
  {
    file: /^(?:_bookdown|_toc|myst)\.ya?ml$/,
    what: "a book",
    hint: "Set build_command, such as `jupyter-book build .`, and output_directory, such as `_build/html`.",
  },
  {
    file: /\.(?:csproj|fsproj|vbproj|sln|slnx)$/,
    what: ".NET",
    hint: `Set build_command, such as \`dotnet publish -c Release -o out\`, and ${web("dotnet out/NAME.dll --urls http://127.0.0.1:$PORT")}. For Blazor WebAssembly, set output_directory to \`out/wwwroot\` instead.`,
  },
  {
    file: /^(?:deno\.jsonc?|deno\.lock)$/,
    what: "Deno",
    hint: `${web("deno task start").replace("define", "Define")}. For a static site, set build_command and output_directory.`,
  },
  {
    file: /^(?:bun\.lockb?|bunfig\.toml)$/,
    what: "Bun",
    hint: `Add a script start to package.json, or ${web("bun run index.ts")}.`,
  },
  {
    file: /^Package\.swift$/,
    what: "Swift",
    hint: `Set build_command to \`swift build -c release\`, and ${web(".build/release/NAME")}.`,
  },
  {
    file: /^pubspec\.yaml$/,
    what: "Dart or Flutter",
    hint: "Set build_command, such as `flutter build web`, and output_directory to `build/web`.",
  },
  {
    file: /^(?:gleam\.toml|rebar\.config|project\.clj|deps\.edn|stack\.yaml|dune-project|shard\.yml|build\.zig)$/,
    what: "a language that Gantry does not know",
    hint: `Set build_command, and ${web("./NAME")}.`,
  },
  {
    file: /\.cabal$/,
    what: "Haskell",
    hint: `Set build_command, such as \`cabal build\`, and ${web("./NAME")}.`,
  },
  {
    file: /\.nimble$/,
    what: "Nim",
    hint: `Set build_command, such as \`nimble build\`, and ${web("./NAME")}.`,
  },
  {
    file: /^elm\.json$/,
    what: "Elm",
    hint: "Set build_command, such as `npx elm make src/Main.elm --output=dist/index.html`, and output_directory to `dist`.",
  },
  {
    file: /^\.meteor$/,
    what: "Meteor",
    hint: `Set build_command, such as \`meteor build --directory out\`, and ${web("node out/bundle/main.js")}.`,
  },
  {
    file: /^antora\.yml$/,
    what: "a component of Antora",
    hint: "Deploy the repository with the antora-playbook.yml, which builds the site.",
  },
  {
    file: /^(?:docker-)?compose[\w.-]*\.ya?ml$/,
    what: COMPOSE,
    hint: "Run `gantry import compose FILE`: it prints the gantry.json with which Gantry builds and runs its services.",
  },
  {
    file: /(?:^|\.)(?:Dockerfile|Containerfile)(?:$|\.)/,
    what: "Docker",
    hint: "Set framework to `dockerfile` to build and run its image, and `path` of the setting dockerfile if the file is not named Dockerfile.",
  },
  {
    file: /^(?:GNUmakefile|Makefile|makefile|CMakeLists\.txt|meson\.build|justfile|Justfile|Taskfile\.ya?ml|Rakefile)$/,
    what: "a build of its own",
    hint: `Set build_command, such as \`make\`, and output_directory to the folder that it writes, or ${web("./NAME")}.`,
  },
  {
    file: /^(?:environment|conda)\.ya?ml$/,
    what: "Conda",
    hint: `List the packages of the app in a requirements.txt, which is installed with pip, and ${web("COMMAND")} if no framework is detected.`,
  },
  {
    file: /^(?!setup\.py$|conftest\.py$).+\.py$/,
    what: "Python without a list of packages",
    hint: "Add a requirements.txt with the packages of the app, such as flask and gunicorn.",
  },
  {
    file: /\.rb$/,
    what: "Ruby without a Gemfile",
    hint: "Add a Gemfile with the gems of the app, such as sinatra and puma, and a config.ru.",
  },
  {
    file: /^(?:.+\.uproject|project\.godot|ProjectSettings)$/,
    what: "a game engine",
    hint: "Export the game for the web, and set output_directory to the folder with its index.html.",
  },
  {
    file: /^(?:netlify\.toml|vercel\.json|firebase\.json|wrangler\.(?:toml|jsonc?)|render\.yaml|fly\.toml|app\.yaml)$/,
    what: "settings of another platform",
    hint: "Set build_command and output_directory to what the file says.",
  },
];

/** The kind of a project that Gantry does not build, with the file that says it; null if it is none that is known. */
export function otherKind(
  names: readonly string[],
): { readonly file: string; readonly what: string; readonly hint: string } | null {
  for (const { file, what, hint } of kinds) {
    const name = names.find((one) => file.test(one));
    if (name !== undefined) return { file: name, what, hint };
  }
  return null;
}
