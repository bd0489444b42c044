import { root } from "./root.ts";

/**
 * How esbuild bundles for browsers: the dashboard, and the pages below /docs. Both name the font by its content, so that
 * they share one file. The target is supported by Chrome, Firefox and Safari since spring 2024.
 */
export const browserBundle = {
  absWorkingDir: root,
  assetNames: "[name]-[hash]",
  loader: { ".woff2": "file" },
  write: false,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2023",
  jsx: "automatic",
  jsxImportSource: "preact",
  // Omits the development code of the packages.
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "error",
} as const;
