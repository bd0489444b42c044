import { describe, expect, it } from "vitest";

import { readFrameworkConfig } from "#project-files/frameworks/read-config.ts";

const valuesOf = (text: string) => Object.fromEntries(readFrameworkConfig("a.config.js", text).values);

describe("the settings of a configuration file", () => {
  it.each<[string, string, Record<string, string | boolean>]>([
    ["an exported object", `export default { output: "export" }`, { output: "export" }],
    ["an assigned object", `module.exports = {\n  output: 'export',\n};`, { output: "export" }],
    [
      "a named object with a type",
      `import type { NextConfig } from "next";\nconst config: NextConfig = { output: "export" as const };\nexport default config;`,
      { output: "export" },
    ],
    ["a call", `export default defineConfig({ build: { outDir: "public" } });`, { "build.outDir": "public" }],
    [
      "a function",
      `export default defineConfig(({ mode }) => { return { build: { "outDir": \`public\` } } })`,
      { "build.outDir": "public" },
    ],
    ["JSON", `{ "ssr": false, "nitro": { "preset": "static" } }`, { ssr: false, "nitro.preset": "static" }],
    [
      "a setting inside a call",
      `export default { kit: { adapter: adapter({ pages: "out" }) } }`,
      { "kit.adapter().pages": "out" },
    ],
    [
      "an option of a plugin",
      `export default { plugins: [remix({ ssr: false }), other()] }`,
      { "plugins.remix().ssr": false },
    ],
    [
      "a call with one argument",
      `eleventyConfig.setOutputDirectory("www");`,
      { "setOutputDirectory()": "www" },
    ],
  ])("are read from %s", (_what, text, values) => {
    expect(valuesOf(text)).toEqual(values);
  });

  it.each([
    ["in a line comment", `export default {\n  // output: "export",\n}`],
    ["in a block comment", `export default { /* output: "export", */ }`],
    ["in a string", 'export default { text: `${a} output: "export"`, other: b }'],
    ["in a regular expression", `export default { test: /[{"]output: "export",/ }`],
    ["that is computed", `export default { output: isCi ? "export" : undefined }`],
    ["that is joined", `export default { output: "ex" + "port" }`],
    ["with two values", `const a = { output: "export" }; export default { output: "standalone" };`],
    ["of a condition", `export default { ...(isCi && { output: "export" }) }`],
    ["of another object", `export default { webpack: { output: "export" } }`],
  ])("do not include one %s", (_where, text) => {
    expect(valuesOf(text)["output"]).toBeUndefined();
  });

  it("include the imported packages", () => {
    const text = `import a from "@sveltejs/adapter-node";\nconst b = require('b');\nconst c = await import("c");\n// import d from "d"`;
    expect([...readFrameworkConfig("svelte.config.js", text).imports]).toEqual([
      "@sveltejs/adapter-node",
      "b",
      "c",
    ]);
  });
});
