import * as z from "zod/mini";

import { asciiHost, RequestPath, WebAddress } from "#contract/addresses/web-address.ts";
import { numberBetween, textBetween, textLike, textUpTo, wholeBetween } from "#contract/bounds.ts";
import { InsidePath, RequestedPath, RequestedSharedPath, ShownFile } from "#contract/git-names.ts";
import { firstHidden } from "#contract/hidden-text.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { ShellCommand } from "#contract/shell-command.ts";
import { defaultTimeouts } from "#contract/stages.ts";

/**
 * A name for people, on one line. Two different names should not look the same: invisible characters are refused, and the
 * two ways to write a letter such as `é` become one (UAX #15). macOS writes the longer one into names of files.
 */
export const DisplayName = textBetween(1, 100).check(
  z.normalize("NFC"),
  z.superRefine((name, context) => {
    const hidden = firstHidden(name);
    if (hidden !== null)
      context.addIssue({
        code: "custom",
        message: `must not contain the character ${hidden}, which is invisible or changes the text direction`,
      });
  }),
  z.refine(
    (name) => name.trim() === name && !/\p{Cc}/u.test(name),
    "must be one line without leading or trailing spaces",
  ),
);

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

export const Domain = textUpTo(253).check(
  z.regex(DOMAIN, { error: ({ input }) => domainProblem(String(input).slice(0, 300)) }),
);

/** What is wrong with a domain that is none, with what to write if it can be guessed. */
function domainProblem(text: string): string {
  const rule = "must be a host name in lower case, such as shop.example.com";
  if (text.includes("*")) return `${rule}, without *: name each host as an alias`;
  const bare = text.trim().replace(/^[a-z]+:\/\//i, "");
  const host = asciiHost(
    bare
      .replace(/[/?#][^]*$/, "")
      .replace(/:\d*$/, "")
      .replace(/\.$/, ""),
  );
  if (host !== null && DOMAIN.test(host)) return `must be a host name in lower case: write ${host}`;
  return text.includes("_") ? `${rule}, of letters, digits and hyphens` : rule;
}

/** A further host name of a project. `redirect`: it leads to the project's domain; otherwise it shows the same. */
export const Alias = z.strictObject({ domain: Domain, redirect: z._default(z.boolean(), true) });
export type Alias = z.infer<typeof Alias>;
export const MAX_ALIASES = 20;

export const Framework = textLike(
  /^[a-z0-9][a-z0-9.-]{0,39}$/,
  "must be a framework's identifier, such as static or astro",
);

/** The framework of a project that is built from a Dockerfile. */
export const DOCKERFILE = "dockerfile";

/** What is shown as the framework of a project whose repository has images. */
export const IMAGE = "image";

/** The Dockerfile of a project that names none. */
export const DEFAULT_DOCKERFILE = "Dockerfile";

/** The name or the number of a stage of a Dockerfile. */
const StageName = textLike(
  /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/,
  "must be the name or the number of a stage of the Dockerfile",
);

/**
 * How an image is built. `path` and `context`: relative to the root directory of the project. `target`: the stage that becomes
 * the image; if omitted, the last one.
 */
export const Dockerfile = z.strictObject({
  path: z._default(RequestedSharedPath, DEFAULT_DOCKERFILE),
  context: z._default(RequestedPath, "."),
  target: z.optional(StageName),
});
export type Dockerfile = z.infer<typeof Dockerfile>;

/** How to check that a release works. `path` is requested from the site on the server itself, `url` as it is. */
export const HealthCheck = z
  .strictObject({
    path: z.optional(RequestPath),
    url: z.optional(WebAddress),
    status: z._default(wholeBetween(100, 599), 200),
    tries: z._default(wholeBetween(1, 60), 10),
    interval_seconds: z._default(numberBetween(0.1, 60), 1),
    timeout_seconds: z._default(numberBetween(0.1, 60), 5),
  })
  .check(
    z.refine(
      (check) => (check.path === undefined) !== (check.url === undefined),
      "must have either path or url",
    ),
  );
export type HealthCheck = z.infer<typeof HealthCheck>;

/** The range of a stage's timeout. */
export const stageSeconds = numberBetween(1, 86_400);

/** The maximum time of each stage, in seconds, and the maximum wait for an offline server. */
export const Timeouts = z.strictObject(
  mapValues(defaultTimeouts, (seconds) => z._default(stageSeconds, seconds)),
);
export type Timeouts = z.infer<typeof Timeouts>;

export const limitRanges = {
  memory_mb: wholeBetween(32, 4_194_304),
  cpu_weight: wholeBetween(1, 10_000),
  tasks: wholeBetween(16, 1_000_000),
};

/**
 * The resources that a build, release or activate command and its processes may use together, on a server that isolates projects.
 * `cpu_weight`: relative to others, which have 100. Omitted limits are the server's.
 */
export const Limits = z.strictObject(mapValues(limitRanges, (range) => z.optional(range)));
export type Limits = z.infer<typeof Limits>;

/** `latest`: a new deployment cancels the queued ones. */
export const QueueMode = z.enum(["all", "latest"]);
export type QueueMode = z.infer<typeof QueueMode>;

/**
 * Which commits can be deployed by their hash. `reachable`: commits that a branch or tag contains. `any`: all that the
 * git server provides, including commits of pull requests and, on many git hosts, of forks. `none`: none.
 */
export const CommitRule = z.enum(["reachable", "any", "none"]);
export type CommitRule = z.infer<typeof CommitRule>;

/** The settings that can be automatic: the agent detects the framework, and the framework determines the others. */
export const AutomaticSetting = z.enum([
  "framework",
  "install_command",
  "build_command",
  "output_directory",
  "trailing_slash",
  "fallback",
]);
export type AutomaticSetting = z.infer<typeof AutomaticSetting>;

/**
 * How a static site's pages are addressed. `auto`: `about.html` as `/about`, `about/index.html` as `/about/`. `always` and
 * `never`: with or without a final slash. Other spellings redirect. `ignore`: each spelling shows the page.
 */
export const TrailingSlash = z.enum(["auto", "always", "never", "ignore"]);
export type TrailingSlash = z.infer<typeof TrailingSlash>;

/**
 * The build settings of a framework. An `install_command` of null means that nothing is installed, a `build_command` of
 * null that nothing is built, and a `fallback` of null that a missing page is missing.
 */
export const Preset = z.strictObject({
  framework: Framework,
  install_command: z.nullable(ShellCommand),
  build_command: z.nullable(ShellCommand),
  output_directory: InsidePath,
  trailing_slash: TrailingSlash,
  fallback: z.nullable(ShownFile),
});
export type Preset = z.infer<typeof Preset>;

/** How long files of earlier releases whose names have a hash stay reachable, in seconds. 0: not at all. */
export const AssetOverlap = wholeBetween(0, 30 * 24 * 60 * 60);
export const DEFAULT_ASSET_OVERLAP = 24 * 60 * 60;

/** `static`: files that a web server publishes. `server`: a process that answers requests. */
export const AppType = z.enum(["static", "server"]);
export type AppType = z.infer<typeof AppType>;

/** The build settings of a project. Omitted settings come from the preset of the framework. */
export const BuildSettings = z.partial(Preset);
export type BuildSettings = z.infer<typeof BuildSettings>;
