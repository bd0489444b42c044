/** Commands that an npm script runs, and that `npm run check` runs with `--check`. */
export const generateBindingTypes = [
  "wrangler",
  "types",
  "--include-runtime=false",
  "src/worker/env.d.ts",
] as const;
export const formatSources = ["oxfmt", "src", "test", "scripts", "bench"] as const;
