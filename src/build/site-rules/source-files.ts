import { HEADERS_FILE, REDIRECTS_FILE } from "#build/site-rules/rule-lines.ts";
import { lockFiles } from "#project-files/frameworks/install-steps.ts";
import { packageManagerFiles } from "#project-files/frameworks/package-manager.ts";
import { GANTRY_JSON } from "#project-files/processes/read-gantry-json.ts";
import { PROCFILE } from "#project-files/processes/read-procfile.ts";

/** Files that say how a repository is built and run. */
const buildFiles = [
  PROCFILE,
  GANTRY_JSON,
  ...[
    "package.json",
    "pnpm-workspace.yaml",
    "composer.json",
    "Gemfile",
    "pyproject.toml",
    "Pipfile",
    "go.mod",
  ],
  ...[
    "go.sum",
    "Cargo.toml",
    "Cargo.lock",
    "mix.exs",
    "mix.lock",
    "deno.lock",
    "requirements*.txt",
    "Makefile",
  ],
  ...["Dockerfile*", "*.Dockerfile", "Containerfile", "docker-compose*.yml", "docker-compose*.yaml"],
  ...["compose.yml", "compose.yaml", "compose.*.yml", "compose.*.yaml", "Vagrantfile", "Jenkinsfile"],
  ...[
    "netlify.toml",
    "vercel.json",
    "wrangler.toml",
    "wrangler.json",
    "wrangler.jsonc",
    "fly.toml",
    "render.yaml",
    "app.yaml",
  ],
  ...packageManagerFiles,
  ...lockFiles,
];

/** Files at the top of a site that set its rules. No site shows them. */
export const ruleFiles: readonly string[] = [REDIRECTS_FILE, HEADERS_FILE];

/** Files with secrets or data: keys, settings, databases, and copies that editors and people leave. */
const privateFiles = [
  ...["*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.ovpn"],
  ...["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.env", "master.key", "credentials.json"],
  ...["*.tfstate", "*.tfstate.backup", "*.tfvars", "*.tfvars.json"],
  ...["service-account*.json", "service_account*.json", "serviceaccount*.json", "*firebase-adminsdk*.json"],
  ...[
    "client_secret*.json",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
    "database.yml",
    "local.properties",
  ],
  ...["sftp-config.json", "web.config", "ecosystem.config.*"],
  ...["*.sqlite", "*.sqlite-*", "*.sqlite3", "*.sqlite3-*", "*.db", "*.db-*", "*.db3", "*.mdb", "*.accdb"],
  ...["*.rdb", "*.dmp", "*.dump", "*.sql"],
  ...["gz", "bz2", "xz", "zst", "zip"].flatMap((packed) => [`*.sql.${packed}`, `*.dump.${packed}`]),
  ...["*.log", "*.log.1", "*.log.gz", "error_log", "access_log", "nohup.out"],
  ...["*.bak", "*.old", "*.orig", "*.save", "*.swp", "*~"],
];

/** Folders of packages and of what programs keep for themselves. */
const folders = ["node_modules", "__pycache__"];

/**
 * What a site that is served from the folder with its sources does not show to its visitors, at any depth: names of files
 * and folders, in which `*` stands for any text. Names that begin with a dot are never served.
 */
export const sourceFiles: readonly string[] = [...new Set([...buildFiles, ...privateFiles, ...folders])];

/**
 * Programs that a site server would show as text instead of running them. Not those that a page loads or visitors fetch: `.py`
 * of PyScript, `install.sh`, `.ts`, `.c` and `.java` of a course.
 */
const programs = [
  ...[
    "*.php",
    "*.php3",
    "*.php4",
    "*.php5",
    "*.php7",
    "*.php8",
    "*.php.txt",
    "*.phps",
    "*.phtml",
    "*.phar",
    "*.inc",
  ],
  ...["*.rb", "*.erb", "*.rake", "*.go", "*.rs", "*.ex", "*.exs", "*.eex", "*.heex", "*.erl", "*.pl", "*.pm"],
  ...[
    "*.kt",
    "*.kts",
    "*.scala",
    "*.swift",
    "*.cs",
    "*.csx",
    "*.cshtml",
    "*.razor",
    "*.vb",
    "*.clj",
    "*.groovy",
  ],
  ...["*.cgi", "*.asp", "*.aspx", "*.ashx", "*.asmx", "*.asax", "*.jsp", "*.cfm", "cgi-bin"],
];

/** What other platforms run beside a site. */
const functions = [
  "netlify/functions",
  "netlify/edge-functions",
  "supabase/functions",
  "_worker.js",
  "_worker.ts",
  "_routes.json",
];

/** What a static site that is served from its sources does not show. */
export const hiddenFiles: readonly string[] = [...sourceFiles, ...programs, ...functions];

const patterns = hiddenFiles.map((name) => {
  const pattern = name.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll("*", "[^/]*");
  // A build file has one spelling: other ones are pages, such as `dockerfile.html`.
  return buildFiles.includes(name) ? pattern : inAnyCase(pattern);
});

/** Without a flag, because Caddy reads only the source of the pattern. */
function inAnyCase(pattern: string): string {
  return pattern.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** A path with a part that such a site hides. Caddy reads the pattern too. */
export const HIDDEN_PATH = new RegExp(`(?:^|/)(?:${patterns.join("|")})(?:/|$)`);

/** Whether a static site that is served from its sources hides a path, or one with this part. */
export function isHiddenFile(path: string): boolean {
  return HIDDEN_PATH.test(path);
}

/** Whether a site with this output directory is served from the folder with the sources. */
export function showsSources({ output_directory }: { readonly output_directory: string }): boolean {
  return output_directory === ".";
}

/** What a site with this output directory does not show of its folder, by the name of a file or folder. */
export function hides(site: { readonly output_directory: string }): (name: string) => boolean {
  return showsSources(site) ? isHiddenFile : () => false;
}
